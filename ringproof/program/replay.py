"""What a program computes in one order of its steps, counted exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ringproof.program.memory import Memory
from ringproof.program.model import READS_SOURCE, READS_TARGET, RECEIVES, SENDS, WRITES
from ringproof.program.steps import Steps
from ringproof.program.terms import UNSET, Terms

Cell = tuple[int, int]  # (rank, cell within its GPU)


@dataclass(frozen=True, slots=True)
class Operands:
    """For every step its rank and the first cells of its source and its target."""

    rank: tuple[int, ...]
    source: tuple[int, ...]
    target: tuple[int, ...]

    def reads(self, steps: Steps, x: int) -> Iterable[range]:
        """The cells of its own GPU that a step reads."""
        step = steps.steps[x]
        if step.op in READS_SOURCE:
            yield range(self.source[x], self.source[x] + step.cnt)
        if step.op in READS_TARGET:
            yield range(self.target[x], self.target[x] + step.cnt)

    def writes(self, steps: Steps, x: int) -> range:
        """The cells of its own GPU that a step writes."""
        step = steps.steps[x]
        return range(self.target[x], self.target[x] + (step.cnt if step.op in WRITES else 0))


def operands(steps: Steps, memory: Memory) -> Operands:
    """Where the operands of every step lie in one case."""
    base = {"i": 0, "o": 1, "s": 2}
    rank = tuple(steps.rank_of[tb] for tb in steps.tb_of)
    each = list(zip(rank, steps.steps, strict=True))
    return Operands(
        rank,
        tuple(memory.bases[r][base[step.srcbuf]] + step.srcoff for r, step in each),
        tuple(memory.bases[r][base[step.dstbuf]] + step.dstoff for r, step in each),
    )


@dataclass(slots=True)
class Machine:
    """Memory and messages while steps run; ``unset`` notes every read of a cell that nothing has set.

    ``memory``: for every rank the term in each of its cells.  ``messages``: sends not yet received.
    """

    steps: Steps
    at: Operands
    partner: Sequence[int]
    terms: Terms
    memory: list[list[int]]
    messages: dict[int, list[int]] = field(default_factory=dict)
    unset: list[tuple[int, Cell]] = field(default_factory=list)

    def step(self, x: int) -> None:
        """Run one step."""
        step = self.steps.steps[x]
        op, count = step.op, step.cnt
        if op == "nop":
            return
        cells = self.memory[self.at.rank[x]]
        first, last = self.at.target[x], self.at.target[x] + count
        value = self.messages.pop(self.partner[x]) if op in RECEIVES else []
        if op in READS_SOURCE:
            own = self.read(x, self.at.source[x], count)
            value = [*map(self.terms.add, value, own)] if op in RECEIVES else own
        if op in READS_TARGET:
            value = [*map(self.terms.add, self.read(x, first, count), value)]
        if op in SENDS:
            self.messages[x] = value
        if op in WRITES:
            cells[first:last] = value

    def read(self, x: int, first: int, count: int) -> list[int]:
        """The terms of some cells of a step's GPU."""
        rank = self.at.rank[x]
        value = self.memory[rank][first : first + count]
        if UNSET in value:
            self.unset += [(x, (rank, first + i)) for i, term in enumerate(value) if term == UNSET]
        return value


def start(memory: Memory, held: Mapping[Cell, int]) -> list[list[int]]:
    """The memory before the first step; what ``held`` does not name is unset."""
    cells = [[UNSET] * memory.cells for _ in memory.bases]
    for (rank, cell), term in held.items():
        cells[rank][cell] = term
    return cells


def useless(steps: Steps, at: Operands, order: Sequence[int], partner: Sequence[int],
            memory: Memory, wanted: Iterable[Cell]) -> list[int]:  # fmt: skip
    """The sends that are received and of which no chunk reaches a wanted cell, found by running backwards."""
    alive = [bytearray(memory.cells) for _ in memory.bases]
    for rank, cell in wanted:
        alive[rank][cell] = 1
    messages: dict[int, int] = {}
    found = []
    for x in reversed(order):
        step = steps.steps[x]
        op, cells, count = step.op, alive[at.rank[x]], step.cnt
        if op == "nop":
            continue
        first, last = at.target[x], at.target[x] + count
        wants = 0
        if op in WRITES:
            wants = int.from_bytes(cells[first:last], "little")
            if op not in READS_TARGET:
                cells[first:last] = bytes(count)
        if op in SENDS:
            sent = messages.pop(x, None)
            wants |= sent or 0
            if sent == 0:
                found.append(x)
        if op in RECEIVES:
            messages[partner[x]] = wants
        if op in READS_SOURCE:
            source = at.source[x]
            kept = int.from_bytes(cells[source : source + count], "little") | wants
            cells[source : source + count] = kept.to_bytes(count, "little")
    return found[::-1]
