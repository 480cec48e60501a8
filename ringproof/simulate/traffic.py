"""What a schedule costs, counted from the executed sends."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ringproof.events import Events


@dataclass(frozen=True, slots=True)
class Counts:
    """``steps`` in which a message moves; chunk-sends of the busiest sender and in all; buffers (D)
    that the busiest rank sends and the busiest rank receives, exact."""

    steps: int
    sends_per_rank: int
    total_sends: int
    traffic: Fraction
    received: Fraction
    idle_steps: tuple[int, ...]

    def of(self, what: str) -> Fraction:
        """The count that a claim names."""
        return Fraction(getattr(self, what))


NOTHING = Counts(0, 0, 0, Fraction(0), Fraction(0), ())


def count(events: Events) -> Counts:
    """Count the messages; local moves cost nothing."""
    moving = events.message
    sent = np.bincount(events.sender[moving], minlength=events.ranks)
    received = np.bincount(events.receiver[moving], minlength=events.ranks)
    busy = np.zeros(events.steps, dtype=bool)
    busy[events.step[moving]] = True
    anything = np.zeros(events.steps, dtype=bool)
    anything[events.step] = True
    return Counts(
        steps=int(busy.sum()),
        sends_per_rank=int(sent.max(initial=0)),
        total_sends=int(sent.sum()),
        traffic=Fraction(int(sent.max(initial=0)), events.chunks),
        received=Fraction(int(received.max(initial=0)), events.chunks),
        idle_steps=tuple(np.flatnonzero(~anything).tolist()),
    )
