"""Exact replay, first half: which *value* every slot holds, as a number.

A value is 0 (unset), a rank's own part (a leaf) or a new sum.  Copies move numbers and every
reduce makes a new one, so a step costs a handful of numpy calls whatever the values contain; what
they contain is worked out afterwards, once per value (`contents`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.events import Events

Array = np.ndarray[Any, np.dtype[Any]]
UNSET = 0


@dataclass(frozen=True, slots=True)
class Trail:
    """What happened, event by event, in numbers of values.

    ``sent``, ``before``, ``after``: int64 (E,): the value sent, and what the target slot held before
    and after the step.  ``source``, ``target``: the cell (rank * slots + slot) read and written.
    ``leaves`` is how many values are leaves (1..leaves); ``leaf_rank`` and ``leaf_chunk`` say whose
    part of which chunk leaf i + 1 is.  ``total`` (values,): how many contributions, counted with
    repetition, are in each (float: an estimate beyond 2**53).  ``states``: step -> the value in
    every cell when that many steps are done.
    """

    sent: Array
    before: Array
    after: Array
    source: Array
    target: Array
    leaves: int
    leaf_rank: Array
    leaf_chunk: Array
    total: Array
    states: dict[int, Array]

    def final(self) -> Array:
        """The value in every cell at the end."""
        return self.states[max(self.states)]


def replay(events: Events) -> Trail:
    """Run the events in lock-step: all sends of a step read the state before it.

    Needs every rank and slot in range, and no conflicting copies.
    """
    slots = events.slots
    source = events.sender * slots + events.chunk
    target = events.receiver * slots + events.into
    leaf_rank, leaf_chunk = np.nonzero(events.contract.starts)
    leaves = len(leaf_rank)
    made, values = _sums(events, target, leaves)
    state = np.zeros(events.ranks * slots, dtype=np.int64)
    state[leaf_rank * slots + leaf_chunk] = np.arange(1, leaves + 1)
    total = np.ones(values)
    total[UNSET] = 0
    total[leaves + 1 :] = 0
    sent, before, after = (np.empty(len(source), dtype=np.int64) for _ in range(3))
    keep = {events.steps, *(e.step for e in events.ensures)}
    states = {0: state.copy()} if 0 in keep else {}
    adds = np.concatenate([[0], np.cumsum(events.reduce)])[events.bounds].tolist()
    bounds = events.bounds.tolist()
    for step in range(events.steps):
        a, b = bounds[step], bounds[step + 1]
        reduces = adds[step + 1] - adds[step]
        to = target[a:b]
        read, old = state[source[a:b]], state[to]
        sent[a:b], before[a:b] = read, old
        if not reduces:
            new = read
        elif reduces == b - a:
            new = made[a:b]
            _tally(total, new, read, old)
        else:
            adding = events.reduce[a:b]
            new = np.where(adding, made[a:b], read)
            _tally(total, new[adding], read[adding], old[adding])
        after[a:b] = new
        state[to] = new
        if step + 1 in keep:
            states[step + 1] = state.copy()
    return Trail(
        sent, before, after, source, target, leaves, leaf_rank, leaf_chunk, total, states
    )


def _sums(events: Events, target: Array, leaves: int) -> tuple[Array, int]:
    """The number of the sum each reduce makes: one for all reduces into a cell in a step."""
    adding = np.flatnonzero(events.reduce)
    key = events.step[adding] * (events.ranks * events.slots) + target[adding]
    made = np.zeros(len(target), dtype=np.int64)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.ones(len(key), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    if first.all():
        made[adding] = np.arange(leaves + 1, leaves + 1 + len(adding))
        return made, leaves + 1 + len(adding)
    leader = np.zeros(len(key), dtype=bool)
    leader[order[first]] = True
    number = np.cumsum(leader) + leaves  # numbered in event order, so that operands come first
    made[adding[order]] = number[order[first]][np.cumsum(first) - 1]
    return made, leaves + 1 + int(leader.sum())


@np.errstate(over="ignore")  # beyond the floats, more is still more: infinite
def _tally(total: Array, new: Array, read: Array, old: Array) -> None:
    lo, hi = int(new.min()), int(new.max()) + 1
    if hi - lo == len(new):
        total[lo:hi] = total[old] + total[read]  # one reduce a cell: the new numbers are a range
    else:
        total[new] = total[old]
        np.add.at(total, new, total[read])
