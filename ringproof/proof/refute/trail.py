"""Bounds in force, in the order in which they came, and why.  Not trusted.

A literal (key, bound) holds where ``upper[key] <= bound``, and fails where its negation holds.  An
event is a bound that became tighter; its reason is the number of a clause all of whose other
literals failed, or `DECIDED`.
"""

from __future__ import annotations

from math import inf
from typing import cast

from ringproof.proof.refute.problem import Literal

DECIDED = -1
UNBOUNDED = cast(int, inf)  # only ever compared, and never added to: a large int would overflow


class Trail:
    """``upper[key]``: the bound in force; the lists of events go in step."""

    def __init__(self) -> None:
        self.upper: list[int] = []
        self.last: list[int] = []  # key -> its latest event, -1 for none
        self.key: list[int] = []
        self.bound: list[int] = []
        self.before: list[int] = []  # the bound it replaced
        self.previous: list[int] = []  # the event it replaced
        self.reason: list[int] = []
        self.level: list[int] = []  # how many decisions there were, itself included
        self.starts: list[int] = []  # the events that are decisions

    def __len__(self) -> int:
        return len(self.key)

    def add_form(self) -> None:
        """Two keys more, unbounded."""
        self.upper += [UNBOUNDED, UNBOUNDED]
        self.last += [-1, -1]

    def fails(self, literal: Literal) -> bool:
        return self.upper[literal[0] ^ 1] < -literal[1]

    def decide(self, literal: Literal) -> None:
        """Suppose a literal: a level more."""
        self.starts.append(len(self.key))
        self.tighten(literal, DECIDED)

    def tighten(self, literal: Literal, reason: int) -> None:
        """A literal that did not hold before holds from now on."""
        key, bound = literal
        self.previous.append(self.last[key])
        self.before.append(self.upper[key])
        self.last[key] = len(self.key)
        self.upper[key] = bound
        self.key.append(key)
        self.bound.append(bound)
        self.reason.append(reason)
        self.level.append(len(self.starts))

    def back_to(self, level: int) -> int:
        """Undo every event above a level; the number of events left."""
        if level >= len(self.starts):
            return len(self.key)
        length = self.starts[level]
        for event in range(len(self.key) - 1, length - 1, -1):
            key = self.key[event]
            self.upper[key] = self.before[event]
            self.last[key] = self.previous[event]
        for events in (self.key, self.bound, self.before, self.previous, self.reason, self.level):
            del events[length:]
        del self.starts[level:]
        return length

    def source(self, literal: Literal, end: int) -> int:
        """The event from which on a literal holds, which it does before event ``end``."""
        key, bound = literal
        event = self.last[key]
        while event >= end:
            event = self.previous[event]
        while self.before[event] <= bound:
            event = self.previous[event]
        return event
