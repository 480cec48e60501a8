"""The tree of an expression: what `ringproof.table.expr` makes of a text and every reading walks.

A node keeps its place in the text, so that whatever is wrong with a value ends up under the token
that it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ringproof.verdict import Route

Kind = Literal["integer", "condition", "fraction", "unknown"]

LIMIT = 1 << 62  # every value stays strictly inside (-LIMIT, LIMIT)


@dataclass(frozen=True, slots=True)
class Node:
    """One operation; ``start`` and ``end`` are its half-open range in the expression's text."""

    op: str
    args: tuple[Node, ...]
    start: int
    end: int
    value: int | bool | str = 0


@dataclass(frozen=True, slots=True)
class Expr:
    """A parsed expression and the route of the value it was read from."""

    text: str
    node: Node
    route: Route

    def names(self) -> frozenset[str]:
        """The names it uses, helpers excluded."""
        return frozenset(str(n.value) for n in walk(self.node) if n.op == "name")


@dataclass(frozen=True, slots=True)
class Range:
    """``lo..hi``: both ends included; ``hi = lo - 1`` is empty."""

    lo: Expr
    hi: Expr


@dataclass(frozen=True, slots=True)
class Divisors:
    """``divisors(x)``: every positive divisor of x, ascending."""

    of: Expr


Items = Range | Divisors | Expr


class ExprError(Exception):
    """Text that is not an expression; ``start`` and ``end`` are the part at fault.

    ``more`` are the further errors of the same text.
    """

    def __init__(
        self, code: str, title: str, start: int, end: int, hint: str = "",
        more: tuple[ExprError, ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(title)
        self.code, self.title, self.start, self.end, self.hint = code, title, start, end, hint
        self.more = more


def walk(node: Node) -> Iterator[Node]:
    """Every node of a tree, parents first."""
    yield node
    for arg in node.args:
        yield from walk(arg)


def joined(errors: Sequence[ExprError]) -> ExprError:
    """The first of several errors of one text, carrying the others."""
    first, *others = errors
    return ExprError(first.code, first.title, first.start, first.end, first.hint, tuple(others))


def constant(value: int | bool, route: Route = ()) -> Expr:
    """A number or truth value that the table wrote without quotes, or that is a default."""
    text = str(value)
    return Expr(text, Node("const", (), 0, len(text), value), route)


def unread(text: str, route: Route) -> Expr:
    """What stands in for text that could not be read: it fits everywhere, and has no value."""
    return Expr(text, Node("unread", (), 0, len(text)), route)
