"""A schedule as its table states it: frozen values, every expression parsed and checked.

`ringproof.table.reader` makes one from plain values; `ringproof.events` expands it at one size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ringproof.table.expr import Divisors, Expr, Items, Range
from ringproof.table.integers import MOST_VALUES, Environment, too_many
from ringproof.verdict import Route, Size, Used

Names = Mapping[str, Expr]


@dataclass(frozen=True, slots=True)
class Loop:
    """A variable and what it runs over: a `for` of a row or a parameter of the table."""

    name: str
    items: tuple[Items, ...]
    route: Route


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table, read for every rank ``r`` and every step ``s`` of its phase.

    ``loops`` are ordered so that each uses only earlier ones.  ``guards`` are the conjuncts of
    ``when`` in order, each with the number of loops that must be open before it can be read.
    ``names`` are all `let` names in scope.
    """

    route: Route
    push: bool
    peer: Expr
    chunk: Expr
    into: Expr
    reduce: bool
    guards: tuple[tuple[int, Expr], ...]
    loops: tuple[Loop, ...]
    names: Names


@dataclass(frozen=True, slots=True)
class Send:
    """One send written out."""

    route: Route
    step: int
    sender: int
    receiver: int
    chunk: int
    into: int
    reduce: bool


@dataclass(frozen=True, slots=True)
class Promise:
    """A collective and the two choices it leaves open; ``owner`` is None for the usual blocks."""

    route: Route
    collective: str
    owner: Expr | None
    root: Expr
    names: Names


@dataclass(frozen=True, slots=True)
class Use:
    """Another table whose sends a phase takes over, read once for every group of ranks.

    Rank r is member number ``rank`` of group number ``group`` where ``when`` holds.  Chunk c of the
    used table stands for the slots ``chunk`` (over c, ``group`` and ``loops``) of this one.
    ``schedule`` is the used table, its routes within this one; ``params`` its parameters.
    """

    route: Route
    schedule: Schedule
    group: Expr
    rank: Expr
    when: Expr
    chunk: Expr
    loops: tuple[Loop, ...]
    params: Names
    names: Names


@dataclass(frozen=True, slots=True)
class Phase:
    """``steps`` consecutive steps and the rows that send in them, or the table it uses."""

    route: Route
    name: str
    steps: Expr
    rows: tuple[Row, ...]
    sends: tuple[Send, ...]
    ensures: Promise | None
    names: Names
    use: Use | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A count that the table states: ``what`` is compared with ``value`` by ``relation``."""

    route: Route
    what: str
    relation: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Schedule:
    """A whole table; ``names`` are its top-level `let` names, ``root`` and ``chunks``.

    ``route`` is where it stands when another table uses it; ``used`` are the tables it uses itself.
    """

    name: str
    promise: Promise
    ranks: tuple[int, int]
    chunks: Expr
    scratch: Expr
    where: Expr
    params: tuple[Loop, ...]
    waive: tuple[str, ...]
    optimal: tuple[str, ...]
    claims: tuple[Claim, ...]
    phases: tuple[Phase, ...]
    names: Names
    reference: str = ""
    notes: str = ""
    route: Route = ()
    used: tuple[Used, ...] = ()

    def row(self, route: Route) -> Row | None:
        """The row at a route, in this table or in one that it uses."""
        for phase in self.phases:
            if phase.use and (found := phase.use.schedule.row(route)):
                return found
            for row in phase.rows:
                if row.route == route:
                    return row
        return None

    def environment(self, size: Size) -> Environment:
        """The names that exist once a size is chosen, as Python integers."""
        return Environment({"N": size.N, **dict(size.params)}, self.names)

    def claimed(self) -> Iterator[Size]:
        """Every size the table claims, ascending; errors: `Undefined` from ``where``, ``params``."""
        for N in range(self.ranks[0], self.ranks[1] + 1):
            yield from self.at(N)

    def at(self, N: int) -> Iterator[Size]:
        """The claimed sizes with N ranks: every combination of parameters that ``where`` admits.

        Errors: `Undefined`, also when there are more than can be checked one by one.
        """
        sizes = [Size(N)]
        for loop in self.params:
            combined: list[Size] = []
            for size in sizes:
                for value in dict.fromkeys(self.environment(size).items(loop.items)):
                    combined.append(Size(N, (*size.params, (loop.name, value))))
                if len(combined) > MOST_VALUES:
                    item = loop.items[0]
                    end = item.lo if isinstance(item, Range) else item
                    first = end.of if isinstance(end, Divisors) else end
                    raise too_many("all combinations of the params", first)
            sizes = combined
        yield from (s for s in sizes if self.environment(s).value(self.where))
