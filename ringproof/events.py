"""Schedule x size -> events: every send of a table at one size, as numpy columns.

This is the one place where a table is unrolled; replay, proof, trace and figures all read its
columns, so they cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.cells import Cells, Unrolling
from ringproof.compose import composed, length
from ringproof.contract import Contract, contract
from ringproof.problem import GIB, Problem
from ringproof.table.schedule import Phase, Row, Schedule
from ringproof.verdict import Route, Size

Array = np.ndarray[Any, np.dtype[Any]]
Columns = tuple[Array, ...]


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
    whole = Unrolling(schedule, size, memory)
    chunks, scratch = _slots(whole)
    whole.stop_on_problems()
    whole.reserve(size.N * (chunks + scratch), _largest(whole, chunks, scratch))
    lengths = _lengths(whole)
    whole.stop_on_problems()
    starts = [0, *np.cumsum(lengths, dtype=int).tolist()]
    routes, parts = _parts(whole, starts)
    whole.stop_on_problems()
    promised = contract(schedule.promise, whole.environment, size, chunks, whole.problems)
    ensures = tuple(
        Ensured(start, phase.ensures.route,
                contract(phase.ensures, whole.environment, size, chunks, whole.problems))
        for phase, start in zip(schedule.phases, starts[1:], strict=True) if phase.ensures
    )  # fmt: skip
    whole.stop_on_problems()
    step, sender, receiver, chunk, into, reduce, row = _merged(parts)
    steps = max(starts[-1], int(step[-1]) + 1 if step.size else 0)
    return Events(
        size, chunks, chunks + scratch, steps, step, sender, receiver, chunk, into,
        reduce.astype(bool, copy=False), row, tuple(routes),
        np.searchsorted(step, np.arange(steps + 1)), tuple(starts[:-1]), promised, ensures,
        tuple(whole.reversed),
    )  # fmt: skip


def reserve(schedule: Schedule, size: Size, memory: float) -> None:
    """Refuse, before anything is allocated, a size whose cells alone would not fit.

    Errors: `ExpansionError` that says how much it would need.
    """
    whole = Unrolling(schedule, size, memory)
    chunks, scratch = _slots(whole)
    if not whole.problems:
        whole.reserve(size.N * (chunks + scratch), _largest(whole, chunks, scratch))
        _lengths(whole)


def _largest(whole: Unrolling, chunks: int, scratch: int) -> Route:
    """What asks for so many slots: the table's own number, or else the number of ranks."""
    if max(chunks, scratch) <= 64 * whole.size.N:
        return ()
    return (*whole.schedule.route, "scratch" if scratch > chunks else "chunks")


def _slots(whole: Unrolling) -> tuple[int, int]:
    """Chunks and scratch slots."""
    chunks = whole.count(whole.schedule.chunks, (*whole.schedule.route, "chunks"), least=1)
    return chunks, whole.count(whole.schedule.scratch, (*whole.schedule.route, "scratch"))


def _lengths(whole: Unrolling) -> list[int]:
    """The steps of every phase, once their cells are known to fit in memory."""
    lengths, cells = [], 0
    for phase in whole.schedule.phases:
        steps = length(phase.use, whole) if phase.use else whole.count(
            phase.steps, (*phase.route, "steps"))  # fmt: skip
        lengths.append(steps)
        cells += whole.size.N * steps * len(phase.rows)
    whole.reserve(max(cells, sum(lengths)))
    return lengths


def _parts(whole: Unrolling, starts: list[int]) -> tuple[list[Route], list[Columns]]:
    """Seven columns for each row, from step to row, and the route of each row."""
    routes: list[Route] = []
    parts: list[Columns] = []
    for phase, start, end in zip(whole.schedule.phases, starts, starts[1:], strict=False):
        for route, columns in _phase(whole, phase, end - start):
            step = columns[0] + start if start else columns[0]
            row = np.broadcast_to(np.int64(len(routes)), step.shape)
            parts.append((step, *columns[1:], row))
            routes.append(route)
    return routes, parts


def _phase(whole: Unrolling, phase: Phase, steps: int) -> Iterator[tuple[Route, Columns]]:
    """Six columns for each row, from step to reduce; steps counted within the phase."""
    if phase.use:
        yield from composed(phase.use, whole)
    for row in phase.rows:
        found = _row(whole, row, steps)
        if found is not None:
            yield row.route, found
    for send in phase.sends:
        if send.step >= steps:
            facts = {"value": send.step, "steps": steps}
            problem = Problem("bad-size", whole.size, (*send.route, "step"), facts=facts)
            whole.problems.append(problem)
        values = (send.step, send.sender, send.receiver, send.chunk, send.into, send.reduce)
        yield send.route, tuple(np.array([v]) for v in values)


def _row(whole: Unrolling, row: Row, steps: int) -> Columns | None:
    """Step, sender, receiver, chunk, into, reduce of every send; None after a problem."""
    N = whole.size.N
    grid = {"r": np.tile(np.arange(N), steps), "s": np.repeat(np.arange(steps), N)}
    cells = Cells(whole, grid, row.names)
    if not cells.narrow(row.guards, row.loops):
        return None
    peer, chunk, into = (cells.defined(e) for e in (row.peer, row.chunk, row.into))
    if peer is None or chunk is None or into is None:
        return None
    r = cells.values["r"]
    ends = (r, peer) if row.push else (peer, r)
    return cells.values["s"], *ends, chunk, into, np.full(cells.count(), row.reduce)


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
