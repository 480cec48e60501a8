"""What slots hold at small sizes, phase by phase: the samples that invariants are learned from.

Not trusted: a wrong trace gives a wrong guess, which no obligation lets pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.events import Events, expand
from ringproof.proof.every_n.nodes import Samples
from ringproof.table.arrays import unique
from ringproof.table.schedule import Schedule
from ringproof.verdict import Size

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(slots=True)
class Trace:
    """One size.  ``bounds``: first step of every phase, and the end.

    ``live``, ``whole``: bool (steps + 1, N, slots); None where values do not just move and merge.
    ``holds``: bool (steps + 1, N, slots, parts): parts are ranks, or (rank, chunk) pairs where rows
    move values between slots.
    """

    size: Size
    events: Events
    bounds: tuple[int, ...]
    in_place: bool
    live: Array | None
    whole: Array | None
    holds: Array | None


def trace(schedule: Schedule, size: Size) -> Trace:
    """Replay one size; ``holds`` is filled in by `contents`."""
    events = expand(schedule, size)
    bounds = (*events.starts, events.steps)
    in_place = bool((events.chunk == events.into).all())
    moved = _moves(events) if in_place and events.slots == events.chunks else None
    live, whole = moved if moved else (None, None)
    return Trace(size, events, bounds, in_place, live, whole, None)


def _moves(events: Events) -> tuple[Array, Array] | None:
    N, slots = events.ranks, events.slots
    live = np.zeros((events.steps + 1, N, slots), dtype=bool)
    whole = live.copy()
    live[0] = events.contract.starts
    count = live[0].astype(np.int64)
    full = count.sum(axis=0)
    whole[0] = (count == full) & (full > 0)
    for t in range(events.steps):
        span = slice(int(events.bounds[t]), int(events.bounds[t + 1]))
        a, b, c = events.sender[span], events.receiver[span], events.chunk[span]
        add = events.reduce[span]
        now, held = live[t].copy(), count.copy()
        if not (now[a[add], c[add]].all() and now[b[add], c[add]].all()):
            return None
        if len(unique(a[add] * slots + c[add])) < int(add.sum()):
            return None
        if not whole[t][a[~add], c[~add]].all():
            return None
        np.add.at(held, (b[add], c[add]), count[a[add], c[add]])
        held[b[~add], c[~add]] = count[a[~add], c[~add]]
        now[a[add], c[add]] = False
        if not now[b[add], c[add]].all():
            return None
        count, live[t + 1] = held, now
        whole[t + 1] = (count == full) & (full > 0)
    return live, whole


def contents(trace: Trace, in_place: str) -> Array:
    """M of every step: bool (steps + 1, N, slots, parts); ``in_place`` "" adds the chunk."""
    events = trace.events
    N, slots, chunks = events.ranks, events.slots, events.chunks
    parts = N if in_place else N * chunks
    held = np.zeros((events.steps + 1, N, slots, parts), dtype=bool)
    rank, slot = np.nonzero(events.contract.starts)
    held[0, rank, slot, rank if in_place else rank * chunks + slot] = True
    for t in range(events.steps):
        span = slice(int(events.bounds[t]), int(events.bounds[t + 1]))
        a, b = events.sender[span], events.receiver[span]
        c, d, add = events.chunk[span], events.into[span], events.reduce[span]
        held[t + 1] = held[t]
        held[t + 1, b[~add], d[~add]] = held[t, a[~add], c[~add]]
        np.logical_or.at(held[t + 1], (b[add], d[add]), held[t, a[add], c[add]])
    return held


@dataclass(slots=True)
class Grid:
    """One predicate of one phase at all sampled places; ``names`` of the axes, step first."""

    samples: Samples
    value: Array
    after: Array
    last: Array
    start: Array
    shape: Array

    def at(self, places: Array, step: Array, rank: Array, slot: Array) -> Array:
        """The value at another rank and slot, for the contribution of ``places``; False outside."""
        ranks, slots, parts = self.shape[places].T
        part = (places - self.start[places]) % parts
        good = (rank >= 0) & (rank < ranks) & (slot >= 0) & (slot < slots)
        index = self.start[places] + ((step * ranks + rank) * slots + slot) * parts + part
        found: Array = good & self.value[np.where(good, index, 0)]
        return found


def grid(traces: list[Trace], arrays: list[Array], phase: int, names: tuple[str, ...]) -> Grid:
    """Every place of a phase, from its start to its end; ``after``: the value one step later."""
    columns: dict[str, list[Array]] = {}
    values, afters, lasts, starts, shapes = [], [], [], [], []
    start = 0
    for one, array in zip(traces, arrays, strict=True):
        lo, hi = one.bounds[phase], one.bounds[phase + 1]
        part = array[lo : hi + 1]
        if part.ndim == 4 and len(names) == 5:
            part = part.reshape(*part.shape[:3], -1, one.events.chunks)
        places = np.indices(part.shape).reshape(part.ndim, -1)
        for label, axis in zip(names, places, strict=True):
            columns.setdefault(label, []).append(axis)
        for label, number in (("N", one.size.N), *one.size.params):
            columns.setdefault(label, []).append(np.full(places.shape[1], number))
        values.append(part.reshape(-1))
        nxt = np.concatenate([part[1:], part[-1:]])
        afters.append(nxt.reshape(-1))
        lasts.append(places[0] == hi - lo)
        count = places.shape[1]
        starts.append(np.full(count, start))
        parts = int(np.prod(part.shape[3:], dtype=np.int64))
        shapes.append(np.tile([part.shape[1], part.shape[2], parts], (count, 1)))
        start += count
    samples = Samples({k: np.concatenate(v) for k, v in columns.items()})
    joined = [np.concatenate(v) for v in (values, afters, lasts, starts, shapes)]
    return Grid(samples, *joined)
