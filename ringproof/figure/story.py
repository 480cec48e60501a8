"""What happens at one size, as a figure tells it: sends, and what every slot holds after every step.

Everything here is read from the executed events; a figure counts nothing itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from ringproof.diagnose.lineage import Contents, Lineage
from ringproof.figure.lettering import ascii_of
from ringproof.simulate import Outcome
from ringproof.table.schedule import Schedule

Array = np.ndarray[Any, np.dtype[Any]]
Cell = tuple[int, int, int]  # step, rank, slot
MOST_LANES = 16  # beyond that no layout draws sends one by one


class NotPlayableError(Exception):
    """A story too large to be shown cell by cell; the message says what the limit is."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One chunk on its way; ``whole``: the value sent is all that its chunk needs."""

    event: int
    step: int
    sender: int
    receiver: int
    chunk: int
    into: int
    reduce: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class Message:
    """Everything one rank sends another in one step by one op, in the order of the slots read."""

    sends: tuple[Sent, ...]

    @property
    def key(self) -> tuple[int, int, int]:
        """Step, sender, receiver."""
        return self.sends[0].step, self.sends[0].sender, self.sends[0].receiver

    @property
    def reduce(self) -> bool:
        return self.sends[0].reduce

    @property
    def whole(self) -> bool:
        return all(send.whole for send in self.sends)

    @property
    def chunks(self) -> tuple[int, ...]:
        return tuple(send.chunk for send in self.sends)

    @property
    def into(self) -> tuple[int, ...]:
        return tuple(send.into for send in self.sends)


@dataclass(frozen=True, slots=True)
class Stage:
    """A phase with at least one step: ``start`` to ``stop`` of the whole schedule."""

    name: str
    start: int
    stop: int
    ops: frozenset[bool]

    @property
    def says(self) -> str:
        """What its receivers do."""
        words = {frozenset({True}): "receiver adds", frozenset({False}): "receiver overwrites"}
        return words.get(self.ops, "receiver adds or overwrites" if self.ops else "nothing moves")


@dataclass(frozen=True, slots=True)
class Content:
    """What one slot holds: how often each rank's part is in it; ``whole``: all that is promised."""

    counts: tuple[int, ...]
    chunk: int
    whole: bool

    @property
    def empty(self) -> bool:
        return not any(self.counts)


@dataclass(frozen=True, slots=True)
class Story:
    """A schedule at one size.  ``held``: int64 (steps + 1, N, slots), the number of every value.

    ``sends`` are left out beyond `MOST_LANES` ranks.
    """

    schedule: Schedule
    outcome: Outcome
    lineage: Lineage
    held: Array
    sends: tuple[Sent, ...]
    stages: tuple[Stage, ...]

    @property
    def ranks(self) -> int:
        return self.outcome.events.ranks

    @property
    def slots(self) -> int:
        return self.outcome.events.slots

    @property
    def chunks(self) -> int:
        return self.outcome.events.chunks

    @property
    def steps(self) -> int:
        return self.outcome.events.steps

    @property
    def parts(self) -> int:
        """The most ranks that one promised slot needs a part of."""
        contract = self.outcome.events.contract
        return int(contract.part[:, contract.ends.any(axis=0)].sum(axis=0).max(initial=0))

    @property
    def uniform(self) -> bool:
        """Whether every slot is promised its own chunk: all collectives but the all-to-all."""
        return uniform(self.outcome)

    def content(self, cell: Cell) -> Content:
        """What a slot holds when so many steps are done."""
        _, rank, slot = cell
        found = self.lineage.contents(int(self.held[cell]))
        return content_of(self.outcome, found, rank, slot)

    def slot_name(self, slot: int) -> str:
        """How a slot is labelled: a chunk, or a temporary one."""
        return f"c{slot}" if slot < self.chunks else f"t{slot - self.chunks}"

    def messages(self) -> tuple[Message, ...]:
        """The sends, bundled: what goes from one rank to another in one step by one op."""
        ordered = sorted(self.sends, key=lambda s: (s.step, s.sender, s.receiver, s.reduce, s.chunk, s.into))
        bundles = groupby(ordered, key=lambda s: (s.step, s.sender, s.receiver, s.reduce))
        return tuple(Message(tuple(bundle)) for _, bundle in bundles)


