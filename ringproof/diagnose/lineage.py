"""Where a value comes from: its contributions, who wrote a slot last, which send spread it first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ringproof.events import Events
from ringproof.simulate import Outcome, Trail
from ringproof.verdict import Route

Contents = Counter[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Moment:
    """One send, in plain numbers, and the row that makes it."""

    event: int
    step: int
    sender: int
    receiver: int
    chunk: int
    into: int
    reduce: bool
    route: Route


class Lineage:
    """Questions about one replay."""

    def __init__(self, outcome: Outcome) -> None:
        if outcome.trail is None:
            raise ValueError("a schedule that cannot run has no lineage")
        self.events: Events = outcome.events
        self.trail: Trail = outcome.trail
        self._sums: dict[int, tuple[int, list[int]]] = {}
        adding = np.flatnonzero(self.events.reduce)
        for after, before, sent in zip(
            *(x[adding].tolist() for x in (self.trail.after, self.trail.before, self.trail.sent)),
            strict=True,
        ):
            self._sums.setdefault(after, (before, []))[1].append(sent)
        self._known: dict[int, Contents] = {0: Counter()}

    def moment(self, event: int) -> Moment:
        return moment(self.events, event)

    def contents(self, value: int) -> Contents:
        """What a value contains: how often each (rank, chunk) is in it."""
        todo = [value]
        while todo:
            current = todo[-1]
            if current in self._known:
                todo.pop()
            elif current <= self.trail.leaves:
                leaf = current - 1
                key = int(self.trail.leaf_rank[leaf]), int(self.trail.leaf_chunk[leaf])
                self._known[current] = Counter({key: 1})
            else:
                before, sent = self._sums[current]
                missing = [v for v in (before, *sent) if v not in self._known]
                todo.extend(missing)
                if not missing:
                    total: Contents = Counter()
                    for part in (before, *sent):
                        total.update(self._known[part])
                    self._known[current] = total
        return self._known[value]

    def ancestors(self, value: int) -> set[int]:
        """Every sum that goes into a value, itself included."""
        seen: set[int] = set()
        todo = [value]
        while todo:
            current = todo.pop()
            if current in self._sums and current not in seen:
                seen.add(current)
                before, sent = self._sums[current]
                todo += [before, *sent]
        return seen

    def held(self, rank: int, slot: int, step: int) -> int:
        """The value in a slot when ``step`` steps are done."""
        last = self.writer(rank, slot, step)
        if last is not None:
            return int(self.trail.after[last])
        starts = (self.trail.leaf_rank == rank) & (self.trail.leaf_chunk == slot)
        return int(np.argmax(starts)) + 1 if starts.any() else 0

    def writer(self, rank: int, slot: int, step: int) -> int | None:
        """The last send that wrote a slot before ``step``."""
        cell = rank * self.events.slots + slot
        found = np.flatnonzero((self.trail.target == cell) & (self.events.step < step))
        return int(found[-1]) if found.size else None

    def origin(self, rank: int, slot: int, step: int) -> tuple[list[int], int, int, int]:
        """Follow copies back from a slot: the copies, latest first, and the slot they start from.

        Returns the copies and (rank, slot, step) of the place where the value was made.
        """
        copies: list[int] = []
        while (last := self.writer(rank, slot, step)) is not None and not self.events.reduce[last]:
            copies.append(last)
            rank, slot = int(self.events.sender[last]), int(self.events.chunk[last])
            step = int(self.events.step[last])
        return copies, rank, slot, step


def moment(events: Events, event: int) -> Moment:
    """One send of the events as plain numbers."""
    return Moment(
        event, int(events.step[event]), int(events.sender[event]), int(events.receiver[event]),
        int(events.chunk[event]), int(events.into[event]), bool(events.reduce[event]),
        events.routes[int(events.row[event])],
    )  # fmt: skip


def wanted(events: Events, cell: tuple[int, int], ensured: int = -1) -> Contents:
    """What a promised slot must hold: by the table's collective, or by an `ensures`."""
    contract = events.contract if ensured < 0 else events.ensures[ensured].contract
    rank, slot = cell
    chunk = int(contract.chunk[rank, slot])
    return Counter({(int(k), chunk): 1 for k in np.flatnonzero(contract.part[:, slot])})
