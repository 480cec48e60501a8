"""Is a table as good as any could be?  What it counts against what no schedule can do better.

A step bound speaks of schedules with as many partners a step and as many chunks a message as this
table uses itself: news spreads to at most ports + 1 times as many ranks a step, and the busiest rank
moves at most ports * message chunks a step.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from ringproof.cost.best import Best
from ringproof.cost.bounds import bounds
from ringproof.cost.counts import count
from ringproof.events import Events


def best(events: Events, what: str) -> Best | None:
    """Compare one count with its closed-form bound; None where no bound is known."""
    counted = count(events)
    bound = bounds(events.contract, counted.ports)
    if bound is None:
        return None
    ports, message = max(counted.ports), largest_message(events)
    most = max(bound.sent, bound.received)
    if what == "traffic":
        moved = max(counted.sent.most, counted.received.most)
        return Best(what, Fraction(moved, counted.chunks), most, ports, message)
    capacity = max(ports * message, 1)
    least = max(bound.steps, ceil(most * counted.chunks / capacity))
    return Best(what, Fraction(counted.steps), Fraction(least), ports, message)


def largest_message(events: Events) -> int:
    """The most chunks that one rank sends to one other in one step."""
    moving, N = events.message, events.ranks
    pair = (events.step[moving] * N + events.sender[moving]) * N + events.receiver[moving]
    pair.sort()
    starts = np.flatnonzero(np.diff(pair, prepend=-1))
    return int(np.diff(starts, append=len(pair)).max(initial=0))
