"""Schedule x size -> events: every send of a table at one size, as numpy columns.

This is the one place where a table is unrolled; replay, proof, trace and figures all read its
columns, so they cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.contract import Contract, contract
from ringproof.problem import GIB, ExpansionError, Problem, first_undefined
from ringproof.table.columns import Column, Columns, column
from ringproof.table.expr import Divisors, Expr, Items, Range
from ringproof.table.integers import Undefined, divisors
from ringproof.table.schedule import Loop, Phase, Row, Schedule
from ringproof.verdict import Route, Size

Array = np.ndarray[Any, np.dtype[Any]]
BYTES_PER_EVENT = 96  # seven columns, their copies while sorting, and the replay's own


@dataclass(frozen=True, slots=True)
class Ensured:
    """A phase's own promise, due when ``step`` steps are done."""

    step: int
    route: Route
    contract: Contract


@dataclass(frozen=True, slots=True)
class Events:
    """Every send at one size, ordered by step.

    ``step``, ``sender``, ``receiver``, ``chunk`` (slot read), ``into`` (slot written): int64 of
    length E; ``reduce``: bool, else copy; ``row``: index into ``routes``.  ``bounds[t]`` is the
    first event of step t, with one more entry at the end.  ``starts`` are the first steps of the
    phases.  ``reversed`` holds (route, lo, hi) of ranges with hi < lo - 1.
    """

    size: Size
    chunks: int
    slots: int
    steps: int
    step: Array
    sender: Array
    receiver: Array
    chunk: Array
    into: Array
    reduce: Array
    row: Array
    routes: tuple[Route, ...]
    bounds: Array
    starts: tuple[int, ...]
    contract: Contract
    ensures: tuple[Ensured, ...]
    reversed: tuple[tuple[Route, int, int], ...]

    @property
    def ranks(self) -> int:
        """N."""
        return self.size.N

    @property
    def message(self) -> Array:
        """Which events cross from one rank to another; the rest are local moves."""
        crossing: Array = self.sender != self.receiver
        return crossing

    def phase_of(self, step: int) -> int:
        """The index of the phase that ``step`` belongs to."""
        return max(i for i, start in enumerate(self.starts) if start <= step)


def expand(schedule: Schedule, size: Size, memory: float = 4 * GIB) -> Events:
    """Unroll ``schedule`` at ``size``; errors: `ExpansionError` with everything wrong there."""
    return _Expansion(schedule, size, memory).events()


def reserve(schedule: Schedule, size: Size, memory: float) -> None:
    """Refuse, before anything is allocated, a size whose cells alone would not fit.

    Errors: `ExpansionError` that says how much it would need.
    """
    expansion = _Expansion(schedule, size, memory)
    chunks, scratch, lengths = expansion.counts()
    if not expansion.problems:
        expansion.reserve_grid(chunks + scratch, lengths)


class _Expansion:
    """The unrolling of one table at one size."""

    def __init__(self, schedule: Schedule, size: Size, memory: float) -> None:
        self.schedule, self.size, self.memory = schedule, size, memory
        self.environment = schedule.environment(size)
        self.problems: list[Problem] = []
        self.reversed: list[tuple[Route, int, int]] = []
        self.inputs = {"N": column(size.N), **{k: column(v) for k, v in size.params}}

    def events(self) -> Events:
        schedule = self.schedule
        chunks, scratch, lengths = self.counts()
        self.stop_on_problems()
        self.reserve_grid(chunks + scratch, lengths)
        starts = [0, *np.cumsum(lengths, dtype=int).tolist()]
        parts: list[tuple[Array, ...]] = []
        routes: list[Route] = []
        for phase, start, length in zip(schedule.phases, starts, lengths, strict=False):
            for route, columns in self.phase(phase, length):
                step = columns[0] + start if start else columns[0]
                row = np.broadcast_to(np.int64(len(routes)), step.shape)
                parts.append((step, *columns[1:], row))
                routes.append(route)
        self.stop_on_problems()
        promised = contract(schedule.promise, self.environment, self.size, chunks, self.problems)
        ensures = tuple(
            Ensured(start, p.ensures.route,
                    contract(p.ensures, self.environment, self.size, chunks, self.problems))
            for p, start in zip(schedule.phases, starts[1:], strict=True) if p.ensures
        )  # fmt: skip
        self.stop_on_problems()
        step, sender, receiver, chunk, into, reduce, row = _merged(parts)
        steps = max(starts[-1], int(step[-1]) + 1 if step.size else 0)
        return Events(
            self.size, chunks, chunks + scratch, steps, step, sender, receiver, chunk, into,
            reduce.astype(bool, copy=False), row, tuple(routes),
            np.searchsorted(step, np.arange(steps + 1)), tuple(starts[:-1]),
            promised, ensures, tuple(self.reversed),
        )  # fmt: skip

    def counts(self) -> tuple[int, int, list[int]]:
        """Chunks, scratch slots and the steps of every phase."""
        schedule = self.schedule
        chunks = self.whole(schedule.chunks, ("chunks",), least=1)
        scratch = self.whole(schedule.scratch, ("scratch",))
        return chunks, scratch, [self.whole(p.steps, (*p.route, "steps")) for p in schedule.phases]

    def reserve_grid(self, slots: int, lengths: list[int]) -> None:
        """Every row is read for every rank and step, and every rank has every slot."""
        N, phases = self.size.N, self.schedule.phases
        grid = sum(N * n * len(p.rows) for n, p in zip(lengths, phases, strict=True))
        self.reserve(max(grid, N * slots))

    def whole(self, expr: Expr, route: Route, least: int = 0) -> int:
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
        if self.problems:
            raise ExpansionError(tuple(self.problems))

    def reserve(self, events: int) -> None:
        need = events * BYTES_PER_EVENT
        if need > self.memory:
            facts = {"need": need, "memory": self.memory}
            raise ExpansionError((Problem("memory", self.size, (), facts=facts),))

    def phase(self, phase: Phase, steps: int) -> Iterator[tuple[Route, tuple[Array, ...]]]:
        """Six columns for each row, from step to reduce; steps counted within the phase."""
        for row in phase.rows:
            found = _RowExpansion(self, row, steps).columns()
            if found is not None:
                yield row.route, found
        for send in phase.sends:
            if send.step >= steps:
                facts = {"value": send.step, "steps": steps}
                route = (*send.route, "step")
                self.problems.append(Problem("bad-size", self.size, route, facts=facts))
            values = (send.step, send.sender, send.receiver, send.chunk, send.into, send.reduce)
            yield send.route, tuple(np.array([v]) for v in values)


