"""From sums to a schedule: where every message lands, and which local moves make what is sent.

A slot is known by the sums that still need it, its *uses*.  What arrives is added to a slot with the
same uses: whoever needs one of them needs the other.  Else it lands in a slot of its own.  A sum of
several slots is made by local moves, in steps of their own before the message: such steps cost
nothing, a step is one in which a message moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ringproof.proof.bound_moves import Move, Witness
from ringproof.proof.bound_sums import OWN, Key, Parts, Source

Uses = frozenset[Key]
Stage = tuple[int, int]
COPY, ADD, SEND = 0, 1, 2


def placed(parts: Parts, ranks: int, chunks: int, steps: int) -> Witness:
    """The schedule that sends exactly what ``parts`` says, as far as it is needed."""
    counted = contents(parts)
    parts = needed(simplified(parts, counted), steps)
    moves: list[tuple[Stage, Move]] = []
    scratch = 0
    landing: dict[Key, int] = {}
    leaving: dict[Key, int] = {}
    for q in range(ranks):
        free = chunks
        for c in range(chunks):
            cell = _Cell(q, c, free, parts, counted)
            cell.run(steps)
            moves += cell.moves
            landing |= cell.landing
            leaving |= cell.leaving
            free = cell.free
        scratch = max(scratch, free - chunks)
    for key in parts:
        t, q, r, _ = key
        if t < steps:
            into = landing[key]
            adds = into >= 0
            moves.append(((t, SEND), Move(0, q, r, leaving[key], into if adds else ~into, adds)))
    return _numbered(moves, scratch)


def _numbered(moves: Sequence[tuple[Stage, Move]], scratch: int) -> Witness:
    """Stages become steps."""
    stages = {stage: i for i, stage in enumerate(sorted({stage for stage, _ in moves}))}
    found = [Move(stages[at], m.sender, m.receiver, m.chunk, m.into, m.reduce) for at, m in moves]
    return Witness(len(stages), scratch, tuple(sorted(found)))


def contents(parts: Parts) -> dict[Key, frozenset[int]]:
    """The ranks that every message counts."""
    found: dict[Key, frozenset[int]] = {}
    for key in sorted(parts):
        _, q, _, c = key
        found[key] = frozenset(
            k for step, sender in parts[key]
            for k in ({q} if (step, sender) == OWN else found[step, sender, q, c])
        )  # fmt: skip
    return found


def simplified(parts: Parts, counted: dict[Key, frozenset[int]]) -> Parts:
    """The same sums, with nothing received twice: the first of equal messages serves for all.

    A message of no parts is nothing at all.
    """
    first: dict[tuple[int, int, frozenset[int]], Source] = {}
    serves: dict[Key, Source] = {}
    for key in sorted(parts):
        step, sender, r, c = key
        if sender != r:
            own = counted[key] == {r}
            serves[key] = OWN if own else first.setdefault((r, c, counted[key]), (step, sender))
    return {
        key: frozenset(OWN if s == OWN else serves[at] for s in sources
                       if s == OWN or counted[at := (*s, key[1], key[3])])
        for key, sources in parts.items()
    }  # fmt: skip


def needed(parts: Parts, steps: int) -> Parts:
    """Only the messages that some promised sum needs, in the end."""
    waiting = [key for key in parts if key[0] == steps]
    found: dict[Key, frozenset[Source]] = {}
    while waiting:
        key = waiting.pop()
        if key not in found:
            found[key] = parts[key]
            waiting += [(*s, key[1], key[3]) for s in parts[key] if s != OWN]
    return found


class _Cell:
    """One chunk on one rank: slot c, and scratch slots from ``free`` on.

    ``landing`` of a message: the slot it is added to, or ~slot where it is copied to a new one.
    """

    def __init__(
        self, rank: int, chunk: int, free: int, parts: Parts, counted: dict[Key, frozenset[int]]
    ) -> None:
        self.rank, self.chunk, self.free, self.counted = rank, chunk, free, counted
        self.sums = sorted(key for key in parts if key[1] == rank and key[3] == chunk)
        self.arriving = sorted(key for key in parts if key[2] == rank != key[1] and key[3] == chunk)
        self.uses = {s: frozenset(key for key in self.sums if s in parts[key])
                     for s in (OWN, *(key[:2] for key in self.arriving))}  # fmt: skip
        self.live: dict[int, Uses] = {chunk: self.uses[OWN]}
        self.holds = {chunk: frozenset({rank})}
        self.changed: dict[int, int] = {}
        self.moves: list[tuple[Stage, Move]] = []
        self.landing: dict[Key, int] = {}
        self.leaving: dict[Key, int] = {}

    def run(self, steps: int) -> None:
        """Follow the cell through all steps."""
        for t in range(steps + 1):
            due = [key for key in self.sums if key[0] == t]
            for key in due:
                self.leaving[key] = self.gather(key, self.chunk if t == steps else None)
            self.live = {slot: uses for slot, held in self.live.items() if (uses := held - set(due))}
            if t < steps:
                self.receive(t)

    def local(self, stage: Stage, chunk: int, into: int, op: Literal["copy", "reduce"]) -> None:
        """A move within the rank."""
        reduce = op == "reduce"
        self.moves.append((stage, Move(0, self.rank, self.rank, chunk, into, reduce)))
        before = self.holds.get(into, frozenset()) if reduce else frozenset()
        self.holds[into] = before | self.holds[chunk]

    def fresh(self) -> int:
        """A scratch slot that was never used."""
        self.free += 1
        return self.free - 1

    def gather(self, key: Key, target: int | None) -> int:
        """A slot with the whole sum; made by local moves where no slot has it.

        A slot that did not change in the last step is copied in that step already.
        """
        slots = sorted(slot for slot, uses in self.live.items() if key in uses)
        t, only = key[0], frozenset({key})
        if target is None and len(slots) == 1:
            return slots[0]
        base = next((s for s in slots if self.live[s] == only and target in (None, s)), None)
        if base is None:
            slots.sort(key=lambda slot: self.changed.get(slot, -1))
            early = target is None and self.changed.get(slots[0], -1) < t - 1
            base = self.fresh() if target is None else target
            self.local((t - 1, SEND) if early else (t, COPY), slots[0], base, "copy")
            slots = slots[1:]
        for slot in slots:
            if slot != base:
                self.local((t, ADD), slot, base, "reduce")
        return base

    def receive(self, t: int) -> None:
        """Slots that are needed alike become one; what arrives finds its place."""
        alike: dict[Uses, int] = {}
        for slot in sorted(self.live):
            uses = self.live[slot]
            first = alike.setdefault(uses, slot)
            if first != slot:
                self.local((t, SEND), slot, first, "reduce")
                self.changed[first] = t
                del self.live[slot]
        for key in (key for key in self.arriving if key[0] == t):
            uses = self.uses[key[:2]]
            if uses in alike:
                into = self.landing[key] = alike[uses]
                self.holds[into] |= self.counted[key]
                self.changed[into] = t
                continue
            home = self.chunk not in self.live and not self.counted[key] <= self.holds[self.chunk]
            into = self.chunk if home else self.fresh()
            self.landing[key], self.changed[into] = ~into, t
            self.live[into], self.holds[into] = uses, self.counted[key]
