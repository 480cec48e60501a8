"""Which parts of a schedule must be looked at: units that never mix, one of each shape.

A unit is a set of cells (rank, slot) closed under the sends.  Two units whose send lists are the
same after renaming cells by first use are isomorphic: what is proved of one holds of the other,
because nothing in a query depends on a cell's name.  Written apart from `simulate`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ringproof.contract import Contract
from ringproof.events import Events
from ringproof.table.arrays import unique

Array = np.ndarray[Any, np.dtype[Any]]
FOREIGN = -1
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Unit:
    """A closed set of cells, renamed 0..cells-1, with its sends in schedule order.

    ``source``, ``target``, ``step``, ``reduce``, ``message``, ``event`` (its index in the whole
    schedule): one entry a send.  ``names``: cell -> (rank, slot).  ``starts``: the cells that hold
    their own contribution at the start.  ``promises``: for each promise (the final one first), cell
    -> the cells whose contributions it must hold, `FOREIGN` for one that never enters the unit.
    ``due``: for each promise, how many steps are done when it is due.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    step: tuple[int, ...]
    reduce: tuple[bool, ...]
    message: tuple[bool, ...]
    event: tuple[int, ...]
    names: tuple[tuple[int, int], ...]
    starts: frozenset[int]
    promises: tuple[dict[int, tuple[int, ...]], ...]
    due: tuple[int, ...]


