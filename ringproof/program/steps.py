"""A program as flat columns: every step of every threadblock under one number.

Steps of one threadblock are consecutive, threadblocks of one GPU too, so that order in the columns is
program order wherever program order says anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ringproof.program.model import RECEIVES, SENDS, Gpu, Program, Step, Threadblock

NOTHING = -1
NEVER = -2


@dataclass(frozen=True, slots=True)
class Connection:
    """One FIFO with the threadblocks (by global number) that send and receive on it.

    ``sends``, ``receives``: their steps, of one threadblock after the other.
    """

    sender: int
    receiver: int
    chan: int
    senders: tuple[int, ...]
    receivers: tuple[int, ...]
    sends: tuple[int, ...]
    receives: tuple[int, ...]

    @property
    def shared(self) -> bool:
        """Whether several threadblocks use one side, so that no order tells whose message is whose."""
        return len(self.senders) > 1 or len(self.receivers) > 1


@dataclass(frozen=True, slots=True)
class Steps:
    """``tb_of``: for every step its threadblock; ``first``: for every threadblock its first step, and
    one more entry; ``rank_of``: for every threadblock its GPU.

    ``out``, ``into``: for every step the connection it sends on and receives from, or NOTHING, or NEVER
    where its threadblock has no such peer.  ``raiser``: the step whose flag it waits for, NOTHING where
    it waits for none, NEVER where no step ever raises that flag.
    """

    program: Program
    steps: tuple[Step, ...]
    tbs: tuple[Threadblock, ...]
    tb_of: tuple[int, ...]
    first: tuple[int, ...]
    rank_of: tuple[int, ...]
    connections: tuple[Connection, ...]
    out: tuple[int, ...]
    into: tuple[int, ...]
    raiser: tuple[int, ...]

    def rank(self, step: int) -> int:
        """The GPU that a step runs on."""
        return self.rank_of[self.tb_of[step]]

    def number(self, step: int) -> int:
        """A step's number within its threadblock."""
        return step - self.first[self.tb_of[step]]

    def name(self, step: int) -> str:
        """A step in words."""
        tb = self.tb_of[step]
        return f"GPU {self.rank_of[tb]}, threadblock {self.tbs[tb].id}, step {step - self.first[tb]}"


def flatten(program: Program) -> Steps:
    """Number the steps, find their connections and whose flag each waits for."""
    tbs = [(gpu, tb) for gpu in program.gpus for tb in gpu.tbs]
    first = [0]
    for _, tb in tbs:
        first.append(first[-1] + len(tb.steps))
    steps = [step for _, tb in tbs for step in tb.steps]
    tb_of = [t for t, (_, tb) in enumerate(tbs) for _ in tb.steps]
    connections = _connections(tbs, first)
    into, out = [NOTHING] * len(steps), [NOTHING] * len(steps)
    for x, step in enumerate(steps):
        out[x] = NEVER if step.op in SENDS else NOTHING
        into[x] = NEVER if step.op in RECEIVES else NOTHING
    for c, connection in enumerate(connections):
        for x in connection.sends:
            out[x] = c
        for x in connection.receives:
            into[x] = c
    return Steps(
        program, tuple(steps), tuple(tb for _, tb in tbs), tuple(tb_of), tuple(first),
        tuple(gpu.id for gpu, _ in tbs), tuple(connections), tuple(out), tuple(into),
        tuple(_raisers(program.gpus, first)),
    )  # fmt: skip


def _connections(tbs: list[tuple[Gpu, Threadblock]], first: list[int]) -> list[Connection]:
    """Every FIFO that some threadblock is on, in the order of (sender, receiver, channel)."""
    sides: dict[tuple[int, int, int], tuple[list[int], list[int]]] = {}
    for t, (gpu, tb) in enumerate(tbs):
        if tb.send >= 0:
            sides.setdefault((gpu.id, tb.send, tb.chan), ([], []))[0].append(t)
        if tb.recv >= 0:
            sides.setdefault((tb.recv, gpu.id, tb.chan), ([], []))[1].append(t)

    def using(side: list[int], ops: frozenset[str]) -> tuple[int, ...]:
        return tuple(
            first[t] + s for t in side for s, step in enumerate(tbs[t][1].steps) if step.op in ops
        )  # fmt: skip

    return [
        Connection(*key, tuple(senders), tuple(receivers), using(senders, SENDS), using(receivers, RECEIVES))
        for key, (senders, receivers) in sorted(sides.items())
    ]


def _raisers(gpus: tuple[Gpu, ...], first: list[int]) -> Iterator[int]:
    """For every step the first flagged step at or after the one it waits for: that flag sets it free."""
    base = 0
    for gpu in gpus:
        raised = [_next_flagged(tb) for tb in gpu.tbs]
        for tb in gpu.tbs:
            for step in tb.steps:
                if step.depid < 0:
                    yield NOTHING
                elif step.depid >= len(raised) or not 0 <= step.deps < len(raised[step.depid]):
                    yield NEVER
                else:
                    found = raised[step.depid][step.deps]
                    yield NEVER if found < 0 else first[base + step.depid] + found
        base += len(gpu.tbs)


def _next_flagged(tb: Threadblock) -> list[int]:
    found, last = [NOTHING] * len(tb.steps), NOTHING
    for s in range(len(tb.steps) - 1, -1, -1):
        last = s if tb.steps[s].hasdep else last
        found[s] = last
    return found
