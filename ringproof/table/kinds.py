"""Integers are not conditions: what kind of value every part of an expression is and must be."""

from __future__ import annotations

from collections.abc import Callable

from ringproof.table.expr import ExprError, Kind, Node
from ringproof.table.misread import SHOWN

_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_FRACTIONS = {"+", "-", "*", "/", "neg", "pos", "abs", "min", "max", *_COMPARISONS}
_EXACT = "`/` belongs in claims only; indices divide with `//`"


class Kinds:
    """One walk over one expression; what does not fit is collected in ``errors``.

    ``of_name`` knows the kind of every name; ``fractions`` is empty where `/` does not belong.
    """

    def __init__(self, text: str, of_name: Callable[[str], Kind], fractions: str = "") -> None:
        self.text, self.of_name, self.fractions = text, of_name, fractions
        self.errors: list[ExprError] = []

    def expect(self, node: Node, want: Kind) -> None:
        """Note what is wrong with a tree as a value of this kind."""
        self.fit(node, self.kind(node), want)

    def kind(self, node: Node) -> Kind:
        """The kind of a tree, ``unknown`` where that cannot be said."""
        op, args = node.op, node.args
        if op == "unread":
            return "unknown"
        if op == "name":
            return self.of_name(str(node.value))
        if op == "const":
            return "condition" if isinstance(node.value, bool) else "integer"
        if op in ("and", "or", "not"):
            for arg in args:
                self.expect(arg, "condition")
            return "condition"
        if op == "if":
            return self.choice(*args)
        kinds = [self.kind(arg) for arg in args]
        for arg, kind in zip(args, kinds, strict=True):
            self.fit(arg, kind, "fraction" if op in _FRACTIONS and kind == "fraction" else "integer")
        if op == "/" and not self.fractions:
            self.errors.append(ExprError("RP114", _EXACT, node.start, node.end))
            return "unknown"
        if op in _COMPARISONS or op == "is_pow2":
            return "condition"
        return "fraction" if op == "/" or "fraction" in kinds else "integer"

    def choice(self, test: Node, yes: Node, no: Node) -> Kind:
        """The kind of both branches, which must be the same."""
        self.expect(test, "condition")
        kinds = self.kind(yes), self.kind(no)
        both: Kind = "fraction" if "fraction" in kinds else kinds[kinds[0] == "unknown"]
        if "condition" in kinds:
            both = "condition"
        self.fit(yes, kinds[0], both)
        self.fit(no, kinds[1], both)
        return both

    def fit(self, node: Node, got: Kind, want: Kind) -> None:
        """Note a value of one kind where another belongs, and how to write it."""
        if "unknown" in (got, want) or got == want or (want == "fraction" and got == "integer"):
            return
        written = self.text[node.start : node.end]
        constant = node.op == "const"
        if want == "condition":
            title = "an integer stands where a condition belongs"
            hint = f"compare it with something, such as `{written} == 1`"
            hint = "a condition compares, as in `r > 0`" if constant else hint
        elif want == "fraction":
            title = "a condition stands where a number belongs"
            hint = 'a bound begins with its sign, as in `"<= 2*N"`'
        elif got == "fraction":
            title, hint = "a fraction stands where an integer belongs", "`//` divides and rounds down"
        else:
            title = "a condition stands where an integer belongs"
            hint = f"`1 if {written} else 0` makes an integer of it"
            hint = f"write {int(node.value)}" if constant else hint
        hint = hint if len(written) <= SHOWN else ""
        self.errors.append(ExprError("RP108", title, node.start, node.end, hint))
