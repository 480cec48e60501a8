"""Running a program: one order of its steps, or where every order ends when it hangs.

A step runs as a whole, once its message is there, the step it waits for has raised its flag, and the
connection it sends on holds fewer unreceived messages than the window.  None of these conditions is
ever undone by another threadblock while one waits: a message, a flag and a free slot wait for just the
one threadblock that uses them.  So where no connection is shared, what can ever run does not depend on
the order, and one run decides whether any hangs.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from ringproof.program.steps import NEVER, NOTHING, Steps

ANY = 1 << 60


@dataclass(frozen=True, slots=True)
class Execution:
    """``order``: the steps that ran; ``partner``: for every receiving step the send that fed it, or
    NOTHING; ``stuck``: for every threadblock that cannot go on, the step it is at.
    """

    order: tuple[int, ...]
    partner: tuple[int, ...]
    stuck: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """What a stuck step waits for: ``on`` is the threadblock that would have to go on, NEVER if none can."""

    step: int
    kind: Literal["message", "flag", "slot", "peer"]
    on: int


class _Machine:
    """The state of a run: messages sent and taken on every connection, and who waits for what."""

    def __init__(self, steps: Steps, window: int) -> None:
        self.steps, self.window = steps, window
        self.done = bytearray(len(steps.steps))
        self.sent: list[deque[int]] = [deque() for _ in steps.connections]
        self.order: list[int] = []
        self.partner = [NOTHING] * len(steps.steps)
        self.flag_waiters: dict[int, list[int]] = {}
        self.message_waiters: dict[int, list[int]] = {}
        self.slot_waiters: dict[int, list[int]] = {}

    def blocked(self, x: int) -> tuple[dict[int, list[int]], int] | None:
        """Where to wait for what step ``x`` still needs; key NEVER is never woken."""
        steps = self.steps
        raiser, into, out = steps.raiser[x], steps.into[x], steps.out[x]
        if raiser != NOTHING and (raiser == NEVER or not self.done[raiser]):
            return self.flag_waiters, raiser
        if into != NOTHING and (into == NEVER or not self.sent[into]):
            return self.message_waiters, into
        if out != NOTHING and (out == NEVER or len(self.sent[out]) >= self.window):
            return self.slot_waiters, out
        return None

    def run(self, tb: int, x: int) -> tuple[int, list[int]]:
        """Run one threadblock as far as it goes: the step it is at then, and whom it woke."""
        end, woken = self.steps.first[tb + 1], list[int]()
        into, out = self.steps.into, self.steps.out
        while x < end:
            if (wait := self.blocked(x)) is not None:
                wait[0].setdefault(wait[1], []).append(tb)
                break
            if (c := into[x]) >= 0:
                self.partner[x] = self.sent[c].popleft()
                woken += self.slot_waiters.pop(c, ())
            if (c := out[x]) >= 0:
                self.sent[c].append(x)
                woken += self.message_waiters.pop(c, ())
            self.done[x] = 1
            self.order.append(x)
            woken += self.flag_waiters.pop(x, ())
            x += 1
        return x, woken


def _ran(steps: Steps, window: int) -> tuple[_Machine, list[int]]:
    """A machine that can go no further, and the next step of every threadblock."""
    machine = _Machine(steps, window)
    at = list(steps.first[:-1])
    ready = deque(range(len(at)))
    while ready:
        tb = ready.popleft()
        at[tb], woken = machine.run(tb, at[tb])
        ready.extend(woken)
    return machine, at


def execute(steps: Steps, window: int = ANY) -> Execution:
    """Run a program in one order, deterministically, with at most ``window`` messages on a connection."""
    machine, at = _ran(steps, window)
    stuck = tuple(x for tb, x in enumerate(at) if x < steps.first[tb + 1])
    return Execution(tuple(machine.order), tuple(machine.partner), stuck)


def waits(steps: Steps, window: int = ANY) -> tuple[Wait, ...]:
    """What every stuck threadblock of a run waits for, one thing each."""
    machine, at = _ran(steps, window)
    found = []
    for tb, x in enumerate(at):
        if x < steps.first[tb + 1] and (wait := machine.blocked(x)) is not None:
            found.append(_wait(steps, machine, x, wait))
    return tuple(found)


def _wait(steps: Steps, machine: _Machine, x: int, wait: tuple[dict[int, list[int]], int]) -> Wait:
    waiters, key = wait
    if waiters is machine.flag_waiters:
        return Wait(x, "flag", NEVER if key == NEVER else steps.tb_of[key])
    if key == NEVER:
        return Wait(x, "peer", NEVER)
    connection = steps.connections[key]
    message = waiters is machine.message_waiters
    others = connection.senders if message else connection.receivers
    return Wait(x, "message" if message else "slot", others[0] if others else NEVER)


def smallest_window(steps: Steps) -> int | None:
    """The smallest window with which nothing hangs, None where everything hangs with any window.

    A larger window only takes conditions away, so the windows that hang are those below it.
    """
    if execute(steps).stuck:
        return None
    hangs, runs = 0, 1
    while execute(steps, runs).stuck:
        hangs, runs = runs, 2 * runs
    while runs - hangs > 1:
        middle = (hangs + runs) // 2
        if execute(steps, middle).stuck:
            hangs = middle
        else:
            runs = middle
    return runs
