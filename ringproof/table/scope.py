"""Which names an expression may use, what kind each is, and what it needs in the end.

Names are resolved by what they use, never by order.  A scope is small: the names that are given
from outside with their kinds, and the names that the table writes.
"""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from ringproof.table.expr import CONSTANTS, HELPERS, LISTS, Expr, ExprError, Kind, Node, walk

GIVEN = ("N", "r", "s", "c", "root", "chunks")
KEYS = {
    "table": ("name collective ranks chunks where root owner scratch let params waive reference "
              "notes claims phase").split(),
    "phase": "name steps let ensures send sends".split(),
    "use": "name use group rank when chunk for params let ensures".split(),
    "send": "to from chunk into op when for let".split(),
    "sends": "step from to chunk into op".split(),
    "ensures": "collective owner root".split(),
    "claims": "steps sends_per_rank total_sends traffic received".split(),
}  # fmt: skip
_RESERVED = {key for keys in KEYS.values() for key in keys}

_CONDITION_FROM = {"<", "<=", ">", ">=", "==", "!=", "is_pow2"}
_FRACTIONS = {"+", "-", "*", "/", "neg", "pos", "abs", "min", "max"}


@dataclass(frozen=True)
class Scope:
    """``given``: name -> kind of values from outside; ``names``: the table's own expressions.

    ``elsewhere`` are names that exist in other places of a table, for a better message.
    """

    given: Mapping[str, Kind]
    names: Mapping[str, Expr]
    elsewhere: frozenset[str] = frozenset()
    fractions: str = ""
    _kinds: dict[str, Kind] = field(default_factory=dict, repr=False)

    def within(self, given: Mapping[str, Kind], names: Mapping[str, Expr]) -> Scope:
        """This scope and more names."""
        return Scope({**self.given, **given}, {**self.names, **names}, self.elsewhere)

    def known(self) -> list[str]:
        """Every name that may be used here, sorted."""
        return sorted({*self.given, *self.names})

    def check(self, expr: Expr, want: Kind) -> list[ExprError]:
        """What is wrong with ``expr`` as a value of kind ``want`` here: unknown names, kinds."""
        errors = [
            self.unknown(n)
            for n in walk(expr.node)
            if n.op == "name" and str(n.value) not in {*self.given, *self.names}
        ]
        if errors:
            return errors
        for node in walk(expr.node):
            if node.op == "name" and (missing := self.missing(str(node.value))):
                uses = " and ".join(f"`{m}`" for m in sorted(missing))
                title = f"`{node.value}` uses {uses}, which has no value here"
                errors.append(ExprError("RP106", title, node.start, node.end))
        if errors:
            return errors
        try:
            got = self.kind(expr.node)
            self._match(expr.node, got, want)
        except ExprError as error:
            errors.append(error)
        return errors

    def missing(self, name: str) -> set[str]:
        """The names that ``name`` needs in the end and that have no value in this scope."""
        return {n for n in self.needs(name) if n not in self.given and n not in self.names}

    def needs(self, *names: str) -> frozenset[str]:
        """What these names use in the end, themselves included, through all `let` names."""
        seen: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                if name in self.names:
                    todo.extend(self.names[name].names())
        return frozenset(seen)

    def cycle(self, name: str) -> list[str]:
        """A chain of names from ``name`` back to itself, or nothing."""
        trail: list[str] = []

        def visit(current: str) -> bool:
            if current == name and trail:
                return True
            if current in trail or current not in self.names:
                return False
            trail.append(current)
            if any(visit(n) for n in sorted(self.names[current].names())):
                return True
            trail.pop()
            return False

        return [*trail, name] if visit(name) else []

    def unknown(self, node: Node) -> ExprError:
        name = str(node.value)
        if name in self.elsewhere or name in GIVEN:
            title = f"`{name}` has no value here"
            hint = "names with a value here: " + ", ".join(self.known())
        else:
            title = f"unknown name `{name}`"
            hint = closest(name, [*self.known(), *HELPERS]) or (
                "names known here: " + ", ".join(self.known())
            )
        return ExprError("RP106", title, node.start, node.end, hint)

    def kind(self, node: Node) -> Kind:
        """The kind of a tree whose names all exist; errors: `ExprError` on a mismatch."""
        op, args = node.op, node.args
        if op == "name":
            return self._kind_of_name(str(node.value))
        if op == "const":
            return "condition" if isinstance(node.value, bool) else "integer"
        if op in ("and", "or", "not"):
            for arg in args:
                self._match(arg, self.kind(arg), "condition")
            return "condition"
        if op == "if":
            self._match(args[0], self.kind(args[0]), "condition")
            yes, no = self.kind(args[1]), self.kind(args[2])
            if "condition" in (yes, no):
                self._match(args[2], no, "condition")
                self._match(args[1], yes, "condition")
            return "fraction" if "fraction" in (yes, no) else yes
        if op == "/" and not self.fractions:
            title = "`/` belongs in claims only; indices divide with `//`"
            raise ExprError("RP114", title, node.start, node.end)
        kinds = [self.kind(a) for a in args]
        compares = op in _CONDITION_FROM and op != "is_pow2"
        for arg, kind in zip(args, kinds, strict=True):
            if kind != "fraction" or not (op in _FRACTIONS or compares):
                self._match(arg, kind, "integer")
        if op in _CONDITION_FROM:
            return "condition"
        return "fraction" if op == "/" or "fraction" in kinds else "integer"

    def _kind_of_name(self, name: str) -> Kind:
        if name in self.given:
            return self.given[name]
        if name not in self._kinds:
            self._kinds[name] = "unknown"  # a cycle, or an error told at the name's own place
            try:
                self._kinds[name] = self.kind(self.names[name].node)
            except (ExprError, KeyError):
                self._kinds[name] = "unknown"
        return self._kinds[name]

    def _match(self, node: Node, got: Kind, want: Kind) -> None:
        if "unknown" in (got, want) or got == want or (want == "fraction" and got == "integer"):
            return
        titles = {
            "condition": "an integer stands where a condition belongs",
            "integer": f"a {got} stands where an integer belongs",
            "fraction": "a condition stands where a number belongs",
        }
        hint = "say what it is compared with, such as `== 1`" if want == "condition" else ""
        raise ExprError("RP108", titles[want], node.start, node.end, hint)


def closest(word: str, words: Iterable[str]) -> str:
    """A "did you mean" line for a misspelt word, or nothing."""
    near = difflib.get_close_matches(word, list(words), n=1, cutoff=0.6)
    folded = [w for w in words if w.lower() == word.lower()]
    best = (folded or near)[:1]
    return f"did you mean `{best[0]}`?" if best else ""


def bad_name(name: str, taken: Collection[str]) -> str:
    """Why ``name`` cannot be a new name, or nothing.  ``c`` is given only where `owner` sees it."""
    if not (name.isidentifier() and name.isascii()):
        return f"`{name}` is not a name (letters, digits and _, not starting with a digit)"
    if keyword.iskeyword(name) or name in CONSTANTS:
        return f"`{name}` is a word of the expression language"
    if name in HELPERS or name in LISTS:
        return f"`{name}` is the name of a helper"
    if name in GIVEN and (name != "c" or "c" in taken):
        return f"`{name}` is given and cannot be defined again"
    if name in _RESERVED:
        return f"`{name}` is a key of the table language; a misplaced key, or choose another name"
    if name in set(taken):
        return f"`{name}` shadows a name defined further out"
    return ""
