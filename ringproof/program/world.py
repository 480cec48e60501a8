"""One case of a program with its memory: what it starts with, what it must end with, and any order run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ringproof.program.execute import Execution
from ringproof.program.memory import Memory, memory
from ringproof.program.model import WRITES, Case
from ringproof.program.promise import CutError, Post, Wanted, rooted, starts, wanted
from ringproof.program.replay import Cell, Machine, Operands, operands, start
from ringproof.program.steps import Steps
from ringproof.program.terms import UNKNOWN, Multiset, Terms, contributions


@dataclass(frozen=True, slots=True)
class Wrong:
    """A promised chunk, and what it holds at the end instead."""

    wanted: Wanted
    got: Multiset


@dataclass(frozen=True, slots=True)
class World:
    """``promised``: every chunk of the result; ``uncut``: why the collective cannot be asked of the file."""

    steps: Steps
    run: Execution
    memory: Memory
    at: Operands
    terms: Terms
    held: dict[Cell, int]
    promised: tuple[Wanted, ...]
    root: int = 0
    uncut: str = ""

    def fresh(self) -> Machine:
        """The program before its first step."""
        return Machine(self.steps, self.at, self.run.partner, self.terms, start(self.memory, self.held))

    def end(self, order: Sequence[int]) -> Machine:
        """The program after all steps, in this order."""
        machine = self.fresh()
        for x in order:
            machine.step(x)
        return machine

    def wrong(self, machine: Machine) -> Iterator[Wrong]:
        """The promised chunks that hold something else, unless a race leaves open what they hold."""
        for one in self.promised:
            term = machine.memory[one.rank][one.cell]
            if term != UNKNOWN and self.terms.multiset[term] != one.contents:
                yield Wrong(one, self.terms.multiset[term])

    def sums(self, machine: Machine) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The term of every promised chunk, with the inputs that it must be the sum of."""
        leaves: dict[Multiset, tuple[int, ...]] = {}
        for one in self.promised:
            if one.contents not in leaves:
                parts = contributions(one.contents)
                leaves[one.contents] = tuple(self.terms.leaf(*key) for key, times in parts.items()
                                             for _ in range(times))  # fmt: skip
            yield machine.memory[one.rank][one.cell], leaves[one.contents]

    def open(self, machine: Machine) -> int:
        """How many promised chunks a race leaves open."""
        return sum(machine.memory[one.rank][one.cell] == UNKNOWN for one in self.promised)

    def differing(self, machine: Machine) -> Iterator[tuple[Wanted, Wanted]]:
        """Promised chunks with the same contents that were added in another order than the first of them."""
        first: dict[tuple[int, Multiset], Wanted] = {}
        for one in self.promised:
            other = first.setdefault((one.slot, one.contents), one)
            terms = [machine.memory[w.rank][w.cell] for w in (other, one)]
            if terms[0] != terms[1]:
                yield other, one

    def overwritten(self) -> list[int]:
        """The steps that write into the input, where it is a buffer of its own."""
        if self.memory.case == "in place":
            return []
        return [x for x, s in enumerate(self.steps.steps) if s.dstbuf == "i" and s.cnt and s.op in WRITES]


def world(steps: Steps, run: Execution, case: Case, collective: str, post: Post | None) -> World:
    """Set up one case; of a rooted collective, whose root no file names, the root that fits best."""
    layout = memory(steps.program, case, collective)
    at = operands(steps, layout)
    inputs, outputs = (
        max((gpu.chunks(buffer) for gpu in steps.program.gpus), default=0) for buffer in ("i", "o")
    )
    best: tuple[int, World] | None = None
    for root in range(len(layout.bases) if rooted(collective) and post is None else 1):
        terms, uncut, promised = Terms(), "", tuple[Wanted, ...]()
        held = starts(layout, inputs, terms, root)
        try:
            promised = tuple(wanted(layout, outputs, post, root))
        except CutError as error:
            uncut = str(error)
        made = World(steps, run, layout, at, terms, held, promised, root, uncut)
        if not rooted(collective):
            return made
        machine = made.end(run.order)
        faults = len(machine.unset) + sum(1 for _ in made.wrong(machine))
        if best is None or faults < best[0]:
            best = faults, made
        if not faults:
            break
    if best is None:
        raise ValueError("a program without ranks")
    return best[1]
