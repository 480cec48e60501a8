"""The third reading of an expression: an SMT-LIB term over symbolic N, r, s, ...

Remainders by the symbolic N are *purified*: each becomes fresh variables and true linear facts
about them, so every query stays in linear integer arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ringproof.table.expr import Expr, Node


class Untranslatable(Exception):
    """An operation that this reading does not cover; the caller falls back, nothing is assumed."""


@dataclass(slots=True)
class Terms:
    """Writes terms and collects the declarations and facts that they rest on.

    ``values`` bind names to terms; ``names`` are the table's own expressions.  Every remainder
    ``t % N`` is t = U + m with U = q * N and 0 <= m < N, shared by every use of the same t.
    """

    names: Mapping[str, Expr]
    declared: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    _split: dict[str, tuple[str, str, str]] = field(default_factory=dict)

    def declare(self, name: str, *facts: str) -> str:
        """A fresh integer with what is known of it."""
        self.declared.append(name)
        self.facts.extend(facts)
        return name

    def term(self, node: Node, values: Mapping[str, str]) -> str:
        """The term of a tree; errors: `Untranslatable`."""
        op = node.op
        if op == "name":
            name = str(node.value)
            return values[name] if name in values else self.term(self.names[name].node, values)
        if op == "const":
            if isinstance(node.value, bool):
                return "true" if node.value else "false"
            return _number(int(node.value))
        if op in ("%", "//"):
            return self._divide(op, node.args[0], node.args[1], values)
        args = [self.term(a, values) for a in node.args]
        if op == "*" and not any(_is_number(a) for a in args):
            if "1" in args:
                return args[args.index("1") - 1]
            raise Untranslatable("a product of two variables")
        if op == "!=":
            return f"(not (= {' '.join(args)}))"
        if op == "pos":
            return args[0]
        if op in ("min", "max"):
            return _extreme("<=" if op == "min" else ">=", args)
        if op not in _SMT:
            raise Untranslatable(f"`{op}`")
        return f"({_SMT[op]} {' '.join(args)})"

    def _divide(self, op: str, top: Node, bottom: Node, values: Mapping[str, str]) -> str:
        divisor = self.term(bottom, values)
        if divisor == "N":
            if op == "//" and (exact := self._multiple(top, values)):
                return exact
            multiple, _, rest = self.split(self.term(top, values))
            if op == "//":
                return multiple
            return rest
        if not _is_number(divisor) or divisor.startswith("("):
            raise Untranslatable("a division by an expression")
        number = self.term(top, values)
        if divisor == "1":
            return number if op == "//" else "0"
        return f"({'div' if op == '//' else 'mod'} {number} {divisor})"

    def _multiple(self, top: Node, values: Mapping[str, str]) -> str:
        """x, where the dividend is x * N or N itself, else nothing."""
        if top.op == "*":
            factors = list(top.args)
            for i, factor in enumerate(factors):
                if factor.op == "name" and self.term(factor, values) == "N":
                    return self.term(factors[1 - i], values)
        return "1" if top.op == "name" and self.term(top, values) == "N" else ""

    def split(self, term: str) -> tuple[str, str, str]:
        """Quotient q, product U = q * N and remainder m of ``term`` by N, with the gap facts."""
        if term in self._split:
            return self._split[term]
        i = len(self._split)
        q, product, rest = (self.declare(f"{letter}{i}") for letter in ("q", "U", "m"))
        self.facts.append(f"(= {term} (+ {product} {rest}))")
        self.facts.append(f"(and (<= 0 {rest}) (< {rest} N))")
        others = [(p, u) for p, u, _ in self._split.values()]
        for other_q, other_product in [("0", "0"), *others]:
            self.facts.extend(_gaps(q, product, other_q, other_product))
        self._split[term] = (q, product, rest)
        return self._split[term]


def _gaps(q: str, u: str, p: str, v: str) -> list[str]:
    """For u = q * N and v = p * N: what their difference must be when q and p are near, else how
    far apart they are at least.  True for every N >= 0, and linear."""
    d, gap = f"(- {q} {p})", f"(- {u} {v})"
    return [
        f"(=> (= {d} 0) (= {gap} 0))",
        f"(=> (= {d} 1) (= {gap} N))",
        f"(=> (= {d} (- 1)) (= {gap} (- N)))",
        f"(=> (>= {d} 2) (>= {gap} (* 2 N)))",
        f"(=> (<= {d} (- 2)) (<= {gap} (* (- 2) N)))",
    ]


def next_rank(term: str) -> str:
    """The successor of a rank (or chunk) modulo N."""
    return f"(ite (= (+ {term} 1) N) 0 (+ {term} 1))"


_SMT = {
    "+": "+", "-": "-", "*": "*", "neg": "-", "abs": "abs", "<": "<", "<=": "<=", ">": ">",
    ">=": ">=", "==": "=", "and": "and", "or": "or", "not": "not", "if": "ite",
}  # fmt: skip


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def _is_number(term: str) -> bool:
    return term.removeprefix("(- ").removesuffix(")").isdigit()


def _extreme(relation: str, args: list[str]) -> str:
    best = args[0]
    for arg in args[1:]:
        best = f"(ite ({relation} {best} {arg}) {best} {arg})"
    return best
