"""What happens before what, and which accesses to one cell are left without an order: data races.

A step happens before another if program order, a message, or a raised flag says so, or a chain of
these.  Threadblocks touch each other by nothing else, so two accesses to one cell are ordered in every
execution, or there are executions with each of the two first.

Accesses to a cell by several threadblocks are always on one GPU, yet the chain that orders them may
lead over others.  A clock per threadblock holds, for every threadblock that matters, how many of its
steps have happened before; clocks travel with messages and flags.  Along one order it is enough to ask
of every access whether the last write of its cell happened before it, and of every write also the reads
since: if all did, every conflicting pair is ordered by a chain of them.  That is one pass over the
steps, with one row of numbers a step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.program.execute import Execution
from ringproof.program.memory import Memory
from ringproof.program.replay import Cell, Operands
from ringproof.program.steps import Steps

Row = np.ndarray[Any, np.dtype[Any]]
MOST_RACES = 10_000


@dataclass(frozen=True, slots=True)
class Race:
    """Two steps that touch a cell, at least one of them writing, and no order between them.

    ``first`` comes first in the order that was run, and is ``second`` where a step is at odds with
    itself, for it reads and writes overlapping cells.
    """

    first: int
    second: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Access:
    """One step's use of one cell: it reads it, writes it, or both (first reads, then writes)."""

    step: int
    reads: bool
    writes: bool


@dataclass(frozen=True, slots=True)
class Before:
    """Which of some chosen steps happened before each other, as their clocks say."""

    steps: Steps
    column: dict[int, int]
    rows: dict[int, Row]

    def __call__(self, a: int, b: int) -> bool:
        """Whether ``a`` happens before ``b`` in every execution."""
        tb_of = self.steps.tb_of
        if tb_of[a] == tb_of[b]:
            return a < b
        return bool(self.rows[b][self.column[tb_of[a]]] > self.steps.number(a))


def clocks(steps: Steps, run: Execution, tbs: Collection[int]) -> Iterator[tuple[int, Row]]:
    """Every step of a run with its clock: how many steps of each of ``tbs`` happened before it."""
    column = {tb: i for i, tb in enumerate(tbs)}
    longest = max(np.diff(steps.first), default=0)
    kind = np.int16 if longest < 1 << 15 else np.int32
    now = np.zeros((len(steps.tbs), len(column)), kind)
    users = Counter(raiser for raiser in steps.raiser if raiser >= 0)
    flags: dict[int, Row] = {}
    messages: dict[int, Row] = {}
    for x in run.order:
        tb = steps.tb_of[x]
        row = now[tb]
        if (sender := run.partner[x]) >= 0:
            np.maximum(row, messages.pop(sender), out=row)
        if (raiser := steps.raiser[x]) >= 0:
            np.maximum(row, flags[raiser], out=row)
            users[raiser] -= 1
            if not users[raiser]:
                del flags[raiser]
        yield x, row
        if tb in column:
            row[column[tb]] = steps.number(x) + 1
        if steps.out[x] >= 0:
            messages[x] = row.copy()
        if x in users:
            flags[x] = row.copy()


def before(steps: Steps, run: Execution, chosen: Collection[int]) -> Before:
    """The order among some steps."""
    if not chosen:
        return Before(steps, {}, {})
    tbs = sorted({steps.tb_of[x] for x in chosen})
    column = {tb: i for i, tb in enumerate(tbs)}
    return Before(steps, column, {x: row.copy() for x, row in clocks(steps, run, tbs) if x in chosen})


@dataclass(frozen=True, slots=True)
class Races:
    """``races``: every pair of steps that race, in the order of the run; ``accesses``: who touches the
    cells they race on; ``whole``: false where there are too many races to name them all.
    """

    races: tuple[Race, ...]
    accesses: dict[Cell, list[Access]]
    before: Before
    whole: bool