class Units:
    """All units of a schedule at one size, and their shapes.

    ``key`` orders the sends within a step.  ``only`` leaves out all sends and promises but those of
    one slot, which must not mix with others.
    """

    def __init__(self, events: Events, key: Array | None = None, only: int | None = None) -> None:
        self.events, self.only = events, only
        slots, cells = events.slots, events.ranks * events.slots
        order = np.lexsort((key, events.step)) if key is not None else np.arange(len(events.step))
        if only is not None:
            order = order[events.chunk == only]
        self.source = events.sender[order] * slots + events.chunk[order]
        self.target = events.receiver[order] * slots + events.into[order]
        self.order = order
        part = self.part = _connected(events)
        first = np.full(cells, 2 * len(order))
        seen = np.stack([self.source, self.target], axis=1).ravel()
        first[seen[::-1]] = np.arange(len(seen))[::-1]
        starts = np.zeros((events.ranks, slots), dtype=bool)
        starts[:, : events.chunks] = events.contract.starts
        self.starts = starts.ravel()
        self.cell_order = np.lexsort((~self.starts, first, part))
        sizes = np.bincount(part, minlength=cells)
        self.cell_start = np.concatenate([[0], np.cumsum(sizes)])
        self.label = np.empty(cells, dtype=np.int64)
        self.label[self.cell_order] = np.arange(cells) - self.cell_start[part[self.cell_order]]
        in_part = part[self.source]
        self.by_part = np.argsort(in_part, kind="stable")
        self.part_start = np.searchsorted(in_part[self.by_part], np.arange(cells + 1))
        due = [(events.contract, events.steps), *((e.contract, e.step) for e in events.ensures)]
        self.due = tuple(step for _, step in due)
        self.wanted = [_wanted(events, contract, self) for contract, _ in due]

    def shapes(self) -> dict[bytes, int]:
        """Shape -> the first part that has it; parts in which nothing is promised are left out."""
        picked = self.by_part
        order = self.order[picked]
        flags = self.events.reduce[order] * 2 + self.events.message[order]
        rows = np.stack([self.label[self.source[picked]], self.label[self.target[picked]],
                         self.events.step[order], flags], axis=1).astype(np.int32)  # fmt: skip
        cells = self.cell_order
        held = [w.kind[cells] for w in self.wanted]
        marks = np.stack([self.starts[cells], *held], axis=1).astype(np.int32)
        shapes: dict[bytes, int] = {}
        promised = np.zeros(len(cells), dtype=bool)
        for kind in held:
            promised |= kind >= 0
        asked = np.zeros(len(cells), dtype=bool)
        asked[self.part[cells[promised]]] = True
        asked[self.part[self.source]] = True
        for part in np.flatnonzero(asked).tolist():
            a, b = self.part_start[part], self.part_start[part + 1]
            c, d = self.cell_start[part], self.cell_start[part + 1]
            shapes.setdefault(rows[a:b].tobytes() + b"|" + marks[c:d].tobytes(), part)
        return shapes

    def unit(self, part: int) -> Unit:
        """One part as a `Unit`."""
        events = self.events
        picked = self.by_part[self.part_start[part] : self.part_start[part + 1]]
        order = self.order[picked]
        cells = self.cell_order[self.cell_start[part] : self.cell_start[part + 1]]
        return Unit(
            tuple(self.label[self.source[picked]].tolist()),
            tuple(self.label[self.target[picked]].tolist()),
            tuple(events.step[order].tolist()),
            tuple(events.reduce[order].tolist()),
            tuple(events.message[order].tolist()),
            tuple(order.tolist()),
            tuple((c // events.slots, c % events.slots) for c in cells.tolist()),
            frozenset(np.flatnonzero(self.starts[cells]).tolist()),
            tuple(w.of(cells, self) for w in self.wanted),
            self.due,
        )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """``kind``: cell -> which set of labels it is promised, -1 for none; ``sets`` in words of
    (label within the part), `FOREIGN` for cells of other parts."""

    kind: Array
    sets: tuple[tuple[int, ...], ...]

    def of(self, cells: Array, units: Units) -> dict[int, tuple[int, ...]]:
        kinds = self.kind[cells].tolist()
        return {i: self.sets[kind] for i, kind in enumerate(kinds) if kind >= 0}


def _wanted(events: Events, contract: Contract, units: Units) -> _Wanted:
    """What every promised cell must hold, as sets of labels, equal sets sharing one number."""
    rank, slot = np.nonzero(contract.ends)
    if units.only is not None:
        rank, slot = rank[slot == units.only], slot[slot == units.only]
    chunk = contract.chunk[rank, slot]
    cell = rank * events.slots + slot
    part = units.part[cell]
    key = (part * events.chunks + slot) * events.chunks + chunk
    _, at, back = np.unique(key, return_index=True, return_inverse=True)
    number, label = _labels(events, contract, units, slot[at], chunk[at], part[at])
    order = np.lexsort((label, number))
    number, label = number[order], label[order].astype(np.int32)
    ends = np.searchsorted(number, np.arange(len(at) + 1)).tolist()
    interned: dict[bytes, int] = {}
    kinds = [
        interned.setdefault(label[a:b].tobytes(), len(interned))
        for a, b in pairwise(ends)
    ]
    kind = np.full(len(units.part), -1)
    kind[cell] = np.array(kinds, dtype=np.int64)[back] if kinds else []
    sets = tuple(tuple(np.frombuffer(key, dtype=np.int32).tolist()) for key in interned)
    return _Wanted(kind, sets)


def _labels(
    events: Events, contract: Contract, units: Units, slot: Array, chunk: Array, part: Array
) -> tuple[Array, Array]:
    """For every kind of promise, by number, the labels of the cells whose contributions it wants.

    A contribution that no rank starts with, or that starts in another part, is `FOREIGN`.
    """
    ranks_of = contract.part.T[slot]
    number, rank = np.nonzero(ranks_of)
    wanted = chunk[number]
    leaf = rank * events.slots + wanted
    known = events.contract.starts[rank, wanted] & (units.part[leaf] == part[number])
    return number, np.where(known, units.label[leaf], FOREIGN)


def _connected(events: Events) -> Array:
    """The part of every cell, as the smallest cell of it (or its slot, when nothing changes slot)."""
    cells = events.ranks * events.slots
    if (events.chunk == events.into).all():
        return np.tile(np.arange(events.slots), events.ranks)
    part = np.arange(cells)
    a = events.sender * events.slots + events.chunk
    b = events.receiver * events.slots + events.into
    while (part[a] != part[b]).any():
        low = np.minimum(part[a], part[b])
        np.minimum.at(part, part[a], low)
        np.minimum.at(part, part[b], low)
        while (part != part[part]).any():
            part = part[part]
    return part


def representatives(events: Events) -> tuple[list[Unit], int]:
    """One unit of every shape, and how many units there are.

    Sends within a step have no order, so several orders are tried and the one with the fewest
    shapes wins; a bad order only costs time.
    """
    units = Units(events)
    shapes = units.shapes()
    parts = len(unique(units.part))
    for key in (_relative, _mirrored, _colours):
        if len(shapes) > 2:
            other = Units(events, key(events))
            found = other.shapes()
            if len(found) < len(shapes):
                units, shapes = other, found
    return [units.unit(part) for part in shapes.values()], parts


def _relative(events: Events) -> Array:
    distance: Array = (events.sender - events.chunk) % events.ranks
    return distance


def _mirrored(events: Events) -> Array:
    distance: Array = events.sender ^ events.chunk
    return distance


def _colours(events: Events) -> Array:
    """A number for every send that depends on what comes before and after it, not on names."""
    cells = events.ranks * events.slots
    source = events.sender * events.slots + events.chunk
    target = events.receiver * events.slots + events.into
    salt = (2 * events.step + events.reduce + 1).astype(np.uint64) * _ODD
    bounds = events.bounds.tolist()
    colour = np.zeros(len(source), dtype=np.uint64)
    for forward in (1, -1):
        state = np.ones(cells, dtype=np.uint64)
        for step in range(events.steps)[::forward]:
            here = slice(bounds[step], bounds[step + 1])
            a, b = (source[here], target[here])[::forward]
            mixed = (state[a] ^ salt[here]) * _ODD
            mixed ^= mixed >> np.uint64(29)
            np.add.at(state, b, mixed)
            colour[here] = colour[here] * _ODD + state[a] * np.uint64(3) + state[b]
    return colour


def first_unit(events: Events) -> list[Unit]:
    """Every unit with a cell of slot 0; they stand for all when the rows commute with rotation.

    Rotation takes cell (r, c) to (r + 1, c + 1): every cell comes from one of slot 0, not every cell
    from (0, 0).
    """
    in_place = bool((events.chunk == events.into).all())
    units = Units(events, only=0 if in_place else None)
    first = units.part[:: events.slots]
    return [units.unit(part) for part in unique(first).tolist()]


def every_unit(events: Events) -> Iterator[Unit]:
    """All units, for those who do not trust symmetry."""
    units = Units(events)
    yield from (units.unit(part) for part in unique(units.part).tolist())
