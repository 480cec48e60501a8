"""Exact replay, second half: what every value contains, as a multiset of contributions.

Contributions are counted, never OR-ed: a row of a block is one value, a column one contribution
(k, c), an entry how often it is in it.  Slots that no send connects never mix, so they are worked
out block by block and N = 1024 fits in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, log2
from typing import Any

import numpy as np

from ringproof.events import Events
from ringproof.problem import ExpansionError, Problem
from ringproof.simulate.state import UNSET, Trail
from ringproof.table.arrays import unique

Array = np.ndarray[Any, np.dtype[Any]]
BLOCK_BYTES = 1 << 27


@dataclass(frozen=True, slots=True)
class Block:
    """The values of some groups of connected slots.

    ``values`` (rows,) are the values in it, ``matrix`` (rows, N * chunks of a group) their
    multisets; row 0 is the empty one.  ``row``: value -> row.  ``place``: chunk -> its column within
    a group.  ``slots``: bool, the slots of these groups.
    """

    values: Array
    matrix: Array
    row: Array
    place: Array
    slots: Array
    chunks: int

    def rows(self, values: Array) -> Array:
        """The multisets of ``values``: one row each."""
        return self.matrix[self.row[values]]


def groups(events: Events) -> Array:
    """The group of every slot: two slots share one when a send reads the one and writes the other."""
    group = np.arange(events.slots)
    if (events.chunk == events.into).all():
        return group
    pairs = unique(events.chunk * events.slots + events.into)
    a, b = pairs // events.slots, pairs % events.slots
    crossing = a != b
    a, b = a[crossing], b[crossing]
    while (group[a] != group[b]).any():
        low = np.minimum(group[a], group[b])
        np.minimum.at(group, group[a], low)
        np.minimum.at(group, group[b], low)
        group = group[group]
    return group


def blocks(events: Events, trail: Trail, memory: float) -> Iterator[Block]:
    """The contents of all values, block by block; groups in which nothing is added are left out.

    Errors: `ExpansionError` when one group alone needs more than ``memory`` bytes.
    """
    group = groups(events)
    adding = np.flatnonzero(events.reduce)
    target_group = group[events.into[adding]]
    width = events.ranks * np.bincount(group[: events.chunks], minlength=events.slots)
    made = np.bincount(target_group, minlength=events.slots)
    rows = made + np.bincount(group[trail.leaf_chunk], minlength=events.slots)
    mixing = np.flatnonzero(made)
    kind = _dtype(trail)
    need = (rows * width)[mixing] * _bytes_each(events, trail, kind)
    if need.size and need.max() > memory:
        facts = {"need": int(need.max()), "memory": memory}
        raise ExpansionError((Problem("memory", events.size, (), facts=facts),))
    row = np.zeros(len(trail.total), dtype=np.int64)
    for members in _batches(mixing, width, need):
        inside = np.isin(group, members)
        mine = adding[inside[events.into[adding]]]
        yield _block(events, trail, group, inside, mine, kind, row)


def _batches(mixing: Array, width: Array, need: Array) -> Iterator[Array]:
    """Groups of equal width, as many at a time as a block may hold."""
    order = np.argsort(width[mixing], kind="stable")
    start, used = 0, 0.0
    for i, at in enumerate(order):
        full = used + need[at] > BLOCK_BYTES
        if i > start and (full or width[mixing[at]] != width[mixing[order[start]]]):
            yield mixing[order[start:i]]
            start, used = i, 0.0
        used += need[at]
    if len(order):
        yield mixing[order[start:]]


def _dtype(trail: Trail) -> np.dtype[Any]:
    """The narrowest type that no count can overflow; Python integers when 64 bits could."""
    most = float(trail.total.max(initial=0))
    for name, top in (("u1", 2**8), ("u2", 2**16), ("i8", 2**62)):
        if most < top:
            return np.dtype(name)
    return np.dtype(object)


def _bytes_each(events: Events, trail: Trail, kind: np.dtype[Any]) -> float:
    """What one count takes: a Python integer has as many bits as sums can double what they add."""
    if kind.kind != "O":
        return float(kind.itemsize)
    most = float(trail.total.max())
    bits = log2(most) if most < inf else np.count_nonzero(events.reduce)
    return kind.itemsize + 32 + bits / 8


def _block(
    events: Events, trail: Trail, group: Array, inside: Array, adding: Array,
    kind: np.dtype[Any], row: Array,
) -> Block:  # fmt: skip
    chunks = np.flatnonzero(inside[: events.chunks])
    members, size = np.unique(group[chunks], return_counts=True)
    per_group = int(size.max(initial=0))
    place = np.zeros(events.chunks, dtype=np.int64)
    for member in members if per_group > 1 else ():
        mine = chunks[group[chunks] == member]
        place[mine] = np.arange(len(mine))
    leaf = np.flatnonzero(inside[trail.leaf_chunk])
    made = unique(trail.after[adding])
    values = np.concatenate([[UNSET], leaf + 1, made])
    row[values] = np.arange(len(values))
    matrix = np.zeros((len(values), events.ranks * per_group), dtype=kind)
    column = trail.leaf_rank[leaf] * per_group + place[trail.leaf_chunk[leaf]]
    matrix[1 : 1 + len(leaf), :][np.arange(len(leaf)), column] = 1
    _add(matrix, row, trail, events.step[adding], adding)
    return Block(values, matrix, row, place, inside, per_group)


def _add(matrix: Array, row: Array, trail: Trail, step: Array, adding: Array) -> None:
    """Work out every sum, step by step: what the slot held and everything added to it."""
    new, old, read = (row[x[adding]] for x in (trail.after, trail.before, trail.sent))
    edges = np.flatnonzero(np.diff(step)) + 1
    for a, b in zip([0, *edges.tolist()], [*edges.tolist(), len(adding)], strict=True):
        lo, hi = int(new[a]), int(new[b - 1]) + 1
        if hi - lo == b - a:
            np.add(matrix[old[a:b]], matrix[read[a:b]], out=matrix[lo:hi])
            continue
        order = np.argsort(new[a:b], kind="stable") + a
        targets, first = np.unique(new[order], return_index=True)
        sums = np.add.reduceat(matrix[read[order]], first, axis=0, dtype=matrix.dtype)
        matrix[targets] = matrix[old[order][first]] + sums
