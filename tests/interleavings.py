"""Every interleaving of a small program, by brute force: an interpreter that shares no code with ringproof.

It knows the format's meaning from its description only: a threadblock is a process, a step is atomic, a
message is the k-th of its connection, a flag is a number that grows.  A state is how far every threadblock
is and what memory and FIFOs hold; all states that can be reached are visited.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ringproof.program.model import Program

Contents = tuple[tuple[tuple[int, int], int], ...] | None  # ((rank, chunk), times), ...; None: unset
Site = tuple[int, int, int]  # GPU, threadblock, step
Address = tuple[int, str, int]  # GPU, buffer, offset


class TooLarge(Exception):
    """More states than a test should visit."""


@dataclass
class Found:
    """What happens in any interleaving.

    ``hangs``: some end with steps left; ``ends``: some end with none.  ``reads``: what each step finds in
    each cell it reads, over all interleavings.  ``finals``: the memories at the end.  ``races``: pairs of
    conflicting steps that are both next in some state.
    """

    hangs: bool = False
    ends: bool = False
    reads: dict[tuple[Site, Address], set[Contents]] = field(default_factory=dict)
    finals: set[frozenset[tuple[Address, Contents]]] = field(default_factory=set)
    races: set[frozenset[Site]] = field(default_factory=set)
    states: int = 0


def total(one: Contents, other: Contents) -> Contents:
    if one is None or other is None:
        return None
    return tuple(sorted((Counter(dict(one)) + Counter(dict(other))).items()))


class Interpreter:
    """The rules; ``alias`` names the cell that an address is, ``begin`` what memory holds at first."""

    def __init__(self, program: Program, window: int, alias: Any, begin: dict[Address, Contents]) -> None:
        self.window, self.alias = window, alias
        self.blocks = [(gpu.id, tb) for gpu in program.gpus for tb in gpu.tbs]
        self.index = {(rank, tb.id): i for i, (rank, tb) in enumerate(self.blocks)}
        self.begin = begin

    def cells(self, rank: int, buffer: str, offset: int, count: int) -> list[Address]:
        return [self.alias((rank, buffer, offset + k)) for k in range(count)]

    def uses(self, block: int, number: int) -> tuple[list[Address], list[Address]]:
        """The cells a step reads, and those it writes."""
        rank, tb = self.blocks[block]
        step = tb.steps[number]
        source = self.cells(rank, step.srcbuf, step.srcoff, step.cnt)
        target = self.cells(rank, step.dstbuf, step.dstoff, step.cnt)
        reads = {"s": source, "rrc": source, "rrs": source, "rrcs": source, "cpy": source,
                 "re": source + target}.get(step.op, [])  # fmt: skip
        return reads, target if step.op in ("r", "rcs", "rrc", "rrcs", "cpy", "re") else []

    def raised(self, block: int, reached: int) -> int:
        """The flag of a threadblock that has run so many steps."""
        steps = self.blocks[block][1].steps
        return max((s for s in range(reached) if steps[s].hasdep), default=-1)

    def can_run(self, block: int, at: tuple[int, ...], queues: dict[Any, tuple[Any, ...]]) -> bool:
        rank, tb = self.blocks[block]
        if at[block] >= len(tb.steps):
            return False
        step = tb.steps[at[block]]
        if step.depid >= 0:
            other = self.index.get((rank, step.depid))
            if other is None or self.raised(other, at[other]) < step.deps:
                return False
        if step.op in ("r", "rcs", "rrc", "rrs", "rrcs") and not queues.get((tb.recv, rank, tb.chan)):
            return False
        sends = step.op in ("s", "rcs", "rrs", "rrcs")
        return not sends or len(queues.get((rank, tb.send, tb.chan), ())) < self.window

    def run(self, block: int, number: int, memory: dict[Address, Contents], queues: dict[Any, Any],
            found: Found) -> None:  # fmt: skip
        rank, tb = self.blocks[block]
        step = tb.steps[number]
        site = (rank, tb.id, number)
        for cell in self.uses(block, number)[0]:
            found.reads.setdefault((site, cell), set()).add(memory.get(cell))
        source = [memory.get(c) for c in self.cells(rank, step.srcbuf, step.srcoff, step.cnt)]
        cells = self.cells(rank, step.dstbuf, step.dstoff, step.cnt)
        value: list[Contents] = source
        if step.op in ("r", "rcs", "rrc", "rrs", "rrcs"):
            waiting = queues[tb.recv, rank, tb.chan]
            value, queues[tb.recv, rank, tb.chan] = list(waiting[0]), waiting[1:]
            if step.op not in ("r", "rcs"):
                value = [total(a, b) for a, b in zip(value, source, strict=True)]
        elif step.op == "re":
            value = [total(memory.get(c), v) for c, v in zip(cells, source, strict=True)]
        if step.op in ("s", "rcs", "rrs", "rrcs"):
            key = (rank, tb.send, tb.chan)
            queues[key] = (*queues.get(key, ()), tuple(value))
        if step.op in ("r", "rcs", "rrc", "rrcs", "cpy", "re"):
            memory.update(zip(cells, value, strict=True))


def explore(program: Program, alias: Any, begin: dict[Address, Contents], *, window: int = 1 << 30,
            most: int = 20_000) -> Found:  # fmt: skip
    """Visit every state of a program; errors: `TooLarge`."""
    rules, found = Interpreter(program, window, alias, begin), Found()
    start = (tuple(0 for _ in rules.blocks), frozenset(begin.items()), frozenset[Any]())
    seen, waiting = {start}, [start]
    while waiting:
        at, memory, queues = waiting.pop()
        found.states += 1
        if found.states > most:
            raise TooLarge
        ready = [b for b in range(len(at)) if rules.can_run(b, at, dict(queues))]
        _conflicts(rules, at, ready, found)
        if not ready:
            done = all(n == len(tb.steps) for n, (_, tb) in zip(at, rules.blocks, strict=True))
            found.ends, found.hangs = found.ends or done, found.hangs or not done
            if done:
                found.finals.add(memory)
        for block in ready:
            cells, fifos = dict(memory), dict(queues)
            rules.run(block, at[block], cells, fifos, found)
            reached = (*at[:block], at[block] + 1, *at[block + 1 :])
            held = frozenset((key, fifo) for key, fifo in fifos.items() if fifo)
            state = (reached, frozenset(cells.items()), held)
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return found


def _conflicts(rules: Interpreter, at: tuple[int, ...], ready: list[int], found: Found) -> None:
    """Two steps that could both run next have no order; they race if they touch a cell and one writes."""
    for i, one in enumerate(ready):
        for other in ready[:i]:
            (reads, writes), (reading, writing) = (rules.uses(b, at[b]) for b in (one, other))
            if set(writes) & {*reading, *writing} or set(writing) & set(reads):
                sites = [(rules.blocks[b][0], rules.blocks[b][1].id, at[b]) for b in (one, other)]
                found.races.add(frozenset(sites))