def content_of(outcome: Outcome, found: Contents, rank: int, slot: int) -> Content:
    """Contents as a figure shows them in one slot."""
    counts = [0] * outcome.events.ranks
    for (k, _), times in found.items():
        counts[k] += times
    chunk = min((c for _, c in found), default=slot)
    return Content(tuple(counts), chunk, whole(outcome, found, rank, slot))


def uniform(outcome: Outcome) -> bool:
    """Whether every promised slot is promised its own chunk."""
    contract = outcome.events.contract
    own = contract.chunk == np.arange(contract.chunk.shape[1])
    return bool(own[contract.ends].all())


def whole(outcome: Outcome, found: Contents, rank: int, slot: int) -> bool:
    """Whether contents are all that is promised: of their chunk, or of this very slot.

    In an all-to-all a slot is promised parts of other slots, so only the place decides.
    """
    contract = outcome.events.contract
    if not found or max(found.values()) > 1:
        return False
    columns = {c for _, c in found}
    if len(columns) != 1:
        return False
    column = columns.pop()
    if uniform(outcome):
        needed = contract.part[:, column]
    elif slot < contract.ends.shape[1] and contract.ends[rank, slot] and contract.chunk[rank, slot] == column:
        needed = contract.part[:, slot]
    else:
        return False
    return {k for k, _ in found} == set(np.flatnonzero(needed).tolist())


def tell(schedule: Schedule, outcome: Outcome) -> Story:
    """The story of a replay; errors: `ValueError` when the schedule cannot run."""
    lineage = Lineage(outcome)
    held = states(outcome, lineage)
    sends = _sends(outcome, lineage) if outcome.events.ranks <= MOST_LANES else ()
    return Story(schedule, outcome, lineage, held, sends, _stages(schedule, outcome))


def states(outcome: Outcome, lineage: Lineage) -> Array:
    """(steps + 1, N, slots): the number of the value in every slot after so many steps."""
    events, trail = outcome.events, lineage.trail
    state = np.zeros(events.ranks * events.slots, dtype=np.int64)
    state[trail.leaf_rank * events.slots + trail.leaf_chunk] = np.arange(1, trail.leaves + 1)
    made = [state]
    for a, b in zip(events.bounds.tolist(), events.bounds.tolist()[1:], strict=False):
        state = state.copy()
        state[trail.target[a:b]] = trail.after[a:b]
        made.append(state)
    return np.array(made).reshape(len(made), events.ranks, events.slots)


def _sends(outcome: Outcome, lineage: Lineage) -> tuple[Sent, ...]:
    events = outcome.events
    known: dict[tuple[int, int, int], bool] = {}
    columns = (events.step, events.sender, events.receiver, events.chunk, events.into, events.reduce,
               lineage.trail.sent)  # fmt: skip
    sends = []
    for i, (step, sender, receiver, chunk, into, reduce, value) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        place = (value, receiver, into)
        if place not in known:
            known[place] = whole(outcome, lineage.contents(value), receiver, into)
        sends.append(Sent(i, step, sender, receiver, chunk, into, bool(reduce), known[place]))
    return tuple(sends)


def _stages(schedule: Schedule, outcome: Outcome) -> tuple[Stage, ...]:
    events = outcome.events
    stops = (*events.starts[1:], events.steps)
    stages = []
    for phase, start, stop in zip(schedule.phases, events.starts, stops, strict=True):
        if stop > start:
            here = (events.step >= start) & (events.step < stop)
            ops = frozenset(bool(op) for op in np.unique(events.reduce[here]).tolist())
            stages.append(Stage(ascii_of(phase.name), start, stop, ops))
    return tuple(stages)
