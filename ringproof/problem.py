"""What can go wrong when a table is unrolled at one size, as data; `diagnose` has the words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ringproof.table.expr import Expr
from ringproof.table.integers import Environment, Undefined
from ringproof.table.schedule import Names
from ringproof.verdict import Route, Size

GIB = float(1 << 30)


@dataclass(frozen=True, slots=True)
class Problem:
    """``part`` is a range of characters in the expression at ``route``; ``facts`` name the cell."""

    kind: Literal["undefined", "bad-size", "memory", "composition"]
    size: Size
    route: Route
    part: tuple[int, int] | None = None
    reason: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def undefined(error: Undefined, size: Size, cell: Mapping[str, int]) -> Problem:
        """The problem that `Undefined` stands for, met in ``cell``."""
        route = error.expr.route if error.expr else ()
        part = (error.node.start, error.node.end) if error.node else None
        return Problem("undefined", size, route, part, error.reason, dict(cell))


class ExpansionError(Exception):
    """A table that cannot be unrolled at one size."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(str(problems))
        self.problems = problems


class EnginesDisagree(Exception):
    """Two readings of the same table differ: a bug in ringproof, never in the table."""


def first_undefined(expr: Expr, size: Size, cell: Mapping[str, int], names: Names) -> Problem:
    """Which operation has no value in ``cell``, found by the exact reading of the expression."""
    environment = Environment({"N": size.N, **dict(size.params), **cell}, names)
    try:
        environment.value(expr)
    except Undefined as error:
        return Problem.undefined(error, size, cell)
    raise EnginesDisagree(f"{expr.text!r} at {size}, {dict(cell)}: columns say undefined")
