"""What a program does, cell by cell, in one order that stands for all.

A right program does the same in every interleaving (`program.decide`), so one order says what its steps
mean: every send reads, every receive and every local operation writes, at its place in that order.  Cells
become slots of a table:

- In place a cell of the whole vector is the slot of the same number.
- Out of place a cell of the output is the slot that it ends as.  An input cell is the same slot where it
  is never used again once that output cell was written, in an order that writes output as late as it
  can (`order_of`); otherwise it is a spare slot, filled first of all.
- Scratch, and whatever else there is, are slots beyond the chunks.

`rrs` stores nothing: its sum is built in its local operand where nobody wants that any more, else in a
spare slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

from ringproof.program.decide import Outcome
from ringproof.program.model import RECEIVES, SENDS, WRITES
from ringproof.program.steps import NOTHING
from ringproof.program.world import World

Slot = tuple[int, int]  # rank, slot


@dataclass(frozen=True, slots=True)
class Atom:
    """One end of a message, or a local operation, on consecutive pairs of ``reads`` and ``writes``.

    ``message``: which one is sent (it only reads) or received (it only writes), -1 for a local operation.
    """

    reads: tuple[Slot, ...] = ()
    writes: tuple[Slot, ...] = ()
    reduce: bool = False
    message: int = -1


@dataclass(frozen=True, slots=True)
class Atoms:
    """``atoms`` in order; ``used``: for every rank how many slots it has so far, ``whole`` of them chunks."""

    atoms: tuple[Atom, ...]
    used: tuple[int, ...]
    whole: int


def atoms_of(outcome: Outcome) -> Atoms:
    """One case of a program that was found right."""
    return _Reading(outcome.world).atoms()


def order_of(world: World) -> tuple[int, ...]:
    """An order of the steps in which, whenever another step can run, none that writes output does.

    Every order that keeps program order, messages and flags is one that can happen.
    """
    steps, run = world.steps, world.run
    before: list[int] = [0] * len(steps.steps)
    after: list[list[int]] = [[] for _ in steps.steps]
    for x in range(len(before)):
        first = steps.number(x) == 0
        for other in {run.partner[x], steps.raiser[x], -1 if first else x - 1} - {NOTHING}:
            after[other].append(x)
            before[x] += 1
    late = [step.dstbuf == "o" and step.op in WRITES for step in steps.steps]
    ready = [(late[x], x) for x, count in enumerate(before) if not count]
    heapify(ready)
    found = []
    while ready:
        _, x = heappop(ready)
        found.append(x)
        for other in after[x]:
            before[other] -= 1
            if not before[other]:
                heappush(ready, (late[other], other))
    return tuple(found)


class _Reading:
    """The slots of every rank's cells, and what is alive after each step."""

    def __init__(self, world: World) -> None:
        self.world = world
        apart = world.memory.case == "out of place"
        self.order = order_of(world) if apart else world.run.order
        self.whole = world.memory.whole
        self.used = [self.whole] * len(world.memory.bases)
        self.number: list[dict[int, int]] = [{} for _ in self.used]
        self.first: list[Atom] = []
        self._place()

    def _place(self) -> None:
        """Give every cell that a step touches its slot."""
        layout, inputs = self.world.memory, {}
        for rank, number in enumerate(self.number):
            if layout.case == "in place":
                number.update({cell: cell for cell in range(self.whole)})
                continue
            outputs = {layout.output_cell(rank, c): c for c in range(self.whole)}
            a, b = layout.bases[rank][1], layout.bases[rank][2]
            number.update({cell: c for cell, c in outputs.items() if a <= cell < b})
            inputs[rank] = {layout.input_cell(rank, c): c for c in range(self.whole)}
            inputs[rank] = {cell: c for cell, c in inputs[rank].items() if 0 <= cell < a}
        if inputs:
            self._inputs(inputs)

    def _inputs(self, inputs: dict[int, dict[int, int]]) -> None:
        """An input cell shares the slot of its output unless it is used after that was written."""
        steps, at, apart = self.world.steps, self.world.at, set[Slot]()
        written: set[Slot] = set()
        for x in self.order:
            rank, wrote = at.rank[x], at.writes(steps, x)
            touched = [*(cell for part in at.reads(steps, x) for cell in part), *wrote]
            apart |= {(rank, cell) for cell in touched if (rank, inputs[rank].get(cell, -1)) in written}
            apart |= {(rank, cell) for cell in wrote if cell in inputs[rank]}
            written |= {(rank, c) for cell in wrote if (c := self.number[rank].get(cell)) is not None}
        for rank, cells in inputs.items():
            for cell, c in cells.items():
                if (rank, cell) not in apart:
                    self.number[rank][cell] = c
                elif (rank, cell) in self.world.held:
                    self.first.append(Atom(((rank, c),), ((rank, self.slot(rank, cell)),)))

    def slot(self, rank: int, cell: int) -> int:
        """The slot of a cell, a new one where it has none."""
        found = self.number[rank].get(cell)
        if found is None:
            found = self.number[rank][cell] = self.used[rank]
            self.used[rank] += 1
        return found

    def slots(self, x: int, start: int) -> tuple[Slot, ...]:
        """The slots of a step's operand."""
        rank, count = self.world.at.rank[x], self.world.steps.steps[x].cnt
        return tuple((rank, self.slot(rank, cell)) for cell in range(start, start + count))

    def spare(self, x: int) -> tuple[Slot, ...]:
        """New slots for as many chunks as a step has."""
        rank, count = self.world.at.rank[x], self.world.steps.steps[x].cnt
        self.used[rank] += count
        return tuple((rank, slot) for slot in range(self.used[rank] - count, self.used[rank]))

    def atoms(self) -> Atoms:
        """Every step in the order that was run."""
        dead = self._dead()
        found = [*self.first]
        for x in self.order:
            found += self._step(x, x in dead)
        return Atoms(tuple(found), tuple(self.used), self.whole)

    def _step(self, x: int, dead: bool) -> Iterator[Atom]:
        op = self.world.steps.steps[x].op
        if op == "nop":
            return
        source, target = self._operands(x)
        if op in ("cpy", "re"):
            yield from _local(source, target, op == "re")
            return
        if op in RECEIVES:
            if op == "rrs":
                target = source if dead else self.spare(x)
            adds = op not in ("r", "rcs")
            if adds:
                yield from _local(source, target, False)
            yield Atom((), target, adds, self.world.run.partner[x])
        if op in SENDS:
            yield Atom(source if op == "s" else target, message=x)

    def _operands(self, x: int) -> tuple[tuple[Slot, ...], tuple[Slot, ...]]:
        op, at = self.world.steps.steps[x].op, self.world.at
        source = self.slots(x, at.source[x]) if op not in ("r", "rcs") else ()
        target = self.slots(x, at.target[x]) if op not in ("s", "rrs") else ()
        return source, target

    def _dead(self) -> set[int]:
        """The `rrs` whose local operand nobody reads any more, found by going backwards."""
        alive = {(w.rank, w.slot) for w in self.world.promised}
        found = set()
        for x in reversed(self.order):
            op = self.world.steps.steps[x].op
            if op == "nop":
                continue
            source, target = self._operands(x)
            if op == "rrs" and alive.isdisjoint(source):
                found.add(x)
            alive.difference_update(target)
            alive.update(source)
            if op == "re":
                alive.update(target)
        return found


def _local(source: Sequence[Slot], target: Sequence[Slot], reduce: bool) -> Iterator[Atom]:
    """A local operation, without the chunks that would be copied onto themselves."""
    pairs = [(a, b) for a, b in zip(source, target, strict=True) if reduce or a != b]
    if pairs:
        reads, writes = zip(*pairs, strict=True)
        yield Atom(reads, writes, reduce)


def split(atoms: Atoms, messages: set[int]) -> Atoms:
    """Let some messages land in new slots as they are sent, and bring them to place as they are received."""
    used, found = list(atoms.used), []
    receivers = {a.message: a.writes for a in atoms.atoms if a.writes and a.message in messages}
    landed: dict[int, tuple[Slot, ...]] = {}
    for atom in atoms.atoms:
        if atom.message not in messages:
            found.append(atom)
        elif not atom.writes:
            rank, count = receivers[atom.message][0][0], len(atom.reads)
            landed[atom.message] = tuple((rank, used[rank] + i) for i in range(count))
            used[rank] += count
            found += [atom, Atom((), landed[atom.message], False, atom.message)]
        else:
            found.append(replace(atom, reads=landed[atom.message], message=-1))
    return Atoms(tuple(found), tuple(used), atoms.whole)
