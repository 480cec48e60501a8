"""Edits of one expression's text, a token at a time; all else stays as it was written.

An edit yields text that parses to a tree of the same kind, close to the first: a constant off by
one, a sign turned, a stride doubled, a mask for a remainder.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ringproof.table.expr import HELPERS, Expr, Node

_COMPARE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "==", "!=": "!="}
_FLIPPED = {"+": "-", "-": "+"}
_ROUNDED = {"log2": "ceil_log2", "log": "ceil_log", "ceil_log2": "log2", "ceil_log": "log"}
_EXPONENT = ("**", "<<", ">>", "flip", "bit")  # their second argument is a power or a place
_CONDITIONS = {*_COMPARE, "and", "or", "not", "is_pow2"}
_SIZES = ("N", "chunks", "root")
_TIGHTNESS = {
    "if": 0, "or": 1, "and": 2, "not": 3, **dict.fromkeys(_COMPARE, 4), "|": 5, "^": 6, "&": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "//": 10, "%": 10, "/": 10,
    "neg": 11, "pos": 11, "~": 11, "**": 12,
}  # fmt: skip
_ATOM = 13


@dataclass(frozen=True, slots=True)
class Edit:
    """The whole text after one edit; ``amount`` is by how much a constant moved, else 1."""

    kind: str
    text: str
    amount: int = 1


def edits(
    text: str, root: Node, kind: str, conditions: Collection[str] = (),
    shifts: tuple[int, ...] = (1, -1),
) -> Iterator[Edit]:  # fmt: skip
    """Every single edit of the tree ``root`` in ``text``, in a fixed order; texts may come twice.

    ``kind`` names a constant off by one; ``conditions`` are names that are no integers.
    """
    yield from _Editor(text, conditions, shifts).visit(root, None, 0, kind)


def moved(text: str, root: Node, by: int) -> str:
    """The text of ``root + by``, merged with a constant that is there."""
    return _Editor(text, (), ()).moved(root, None, 0, by)


def conditions(lets: Mapping[str, Expr]) -> frozenset[str]:
    """The names that stand for conditions and not for integers."""
    found: frozenset[str] = frozenset()
    while True:
        more = {name for name, expr in lets.items() if _is_condition(expr.node, found)}
        if more == found:
            return found
        found = frozenset(more)


def _is_condition(node: Node, names: Collection[str]) -> bool:
    if node.op == "if":
        return _is_condition(node.args[1], names)
    if node.op == "name":
        return node.value in names
    return node.op in _CONDITIONS or isinstance(node.value, bool)


def _is_number(node: Node) -> bool:
    return node.op == "const" and not isinstance(node.value, bool)


def _tightness(node: Node) -> int:
    return _TIGHTNESS.get(node.op, _ATOM)


class _Editor:
    """Edits of one text; a node is always seen with its parent and its place among the siblings.

    A node's span leaves out the parentheses around it, so between two operands stand an operator,
    blanks and parentheses that belong to either.
    """

    def __init__(self, text: str, conditions: Collection[str], shifts: tuple[int, ...]) -> None:
        self.text, self.conditions, self.shifts = text, conditions, shifts

    def visit(self, node: Node, parent: Node | None, index: int, kind: str) -> Iterator[Edit]:
        if self.counts(node, parent, index):
            for by in self.shifts:
                yield Edit(kind, self.moved(node, parent, index, by), abs(by))
        if _is_number(node):
            named = "stride" if _scales(parent, index) else kind
            for by in self.shifts:
                yield Edit(named, self.number(node, parent, index, by), abs(by))
        yield from self.operator(node, parent, index)
        for i, arg in enumerate(node.args):
            if node.op in _EXPONENT and i == 1:
                yield from self.visit(arg, node, i, "stride")
            else:
                inner = "guard-off-by-one" if node.op in _COMPARE else kind
                yield from self.visit(arg, node, i, inner)

    def operator(self, node: Node, parent: Node | None, index: int) -> Iterator[Edit]:
        """Edits of what a node does, not of how much."""
        op = node.op
        if op in _FLIPPED:
            at = self.token(node)
            yield Edit("sign", self.text[:at] + _FLIPPED[op] + self.text[at + 1 :])
        elif op == "neg":
            yield Edit("sign", self.text[: node.start] + self.text[node.start + 1 :])
        elif op in _COMPARE and _COMPARE[op] != op:
            at = self.token(node)
            rest = self.text[at + len(op) :]
            yield Edit("guard-off-by-one", self.text[:at] + _COMPARE[op] + rest)
        elif op in _ROUNDED:
            rest = self.text[node.start + len(op) :]
            yield Edit("rounding", self.text[: node.start] + _ROUNDED[op] + rest)
        elif op == "%":
            yield Edit("mask-for-modulo", self.mask(node, parent))
            yield Edit("lost-modulo", self.dividend(node, parent))
        elif op == "&" and node.args[1].op == "-" and node.args[1].args[1].value == 1:
            yield Edit("modulo-for-mask", self.modulo(node))
        elif op == "name" and self.stretches(node, parent, index):
            yield Edit("stride", self.doubled(node, parent, index))

    def stretches(self, node: Node, parent: Node | None, index: int) -> bool:
        """Whether doubling a name is an edit that no other stands for."""
        if node.value in (*_SIZES, *self.conditions):
            return False
        return parent is None or not (_scaled(parent) or (parent.op in _EXPONENT and index == 1))

    def counts(self, node: Node, parent: Node | None, index: int) -> bool:
        """Whether the node is a whole index, the dividend of a remainder, or an exponent."""
        if parent is not None and parent.op == "%" and index == 0:
            return True
        if node.op in ("%", "if") or _is_condition(node, self.conditions):
            return False
        if parent is None or (parent.op in _EXPONENT and index == 1):
            return True
        return parent.op == "if" and index > 0

    def moved(self, node: Node, parent: Node | None, index: int, by: int) -> str:
        """The node plus ``by``: the last constant of its sum changes, or a new one is added."""
        part, above, place = node, parent, index
        while part.op in _FLIPPED:
            if _is_number(part.args[1]):
                return self.number(part.args[1], part, 1, by)
            part, above, place = part.args[0], part, 0
        if _is_number(part):
            return self.number(part, above, place, by)
        body = self.text[node.start : node.end]
        if _tightness(node) < _TIGHTNESS["+"]:
            body = f"({body})"
        body += f" + {by}" if by > 0 else f" - {-by}"
        loose = self.loose(parent) or self.enclosed(node)
        return self.put(node, body if loose else f"({body})")

    def number(self, node: Node, parent: Node | None, index: int, by: int) -> str:
        """A constant changed; ``x - 1`` becomes ``x - 2``, ``x`` or ``x + 1``."""
        value = int(node.value)
        if parent is not None and parent.op in _FLIPPED and index == 1:
            value = (value if parent.op == "+" else -value) + by
            at = self.token(parent)
            left = self.text[parent.start : at].rstrip()
            gap = " " if self.text[at - 1].isspace() else ""
            sign = "+" if value > 0 else "-"
            if value or _tightness(parent.args[0]) < _ATOM:
                return self.put(parent, f"{left}{gap}{sign}{gap}{abs(value)}" if value else left)
            return self.put(parent, left, bare=True)
        value += by
        bare = value >= 0 or self.loose(parent) or self.enclosed(node)
        return self.put(node, str(value) if bare else f"({value})")

    def doubled(self, node: Node, parent: Node | None, index: int) -> str:
        tight = parent is not None and (
            _tightness(parent) in (_TIGHTNESS["neg"], _TIGHTNESS["**"])
            or (parent.op in ("//", "%") and index == 1)
        )
        body = f"2*{node.value}"
        return self.put(node, f"({body})" if tight and not self.enclosed(node) else body)

    def dividend(self, node: Node, parent: Node | None) -> str:
        left = node.args[0]
        if self.loose(parent) or self.enclosed(node):
            return self.put(node, self.text[left.start : left.end])
        return self.put(node, self.text[node.start : self.token(node)].rstrip())

    def mask(self, node: Node, parent: Node | None) -> str:
        left = self.text[node.start : self.token(node)].rstrip()
        divisor = node.args[1]
        less = moved(self.text[: divisor.end], divisor, -1)[divisor.start :]
        body = f"{left} & {less if re.fullmatch(r'[0-9a-zA-Z_]+', less) else f'({less})'}"
        loose = self.loose(parent) or self.enclosed(node)
        return self.put(node, body if loose else f"({body})")

    def modulo(self, node: Node) -> str:
        left = self.text[node.start : self.token(node)].rstrip()
        if _tightness(node.args[0]) < _TIGHTNESS["*"] and not self.enclosed(node.args[0]):
            left = f"({left})"
        size = node.args[1].args[0]
        body = self.text[size.start : size.end]
        return self.put(node, f"{left} % {body if _tightness(size) > 10 else f'({body})'}")

    # ---- where things stand -----------------------------------------------------------------

    def put(self, node: Node, body: str, bare: bool = False) -> str:
        """The text with a node replaced; ``bare`` also drops parentheses that it stood in."""
        before, after = self.text[: node.start], self.text[node.end :]
        if bare and self.enclosed(node):
            outside = before.rstrip()[:-1]
            if not re.search(r"\w$", outside):
                return outside + body + after.lstrip()[1:]
        return before + body + after

    def token(self, node: Node) -> int:
        """Where the operator between a node's two operands stands."""
        at = node.args[0].end
        while self.text[at] in " \t\n)":
            at += 1
        return at

    def loose(self, parent: Node | None) -> bool:
        """Whether what stands around an argument of ``parent`` binds looser than arithmetic."""
        return parent is None or parent.op in (*_CONDITIONS, "if") or parent.op in HELPERS

    def enclosed(self, node: Node) -> bool:
        """Whether the node stands in parentheses of its own, or those of a call."""
        before, after = self.text[: node.start].rstrip(), self.text[node.end :].lstrip()
        return before.endswith("(") and after.startswith(")")


def _scales(parent: Node | None, index: int) -> bool:
    if parent is None:
        return False
    return parent.op in ("*", "**") or (parent.op in ("//", "%") and index == 1)


def _scaled(parent: Node) -> bool:
    return parent.op == "*" and any(_is_number(a) for a in parent.args)