def _merged(parts: list[tuple[Array, ...]]) -> list[Array]:
    """The columns of all rows as one, ordered by step; rows in one step keep their order."""
    if not parts:
        return [np.zeros(0, dtype=np.int64)] * 7
    columns = [np.concatenate(pieces) for pieces in zip(*parts, strict=True)]
    step = columns[0]
    if (step[1:] < step[:-1]).any():
        order = np.argsort(step, kind="stable")
        columns = [c[order] for c in columns]
    return columns


class _RowExpansion:
    """One row: its cells are opened loop by loop, and closed by each guard as soon as it can be."""

    def __init__(self, whole: _Expansion, row: Row, steps: int) -> None:
        self.whole, self.row = whole, row
        N = whole.size.N
        self.cells = {
            "r": np.tile(np.arange(N), steps),
            "s": np.repeat(np.arange(steps), N),
        }
        self.refresh()

    def refresh(self) -> None:
        """Forget computed names: the cells have changed."""
        cells = {k: column(v) for k, v in self.cells.items()}
        self.names = Columns({**self.whole.inputs, **cells}, self.row.names)

    def count(self) -> int:
        return len(self.cells["r"])

    def columns(self) -> tuple[Array, ...] | None:
        """Step, sender, receiver, chunk, into, reduce of every send; None after a problem."""
        row = self.row
        opened = 0
        for after, guard in row.guards:
            while opened < after:
                if not self.open(row.loops[opened]):
                    return None
                opened += 1
            if not self.close(guard):
                return None
        for loop in row.loops[opened:]:
            if not self.open(loop):
                return None
        peer, chunk, into = (self.defined(e) for e in (row.peer, row.chunk, row.into))
        if peer is None or chunk is None or into is None:
            return None
        r, op = self.cells["r"], np.full(self.count(), row.reduce)
        ends = (r, peer) if row.push else (peer, r)
        return self.cells["s"], *ends, chunk, into, op

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
        cell = {name: int(values[at]) for name, values in self.cells.items()}
        problem = first_undefined(expr, self.whole.size, cell, self.row.names)
        self.whole.problems.append(problem)
        return True

    def close(self, guard: Expr) -> bool:
        """Keep the cells where ``guard`` holds; False, and a problem, where it has no value."""
        if guard.node.op == "const" and guard.node.value is True:
            return True
        keep = self.defined(guard)
        if keep is None:
            return False
        if not keep.all():
            self.cells = {name: values[keep] for name, values in self.cells.items()}
            self.refresh()
        return True

    def open(self, loop: Loop) -> bool:
        """One more variable: every open cell once for each of its values."""
        pieces = [self.piece(item) for item in loop.items]
        if any(p is None for p in pieces):
            return False
        parents = np.concatenate([p[0] for p in pieces if p is not None])
        values = np.concatenate([p[1] for p in pieces if p is not None])
        if len(pieces) > 1:
            order = np.argsort(parents, kind="stable")
            parents, values = parents[order], values[order]
        self.cells = {name: column[parents] for name, column in self.cells.items()}
        self.cells[loop.name] = values
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
                lists = {int(v): divisors(int(v)) for v in np.unique(found)}
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
        if not (values < 1).any() and not (values >= 1 << 40).any():
            return True
        error = Undefined(of.node, "the divisors of a number below 1 or above 2**40")
        error.expr = of
        self.whole.problems.append(Problem.undefined(error, self.whole.size, {}))
        return False

    def warn(self, item: Range, first: Array, last: Array) -> None:
        reversed_cells = last < first - 1
        if reversed_cells.any():
            at = int(np.argmax(reversed_cells))
            self.whole.reversed.append((item.lo.route, int(first[at]), int(last[at])))
