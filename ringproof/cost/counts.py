"""What a table costs at one size, counted from its executed sends and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from ringproof.cost.values import Counted, Link, Spread
from ringproof.events import Events

Array = np.ndarray[Any, np.dtype[Any]]


def count(events: Events) -> Counted:
    """Count the sends of a table that can run: every rank, slot and step exists."""
    moving, N = events.message, events.ranks
    step, sender, receiver = events.step[moving], events.sender[moving], events.receiver[moving]
    sent, received = (np.bincount(ranks, minlength=N) for ranks in (sender, receiver))
    messages = _distinct((step * N + sender) * N + receiver)
    when, out, into = messages // (N * N), messages // N % N, messages % N
    scratch, swapped = _scratch(events), _swapped(events)
    sends_to, hears_from = (_per_step(events, when, ranks).max(axis=1) for ranks in (out, into))
    return Counted(
        chunks=events.chunks,
        steps=len(_distinct(step)),
        messages=len(messages),
        per_rank=int(np.bincount(out, minlength=N).max()),
        sent=Spread(int(sent.min()), int(sent.max())),
        received=Spread(int(received.min()), int(received.max())),
        total=len(step),
        link=_link(sender, receiver, N),
        scratch=int(scratch.max()),
        swapped=int(swapped.max()),
        temporary=int((scratch + swapped).max()),
        ports=(int(sends_to.max()), int(hears_from.max())),
        partners=_tally(np.maximum(sends_to, hears_from)),
        serial=_serial(events, step, sender, receiver),
        added=int(_per_step(events, events.step, events.receiver, events.reduce).max(axis=1).sum()),
    )


def _distinct(keys: Array) -> Array:
    """Every key once, ascending; numpy's own `unique` hashes, which is 50 times slower here."""
    ordered = np.sort(keys)
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def _per_step(events: Events, step: Array, rank: Array, keep: Array | None = None) -> Array:
    """How often each rank comes in each step: int64 (steps + 1, N); the last row is zero."""
    key = step * events.ranks + rank
    cells = (events.steps + 1) * events.ranks
    return np.bincount(key if keep is None else key[keep], minlength=cells).reshape(-1, events.ranks)


def _tally(most: Array) -> tuple[tuple[int, int], ...]:
    """How many steps have how many partners at most, steps without a message left out."""
    partners, steps = np.unique(most[most > 0], return_counts=True)
    return tuple(zip(partners.tolist(), steps.tolist(), strict=True))


def _serial(events: Events, step: Array, sender: Array, receiver: Array) -> int:
    """Chunks one after another: in each step the most that one rank sends or receives."""
    most = np.maximum(_per_step(events, step, sender), _per_step(events, step, receiver))
    return int(most.max(axis=1).sum())


def _link(sender: Array, receiver: Array, ranks: int) -> Link | None:
    if not len(sender):
        return None
    pairs, sends = np.unique(sender * ranks + receiver, return_counts=True)
    at = int(sends.argmax())
    equals = int((sends == sends[at]).sum())
    return Link(int(pairs[at]) // ranks, int(pairs[at]) % ranks, int(sends[at]), equals)


def _scratch(events: Events) -> Array:
    """For each rank, how many slots beyond the buffer are ever written."""
    beyond = events.into >= events.chunks
    cells = _distinct(events.receiver[beyond] * events.slots + events.into[beyond])
    return np.bincount(cells // events.slots, minlength=events.ranks)


def _swapped(events: Events) -> Array:
    """For each rank, the most slots that are written in the very step in which a message reads them.

    What arrives for such a slot needs a receive buffer until the slot has been sent; several values
    that are added to one slot are added up in one receive buffer.
    """
    cells, slots = events.ranks * events.slots, events.slots
    moving = events.message
    read = _distinct(events.step[moving] * cells + events.sender[moving] * slots + events.chunk[moving])
    written = _distinct(events.step * cells + events.receiver * slots + events.into)
    both = np.intersect1d(read, written, assume_unique=True)
    most: Array = _per_step(events, both // cells, both % cells // slots).max(axis=0)
    return most
