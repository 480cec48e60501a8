"""Which races matter: what each racing read and each cell's end can be, over all orders.

In any order a read gets what the last write before it wrote.  That write is one that the read has no
order with, or one that happens before it with no other write of the cell between; where no write
happens before it, it may also be the cell's first content.  These candidates are all there are.  If
every one of them wrote what the read got in the order that was run, then by induction along any other
order every read gets the same there, every step computes the same, and the races are harmless.  The
content of a cell at the end has candidates too: the writes with no other write after them.

Where candidates differ, the read's value is left open, and with it all that is computed from it; the
order is run again with that value unknown, until no more values turn out open.  What is not open then
is the same in all orders.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from ringproof.program.execute import Execution
from ringproof.program.order import Access, Races, at_odds
from ringproof.program.replay import Cell, Machine
from ringproof.program.steps import NOTHING, Steps
from ringproof.program.terms import UNKNOWN, UNSET

END = -3
Values = dict[tuple[int, Cell], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Clash:
    """A read (END: the end) of a cell that may find what ``write`` wrote (NOTHING: its first content),
    the term ``may``, and finds ``got`` in the order that was run.
    """

    write: int
    read: int
    cell: Cell
    got: int
    may: int

    @property
    def unset(self) -> bool:
        """Whether the read finds the cell unset, or may."""
        return UNSET in (self.may, self.got) and self.read != END


@dataclass(frozen=True, slots=True)
class Judged:
    """``machine``: the end of the run, open values UNKNOWN; ``clashes``: why, in the order of the run."""

    machine: Machine
    clashes: tuple[Clash, ...]


def judge(steps: Steps, run: Execution, found: Races, fresh: Callable[[], Machine]) -> Judged:
    """Run a program with what its races leave open unknown; ``fresh`` makes a machine at its start."""
    clashes: dict[tuple[int, int, Cell], Clash] = {}
    while True:
        begin, machine, values = fresh(), fresh(), Values()
        opened = {(clash.read, clash.cell) for clash in clashes.values()}
        watched = _watched(found)
        for x in run.order:
            _step(machine, x, watched.get(x, ()), opened, values)
        for read, (rank, at) in opened:
            if read == END:
                machine.memory[rank][at] = UNKNOWN
        known = len(clashes)
        for cell, accesses in found.accesses.items():
            first = begin.memory[cell[0]][cell[1]]
            for clash in _clashes(machine, found, cell, accesses, values, first):
                clashes.setdefault((clash.write, clash.read, cell), clash)
        if len(clashes) == known:
            return Judged(machine, tuple(clashes.values()))


def _watched(found: Races) -> dict[int, list[Cell]]:
    watched: dict[int, list[Cell]] = {}
    for cell, accesses in found.accesses.items():
        for access in accesses:
            watched.setdefault(access.step, []).append(cell)
    return watched


def _step(
    machine: Machine, x: int, cells: Collection[Cell], opened: Collection[tuple[int, Cell]], values: Values
) -> None:
    """Run one step; of the cells that are raced on note what it found and what it left."""
    before = {}
    for rank, cell in cells:
        before[rank, cell] = machine.memory[rank][cell]
        if (x, (rank, cell)) in opened:
            machine.memory[rank][cell] = UNKNOWN
    machine.step(x)
    for (rank, cell), term in before.items():
        after = machine.memory[rank][cell]
        if (x, (rank, cell)) in opened and after == UNKNOWN:
            writes = cell in machine.at.writes(machine.steps, x)
            after = machine.memory[rank][cell] = UNKNOWN if writes else term
        values[x, (rank, cell)] = (term, after)


def _clashes(
    machine: Machine, found: Races, cell: Cell, accesses: list[Access], values: Values, first: int
) -> Iterator[Clash]:
    """The reads of one cell, and its end, that another order gives another value."""
    writes = [access.step for access in accesses if access.writes]
    known, terms = found.before, machine.terms
    for access in accesses:
        if access.reads:
            got = values[access.step, cell][0]
            earlier = [w for w in writes if w != access.step and known(w, access.step)]
            free = [w for w in writes if w != access.step and not known(access.step, w) and w not in earlier]
            may = free + [w for w in earlier if not any(known(w, v) for v in earlier if v != w)]
            if access.writes and at_odds(machine.steps, machine.at, access.step):
                may.append(access.step)
            for w in may if earlier else [NOTHING, *may]:
                term = first if w == NOTHING else values[w, cell][1]
                if terms.multiset[term] != terms.multiset[got] or term == UNKNOWN:
                    yield Clash(w, access.step, cell, got, term)
    last = [w for w in writes if not any(known(w, v) for v in writes if v != w)]
    kept = writes[-1]
    end = values[kept, cell][1]
    for w in last:
        term = values[w, cell][1]
        if terms.multiset[term] != terms.multiset[end] or term == UNKNOWN:
            yield Clash(w, END, cell, end, term)


def order_that_shows(steps: Steps, run: Execution, clash: Clash) -> tuple[int, ...]:
    """An order of all steps in which the clashing read gets what ``clash.write`` wrote.

    Everything that must happen before either runs first, then the write, then the read, then the rest;
    where the write happens before the read, what lies between them holds no write of the cell.  No order
    of whole steps shows a step that is at odds with itself.
    """
    write, read = clash.write, clash.read
    if write == read:
        return run.order
    after = _descendants(steps, run, write) if write != NOTHING else set[int]()
    if read == END:
        return _phases(run, lambda x: x in after)
    needed = _ancestors(steps, run, read) | (_ancestors(steps, run, write) if write != NOTHING else set())
    needed |= after & {write}

    def phase(x: int) -> int:
        if x == read:
            return 2
        return 3 if x not in needed else 1 if x in after else 0

    return _phases(run, phase)


def _phases(run: Execution, phase: Callable[[int], int]) -> tuple[int, ...]:
    """The steps of a run by phase; within one, in the order of the run."""
    return tuple(sorted(run.order, key=phase))


def _ancestors(steps: Steps, run: Execution, x: int) -> set[int]:
    """The steps that happen before a step."""
    found: set[int] = set()
    waiting = [x]
    while waiting:
        y = waiting.pop()
        for z in (y - 1 if steps.number(y) else NOTHING, run.partner[y], steps.raiser[y]):
            if z >= 0 and z not in found:
                found.add(z)
                waiting.append(z)
    return found


def _descendants(steps: Steps, run: Execution, x: int) -> set[int]:
    """A step and all that happen after it."""
    found = {x}
    for y in run.order:
        if y not in found:
            earlier = (y - 1 if steps.number(y) else NOTHING, run.partner[y], steps.raiser[y])
            if any(z in found for z in earlier):
                found.add(y)
    return found
