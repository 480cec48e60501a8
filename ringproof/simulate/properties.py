"""What must hold of a replay, each property judged over whole columns.

Every judge returns violations in schedule order; an empty list is a property that holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.contract import Contract
from ringproof.events import Events
from ringproof.simulate.contents import Block
from ringproof.simulate.state import UNSET, Trail
from ringproof.table.arrays import unique

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Violations:
    """All places where one property fails at one size, in schedule order.

    ``events``: indices of the sends at fault.  ``cells``: (rank, slot) at fault, for promises.
    ``other``: for each event the earlier one it clashes with, or -1.  ``total``: what was counted.
    """

    events: tuple[int, ...] = ()
    cells: tuple[tuple[int, int], ...] = ()
    other: tuple[int, ...] = ()
    total: int = 0
    what: str = ""

    def __bool__(self) -> bool:
        return bool(self.events or self.cells)


def in_range(events: Events) -> Violations:
    """Every rank and slot exists."""
    ranks, slots = events.ranks, events.slots
    for what, values, top in (
        ("sender", events.sender, ranks), ("receiver", events.receiver, ranks),
        ("chunk", events.chunk, slots), ("into", events.into, slots),
    ):  # fmt: skip
        bad = np.flatnonzero((values < 0) | (values >= top))
        if bad.size:
            return Violations(tuple(bad.tolist()), what=what, total=len(values))
    return Violations()


def conflict_free(events: Events) -> Violations:
    """In one step a slot takes any number of reduces or exactly one copy."""
    cells = events.ranks * events.slots
    key = events.step * cells + events.receiver * events.slots + events.into
    order = np.argsort(key, kind="stable")
    same = key[order][1:] == key[order][:-1]
    copies = ~events.reduce[order]
    clash = np.flatnonzero(same & (copies[1:] | copies[:-1]))
    later, earlier = order[clash + 1], order[clash]
    by_time = np.argsort(later, kind="stable")
    return Violations(
        tuple(later[by_time].tolist()), other=tuple(earlier[by_time].tolist()), total=len(key)
    )


def defined(events: Events, trail: Trail) -> Violations:
    """Nothing unset is sent or added to."""
    bad = (trail.sent == UNSET) | (events.reduce & (trail.before == UNSET))
    return Violations(tuple(np.flatnonzero(bad).tolist()), total=len(bad))


class Meaning:
    """The properties that ask what values contain; every block is looked at once and dropped."""

    def __init__(self, events: Events, trail: Trail) -> None:
        self.events, self.trail = events, trail
        self.support = np.ones(len(trail.total), dtype=np.int64)
        self.support[UNSET] = 0
        self.doubled = np.zeros(len(trail.total), dtype=bool)
        self.promises = [_Promise(events, trail, events.contract, events.steps)]
        self.promises += [_Promise(events, trail, e.contract, e.step) for e in events.ensures]
        self.same_link = _same_link(events, trail)
        self.canonical = np.arange(len(trail.total))
        self.copies = np.flatnonzero(events.message & ~events.reduce)
        self.barren: list[Array] = [self.copies[self._leaf_copies(self.copies)]]

    def _leaf_copies(self, copies: Array) -> Array:
        """Copies of a value onto itself: the only barren ones unless something was added."""
        sent: Array = self.trail.sent[copies] == self.trail.before[copies]
        return sent

    def look(self, block: Block) -> None:
        """Judge all values of one block."""
        trail, values = self.trail, block.values
        doubled = block.matrix.max(axis=1, initial=0) > 1
        self.doubled[values] = doubled
        # Where nothing is counted twice, the number of contributions is the number of different ones.
        self.support[values] = np.minimum(trail.total[values], 2.0**53)
        self.support[values[doubled]] = np.count_nonzero(block.matrix[doubled], axis=1)
        for promise in self.promises:
            promise.compare(block)
        mine = self.copies[block.slots[self.events.into[self.copies]]]
        sent, before = trail.sent[mine], trail.before[mine]
        doubt = (sent != before) & (self.support[sent] <= self.support[before])
        for part in np.array_split(np.flatnonzero(doubt), 1 + int(doubt.sum()) // 4096):
            gains = (block.rows(sent[part]) > 0) & (block.rows(before[part]) == 0)
            self.barren.append(mine[part[~gains.any(axis=1)]])
        self._canonical(block)

    def _canonical(self, block: Block) -> None:
        """Give equal multisets one number, for values that the same link carries more than once."""
        mine = self.same_link[block.slots[self.events.into[self.same_link]]]
        seen: dict[bytes | tuple[int, ...], int] = {}
        for value in unique(self.trail.sent[mine]).tolist():
            content = block.matrix[block.row[value]]
            key = tuple(content) if content.dtype == object else content.tobytes()
            self.canonical[value] = seen.setdefault(key, value)

    def once(self) -> Violations:
        """No contribution is ever counted twice, at any step."""
        bad = np.flatnonzero(self.events.reduce & self.doubled[self.trail.after])
        return Violations(tuple(bad.tolist()), total=int(self.events.reduce.sum()))

    def no_resend(self) -> Violations:
        """No message repeats a value on its link, and every copy brings a contribution."""
        again, first = _repeats(self.events, self.trail, self.canonical)
        other = dict(zip(again.tolist(), first.tolist(), strict=True))
        bad = sorted({*other, *np.concatenate(self.barren).tolist()})
        return Violations(
            tuple(bad), other=tuple(other.get(e, -1) for e in bad),
            total=int(self.events.message.sum()),
        )  # fmt: skip


def _same_link(events: Events, trail: Trail) -> Array:
    """Messages whose link carries another value that might have the same contents: as many parts."""
    moving = np.flatnonzero(events.message)
    sent = trail.sent[moving]
    link = trail.source[moving] * (events.ranks * events.slots) + trail.target[moving]
    size = np.minimum(trail.total[sent], 2.0**53)
    order = np.lexsort((size, link))
    link, size, sent = link[order], size[order], sent[order]
    same = (link[1:] == link[:-1]) & (size[1:] == size[:-1])
    if not (same & (sent[1:] != sent[:-1])).any():
        return order[:0]
    member = np.zeros(len(order), dtype=bool)
    member[order[1:][same]] = True
    member[order[:-1][same]] = True
    return moving[member]


def _repeats(events: Events, trail: Trail, canonical: Array) -> tuple[Array, Array]:
    """Messages that carry what their link carried before, and the first that carried it."""
    moving = np.flatnonzero(events.message)
    cells = events.ranks * events.slots
    link = trail.source[moving] * cells + trail.target[moving]
    order = np.lexsort((canonical[trail.sent[moving]], link))
    link, value = link[order], canonical[trail.sent[moving]][order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (link[1:] != link[:-1]) | (value[1:] != value[:-1])
    first = order[np.flatnonzero(new)[np.cumsum(new) - 1]] if len(order) else order
    again = ~new
    return moving[order[again]], moving[first[again]]


class _Promise:
    """One postcondition, compared slot by slot."""

    def __init__(self, events: Events, trail: Trail, contract: Contract, step: int) -> None:
        self.events, self.contract = events, contract
        self.rank, self.slot = np.nonzero(contract.ends)
        self.value = trail.states[step].reshape(events.ranks, events.slots)[self.rank, self.slot]
        self.chunk = contract.chunk[self.rank, self.slot]
        self.right = self._leaf(trail)
        self.open = self.value > trail.leaves

    def _leaf(self, trail: Trail) -> Array:
        """Whether a slot that holds one rank's untouched part (or nothing) was promised that."""
        part = self.contract.part
        count = part.sum(axis=0)[self.slot]
        only = part.argmax(axis=0)[self.slot]
        leaf = np.clip(self.value - 1, 0, max(trail.leaves - 1, 0))
        if not trail.leaves:
            nothing: Array = (count == 0) & (self.value == UNSET)
            return nothing
        same = (trail.leaf_rank[leaf] == only) & (trail.leaf_chunk[leaf] == self.chunk)
        held = (self.value > UNSET) & (self.value <= trail.leaves)
        empty = (self.value == UNSET) & (count == 0)
        right: Array = (held & same & (count == 1)) | empty
        return right

    def compare(self, block: Block) -> None:
        """Settle the promised slots whose value is a sum in this block."""
        mine = np.flatnonzero(self.open & block.slots[self.slot])
        if not mine.size:
            return
        chunks = self.events.chunks
        _, held = np.unique(self.value[mine] * chunks + self.slot[mine], return_inverse=True)
        key = held * chunks + self.chunk[mine]  # in two strides, so that it stays within 64 bits
        kinds, at, back = np.unique(key, return_index=True, return_inverse=True)
        right = np.empty(len(kinds), dtype=bool)
        for part in np.array_split(np.arange(len(kinds)), 1 + len(kinds) // 4096):
            right[part] = self._equal(block, mine[at[part]])
        self.right[mine] = right[back]

    def _equal(self, block: Block, cells: Array) -> Array:
        held = block.rows(self.value[cells])
        wanted = np.zeros((len(cells), self.events.ranks, block.chunks), dtype=np.int64)
        inside = block.slots[self.chunk[cells]]
        place = block.place[self.chunk[cells]]
        wanted[np.arange(len(cells)), :, place] = self.contract.part[:, self.slot[cells]].T
        same: Array = (held == wanted.reshape(held.shape)).all(axis=1)
        return same & inside

    def violations(self) -> Violations:
        """The promised slots that hold something else, by rank and slot."""
        bad = np.flatnonzero(~self.right)
        cells = zip(self.rank[bad].tolist(), self.slot[bad].tolist(), strict=True)
        return Violations(cells=tuple(cells), total=len(self.right))


def judge(events: Events, trail: Trail, blocks: Iterable[Block]) -> dict[str, Violations]:
    """`complete`, `once`, `no-resend` and one `ensures[i]` for each phase that promises."""
    meaning = Meaning(events, trail)
    for block in blocks:
        meaning.look(block)
    complete, *ensures = (p.violations() for p in meaning.promises)
    return {
        "complete": complete,
        "once": meaning.once(),
        "no-resend": meaning.no_resend(),
        **{f"ensures[{i}]": found for i, found in enumerate(ensures)},
    }
