"""The third reading of an expression: a polynomial or a condition over symbolic values; trusted.

Operations are total here (see `atoms`); where the table language has no value is collected in
``needs``, each with the path of conditions under which the table asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ringproof.proof.every_n.arithmetic import Arithmetic, Untranslatable
from ringproof.proof.every_n.context import Context
from ringproof.proof.every_n.formula import (
    Formula,
    both,
    either,
    eq,
    implies,
    le,
    lt,
    negation,
)  # fmt: skip
from ringproof.proof.every_n.poly import Poly, polynomial
from ringproof.table.expr import Expr, Node, walk

Term = Poly | Formula


@dataclass(frozen=True, slots=True)
class Need:
    """What must hold so that a value exists: ``path`` only where ``holds``."""

    path: tuple[Formula, ...]
    holds: Formula
    node: Node

    @property
    def formula(self) -> Formula:
        """As one formula."""
        return implies(both(*self.path), self.holds)


@dataclass(slots=True)
class Reader:
    """Reads expressions in a context; ``values``: names with a value, ``names``: written ones."""

    context: Context
    values: Mapping[str, Poly]
    names: Mapping[str, Expr]
    needs: list[Need] = field(default_factory=list)

    @property
    def arithmetic(self) -> Arithmetic:
        """The operations, in this context."""
        return Arithmetic(self.context)

    def integer(self, node: Node, path: tuple[Formula, ...] = ()) -> Poly:
        """An integer expression; errors: `Untranslatable`."""
        found = self.term(node, path)
        if not isinstance(found, Poly):
            raise Untranslatable("a condition used as a number")
        return found

    def condition(self, node: Node, path: tuple[Formula, ...] = ()) -> Formula:
        """A condition; errors: `Untranslatable`."""
        found = self.term(node, path)
        if isinstance(found, Poly):
            raise Untranslatable("a number used as a condition")
        return found

    def term(self, node: Node, path: tuple[Formula, ...]) -> Term:
        """Any expression."""
        op = node.op
        if op == "const":
            value = node.value
            return value if isinstance(value, bool) else polynomial(int(value))
        if op == "name":
            name = str(node.value)
            if name in self.values:
                return self.values[name]
            if name not in self.names:
                raise Untranslatable(f"the name `{name}`")
            return self.term(self.names[name].node, path)
        if op in ("and", "or"):
            return self._junction(node, path)
        if op == "not":
            return negation(self.condition(node.args[0], path))
        if op == "if":
            return self._choice(node, path)
        args = [self.integer(a, path) for a in node.args]
        self._need(node, args, path)
        if op in _COMPARE:
            return _compare(op, *args)
        if op == "is_pow2":
            return self.arithmetic.is_power(args[0])
        return self.arithmetic.operate(op, args)

    def _junction(self, node: Node, path: tuple[Formula, ...]) -> Formula:
        found: list[Formula] = []
        for arg in node.args:
            f = self.condition(arg, path)
            found.append(f)
            path = (*path, f if node.op == "and" else negation(f))
        return both(*found) if node.op == "and" else either(*found)

    def _choice(self, node: Node, path: tuple[Formula, ...]) -> Term:
        test = self.condition(node.args[0], path)
        here, there = self, self
        if about_step(node.args[0], "s"):  # worth simplifying under: the first step is special
            here, there = (replace(self, context=self.context.extended(t)) for t in (test, negation(test)))
        yes = here.term(node.args[1], (*path, test))
        no = there.term(node.args[2], (*path, negation(test)))
        if isinstance(yes, Poly) and isinstance(no, Poly):
            return self.arithmetic.choice(test, yes, no)
        if isinstance(yes, Poly) or isinstance(no, Poly):
            raise Untranslatable("a choice between a number and a condition")
        return both(implies(test, yes), either(test, no))

    def _need(self, node: Node, args: list[Poly], path: tuple[Formula, ...]) -> None:
        holds: Formula = True
        match node.op:
            case "//" | "%":
                holds = le(1, args[1])
            case "**" | "<<" | ">>" | "bit" | "flip":
                holds = le(0, args[1])
            case "log2" | "ceil_log2":
                holds = le(1, args[0])
            case "log" | "ceil_log":
                holds = both(le(1, args[0]), le(2, args[1]))
            case "reverse":
                power = self.arithmetic.power(polynomial(2), args[1])
                holds = both(le(0, args[1]), le(0, args[0]), lt(args[0], power))
        if holds is not True:
            self.needs.append(Need(path, holds, node))


def about_step(node: Node, step: str) -> bool:
    """Whether an expression speaks of the step, and of nothing else but N."""
    return step in (used := {n.value for n in walk(node) if n.op == "name"}) and used <= {step, "N"}


_COMPARE = ("<", "<=", ">", ">=", "==", "!=")


def _compare(op: str, x: Poly, y: Poly) -> Formula:
    match op:
        case "<":
            return lt(x, y)
        case "<=":
            return le(x, y)
        case ">":
            return lt(y, x)
        case ">=":
            return le(y, x)
        case "==":
            return eq(x, y)
        case "!=":
            return negation(eq(x, y))
    raise Untranslatable(f"`{op}`")