def races(steps: Steps, at: Operands, memory: Memory, run: Execution) -> Races:
    """Find every pair of steps that race."""
    cells = _racy(steps, at, memory, run)
    accesses = touching(steps, at, run, cells)
    known = before(steps, run, {access.step for found in accesses.values() for access in found})
    pairs: dict[tuple[int, int], list[Cell]] = {}
    for cell in sorted(cells):
        for i, late in enumerate(accesses[cell]):
            for early in accesses[cell][:i]:
                if (early.writes or late.writes) and not known(early.step, late.step):
                    pairs.setdefault((early.step, late.step), []).append(cell)
            if at_odds(steps, at, late.step):
                pairs.setdefault((late.step, late.step), []).append(cell)
        if len(pairs) > MOST_RACES:
            break
    place = {x: i for i, x in enumerate(run.order)} if pairs else {}
    ordered = sorted(pairs.items(), key=lambda item: (place[item[0][1]], place[item[0][0]]))
    found = tuple(Race(a, b, tuple(where)) for (a, b), where in ordered)
    return Races(found, accesses, known, len(pairs) <= MOST_RACES)


def touching(
    steps: Steps, at: Operands, run: Execution, cells: Collection[Cell]
) -> dict[Cell, list[Access]]:
    """The accesses to each of some cells, in the order of the run."""
    found: dict[Cell, list[Access]] = {cell: [] for cell in cells}
    for x in run.order:
        rank, writes = at.rank[x], at.writes(steps, x)
        reads = {cell for part in at.reads(steps, x) for cell in part}
        for cell in sorted(reads | set(writes)):
            if (rank, cell) in found:
                found[rank, cell].append(Access(x, cell in reads, cell in writes))
    return found


def at_odds(steps: Steps, at: Operands, x: int) -> bool:
    """Whether a step reads a chunk where it writes another one of the same transfer."""
    step = steps.steps[x]
    if step.op not in ("rrc", "rrcs", "re", "cpy"):
        return False
    return 0 < abs(at.source[x] - at.target[x]) < step.cnt


def _racy(steps: Steps, at: Operands, memory: Memory, run: Execution) -> set[Cell]:
    """The cells on which some pair of accesses has no order."""
    needs = dict(_needs(steps, at, memory, run.order))
    tbs = sorted({steps.tb_of[w] for wanted in needs.values() for w in wanted})
    column = {tb: i for i, tb in enumerate(tbs)}
    found: set[Cell] = set()
    for x, row in clocks(steps, run, tbs) if needs else ():
        for w in needs.get(x, ()):
            if w == x or row[column[steps.tb_of[w]]] <= steps.number(w):
                found |= {(at.rank[x], cell) for cell in _shared(steps, at, w, x)}
    return found


def _shared(steps: Steps, at: Operands, a: int, b: int) -> set[int]:
    """The cells that two steps of one GPU touch and at least one of them writes."""
    (reads, writes), (other_reads, other_writes) = (
        ({cell for part in at.reads(steps, x) for cell in part}, set(at.writes(steps, x))) for x in (a, b)
    )
    return writes & (other_reads | other_writes) | reads & other_writes


def _needs(
    steps: Steps, at: Operands, memory: Memory, order: Iterable[int]
) -> Iterator[tuple[int, set[int]]]:
    """For every step the earlier ones of other threadblocks that must happen before it, where any."""
    written = [[-1] * memory.cells for _ in memory.bases]
    readers: list[dict[int, dict[int, int]]] = [{} for _ in memory.bases]
    for x in order:
        tb, rank = steps.tb_of[x], at.rank[x]
        last, reading = written[rank], readers[rank]
        need: set[int] = set()
        for part in at.reads(steps, x):
            need.update(last[part.start : part.stop])
            for cell in part:
                if (known := reading.get(cell)) is None:
                    reading[cell] = {tb: x}
                else:
                    known[tb] = x
        cells = at.writes(steps, x)
        need.update(last[cells.start : cells.stop])
        for cell in cells:
            need.update(reading.pop(cell, {}).values())
        last[cells.start : cells.stop] = [x] * len(cells)
        others = {w for w in need if w >= 0 and steps.tb_of[w] != tb}
        if at_odds(steps, at, x):
            others.add(x)
        if others:
            yield x, others
