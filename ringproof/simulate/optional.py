"""Properties that are judged on request: used, ports, order, no-swap."""

from __future__ import annotations

from typing import Any

import numpy as np

from ringproof.events import Events
from ringproof.simulate.properties import Violations
from ringproof.simulate.state import Trail

Array = np.ndarray[Any, np.dtype[Any]]


def used(events: Events, trail: Trail) -> Violations:
    """Every value sent reaches a promised slot: found by walking the steps backwards."""
    promised = np.zeros((events.ranks, events.slots), dtype=bool)
    promised[:, : events.chunks] = events.contract.ends
    live: Array = promised.ravel()
    bounds = events.bounds.tolist()
    useful = np.zeros(len(trail.source), dtype=bool)
    for step in range(events.steps - 1, -1, -1):
        here = slice(bounds[step], bounds[step + 1])
        target, reduce = trail.target[here], events.reduce[here]
        wanted = live[target]
        useful[here] = wanted
        live[target[~reduce]] = False
        live[trail.source[here][wanted]] = True
    bad = np.flatnonzero(~useful & events.message)
    return Violations(tuple(bad.tolist()), total=int(events.message.sum()))


def ports(events: Events, most: int) -> Violations:
    """At most ``most`` distinct partners a step, each way."""
    moving = np.flatnonzero(events.message)
    step, N = events.step[moving], events.ranks
    bad: list[int] = []
    for here, there in (
        (events.sender[moving], events.receiver[moving]),
        (events.receiver[moving], events.sender[moving]),
    ):
        pair, first = np.unique((step * N + here) * N + there, return_index=True)
        side = pair // N
        start = np.flatnonzero(np.diff(side, prepend=-1))
        nth = np.arange(len(side)) - start[np.cumsum(np.diff(side, prepend=-1) != 0) - 1]
        bad += moving[first[nth >= most]].tolist()
    return Violations(tuple(sorted(set(bad))), total=len(moving))


def no_swap(events: Events, trail: Trail) -> Violations:
    """No slot is written in the step in which a message reads it."""
    cells = events.ranks * events.slots
    reads = np.flatnonzero(events.message)
    read = events.step[reads] * cells + trail.source[reads]
    written = events.step * cells + trail.target
    order = np.argsort(written, kind="stable")
    at = np.searchsorted(written[order], read)
    hit = np.zeros(len(read), dtype=bool)
    inside = at < len(order)
    hit[inside] = written[order[at[inside]]] == read[inside]
    other = order[at[hit]]
    return Violations(tuple(reads[hit].tolist()), other=tuple(other.tolist()), total=len(reads))


def order(events: Events, trail: Trail) -> Violations:
    """All ranks add in the same order, so floating-point results are the same bit by bit.

    Sums are compared as unordered trees: addition commutes in floating point, it does not associate.
    A sum of several reduces in one step has no stated order and equals only itself.
    """
    shape = np.arange(len(trail.total))
    seen: dict[tuple[int, int], int] = {}
    adding = np.flatnonzero(events.reduce)
    made, parts = np.unique(trail.after[adding], return_counts=True)
    several = np.zeros(len(trail.total), dtype=bool)
    several[made[parts > 1]] = True
    rows = zip(*(x[adding].tolist() for x in (trail.after, trail.before, trail.sent)), strict=True)
    for after, before, sent in rows:
        if not several[after]:
            a, b = int(shape[before]), int(shape[sent])
            shape[after] = seen.setdefault((min(a, b), max(a, b)), after)
    final = trail.final().reshape(events.ranks, events.slots)
    chunk = np.where(events.contract.ends, events.contract.chunk, -1)
    first: dict[int, int] = {}
    cells = []
    for rank, slot in zip(*np.nonzero(events.contract.ends), strict=True):
        got = int(shape[final[rank, slot]])
        if first.setdefault(int(chunk[rank, slot]), got) != got:
            cells.append((int(rank), int(slot)))
    if events.contract.collective in ("all-to-all", "all-gather", "gather"):
        cells = []  # nothing is added: every promised value is one rank's own part
    return Violations(cells=tuple(cells), total=int(events.contract.ends.sum()))
