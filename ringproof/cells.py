"""The cells that a row is read for: opened variable by variable, closed by guards.

A cell is one choice of every variable of a row, such as (rank, step).  Whatever the row says is then
evaluated over all cells at once, and an undefined value is an error only in a cell that stays open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ringproof.problem import ExpansionError, Problem, first_undefined
from ringproof.table.arrays import unique
from ringproof.table.columns import Column, Columns, column
from ringproof.table.expr import Divisors, Expr, Items, Range
from ringproof.table.integers import Undefined, divisors
from ringproof.table.schedule import Loop, Names, Schedule
from ringproof.verdict import Route, Size

Array = np.ndarray[Any, np.dtype[Any]]
BYTES_PER_EVENT = 96  # seven columns, their copies while sorting, and the replay's own


class Unrolling:
    """One table at one size: what is given, how much memory there is, and what went wrong."""

    def __init__(self, schedule: Schedule, size: Size, memory: float) -> None:
        self.schedule, self.size, self.memory = schedule, size, memory
        self.environment = schedule.environment(size)
        self.problems: list[Problem] = []
        self.reversed: list[tuple[Route, int, int]] = []
        self.kept: dict[Route, Any] = {}  # used tables that are unrolled already
        self.inputs = {"N": column(size.N), **{k: column(v) for k, v in size.params}}

    def count(self, expr: Expr, route: Route, least: int = 0) -> int:
        """A count of the table at this size, or a problem."""
        try:
            value = self.environment.integer(expr)
        except Undefined as error:
            self.problems.append(Problem.undefined(error, self.size, {}))
            return least
        if value < least:
            self.problems.append(Problem("bad-size", self.size, route, facts={"value": value}))
            return least
        return value

    def stop_on_problems(self) -> None:
        """Errors: `ExpansionError` with everything wrong so far."""
        if self.problems:
            raise ExpansionError(tuple(self.problems))

    def reserve(self, events: float, route: Route = ()) -> None:
        """Errors: `ExpansionError` when so many events would not fit in memory; ``route`` asks."""
        need = events * BYTES_PER_EVENT
        if need > self.memory:
            facts = {"need": need, "memory": self.memory}
            raise ExpansionError((Problem("memory", self.size, route, facts=facts),))


class Cells:
    """The open cells of one row; ``values``: variable -> its value in every cell, int64."""

    def __init__(self, whole: Unrolling, values: Mapping[str, Array], names: Names) -> None:
        self.whole, self.written = whole, names
        self.values = dict(values)
        self.refresh()

    def refresh(self) -> None:
        """Forget computed names: the cells have changed."""
        given = {k: column(v) for k, v in self.values.items()}
        self.names = Columns({**self.whole.inputs, **given}, self.written)

    def count(self) -> int:
        return len(next(iter(self.values.values())))

    def narrow(self, guards: Sequence[tuple[int, Expr]], loops: Sequence[Loop]) -> bool:
        """Open every loop and close by every guard, each guard as early as it can be read.

        False after a problem: something has no value in a cell that was still open.
        """
        opened = 0
        late: list[Expr] = []
        for after, guard in guards:
            while opened < after:
                if not self.open(loops[opened]):
                    return False
                opened += 1
            if opened == len(loops):
                if not all(self.close(g) for g in (*late, guard)):
                    return False
                late = []
            elif self.narrow_early(guard):
                late.append(guard)
        return all(self.open(loop) for loop in loops[opened:]) and all(map(self.close, late))

    def narrow_early(self, guard: Expr) -> bool:
        """Drop the cells where a guard is false before every loop is open.

        True if it has no value somewhere: that is an error only if a later range is not empty there.
        """
        if _always(guard) or not self.count():
            return False
        found = self.names.value(guard)
        undefined = np.broadcast_to(np.asarray(found.undefined), (self.count(),))
        self.keep(np.broadcast_to(np.asarray(found.values), (self.count(),)) | undefined)
        return bool(undefined.any())

    def keep(self, chosen: Array) -> None:
        """Drop all other cells."""
        if not chosen.all():
            self.values = {name: values[chosen] for name, values in self.values.items()}
            self.refresh()

    def defined(self, expr: Expr) -> Array | None:
        """The values of ``expr`` on all open cells; None, and a problem, if one has no value."""
        if not self.count():
            return np.zeros(0, dtype=np.int64)
        found = self.names.value(expr)
        if self.broken(found, expr):
            return None
        return np.broadcast_to(np.asarray(found.values), (self.count(),))

    def broken(self, found: Column, expr: Expr) -> bool:
        if found.undefined is False or not np.any(found.undefined):
            return False
        at = 0 if found.undefined is True else int(np.argmax(found.undefined))
        self.problem(first_undefined(expr, self.whole.size, self.cell(at), self.written))
        return True

    def cell(self, at: int) -> dict[str, int]:
        """One cell, by the names of its variables."""
        return {name: int(values[at]) for name, values in self.values.items()}

    def problem(self, found: Problem) -> None:
        """Report a problem, once."""
        if found not in self.whole.problems:
            self.whole.problems.append(found)

    def close(self, guard: Expr) -> bool:
        """Keep the cells where ``guard`` holds; False, and a problem, where it has no value."""
        if _always(guard):
            return True
        keep = self.defined(guard)
        if keep is None:
            return False
        self.keep(keep)
        return True

    def open(self, loop: Loop) -> bool:
        """One more variable: every open cell once for each of its values."""
        pieces = [self.piece(item) for item in loop.items]
        if any(p is None for p in pieces):
            return False
        nothing = np.zeros(0, dtype=np.int64)
        parents = np.concatenate([nothing, *(p[0] for p in pieces if p is not None)])
        values = np.concatenate([nothing, *(p[1] for p in pieces if p is not None)])
        if len(pieces) > 1:
            order = np.argsort(parents, kind="stable")
            parents, values = parents[order], values[order]
        self.values = {name: kept[parents] for name, kept in self.values.items()}
        self.values[loop.name] = values
        self.refresh()
        return True

    def piece(self, item: Items) -> tuple[Array, Array] | None:
        """Parents and values that one range, divisor list or value adds."""
        parents = np.arange(self.count())
        match item:
            case Divisors(of):
                found = self.defined(of)
                if found is None or not self.divisible(found, of):
                    return None
                lists = {int(v): divisors(int(v)) for v in unique(found)}
                counts = np.array([len(lists[int(v)]) for v in found], dtype=np.int64)
                self.whole.reserve(int(counts.sum()))
                flat = [d for v in found for d in lists[int(v)]]
                return np.repeat(parents, counts), np.array(flat, dtype=np.int64)
            case Range(lo, hi):
                first, last = self.defined(lo), self.defined(hi)
                if first is None or last is None:
                    return None
                self.warn(item, first, last)
                counts = np.maximum(last - first + 1, 0)
                self.whole.reserve(int(counts.sum(dtype=float)))
                parents = np.repeat(parents, counts)
                before = np.cumsum(counts) - counts
                return parents, first[parents] + np.arange(len(parents)) - before[parents]
            case Expr():
                found = self.defined(item)
                return None if found is None else (parents, found)

    def divisible(self, values: Array, of: Expr) -> bool:
        bad = (values < 1) | (values >= 1 << 40)
        if not bad.any():
            return True
        at = int(np.argmax(bad))
        try:
            divisors(int(values[at]))
        except Undefined as error:
            error.node, error.expr = of.node, of
            self.problem(Problem.undefined(error, self.whole.size, self.cell(at)))
        return False

    def warn(self, item: Range, first: Array, last: Array) -> None:
        reversed_cells = last < first - 1
        if reversed_cells.any():
            at = int(np.argmax(reversed_cells))
            self.whole.reversed.append((item.lo.route, int(first[at]), int(last[at])))


def _always(guard: Expr) -> bool:
    return guard.node.op == "const" and guard.node.value is True
