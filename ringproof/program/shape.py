"""What can be said of a program without running it: operands, peers, messages and dependences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ringproof.program.model import READS_SOURCE, READS_TARGET, WRITES
from ringproof.program.steps import NEVER, Connection, Steps


@dataclass(frozen=True, slots=True)
class Outside:
    """An operand that reaches beyond its buffer of ``chunks`` chunks."""

    step: int
    side: Literal["src", "dst"]
    chunks: int


@dataclass(frozen=True, slots=True)
class Unequal:
    """A message of which not as many chunks are received as were sent."""

    send: int
    receive: int


@dataclass(frozen=True, slots=True)
class Shape:
    """Everything that is wrong with a program as it stands, each in the order of the steps.

    ``alone``: steps that send or receive in a threadblock without that peer.  ``shared``: connections
    that several threadblocks use on one side.  ``uneven``: connections with more sends or more receives.
    ``absent``: steps that wait for a step that is not there; ``unraised``: for one that never says so.
    """

    outside: tuple[Outside, ...]
    alone: tuple[int, ...]
    shared: tuple[Connection, ...]
    unequal: tuple[Unequal, ...]
    uneven: tuple[Connection, ...]
    absent: tuple[int, ...]
    unraised: tuple[int, ...]

    @property
    def determined(self) -> bool:
        """Whether the steps say what they do: which cells, which messages."""
        return not (self.outside or self.alone or self.shared or self.unequal)


def shape(steps: Steps) -> Shape:
    """Look at every step, connection and dependence of a program."""
    alone = [x for x in range(len(steps.steps)) if NEVER in (steps.out[x], steps.into[x])]
    plain = [c for c in steps.connections if not c.shared]
    unequal = [
        Unequal(a, b) for c in plain for a, b in zip(c.sends, c.receives, strict=False)
        if steps.steps[a].cnt != steps.steps[b].cnt
    ]  # fmt: skip
    missing = [x for x, raiser in enumerate(steps.raiser) if raiser == NEVER]
    absent = {x for x in missing if not _exists(steps, x)}
    return Shape(
        tuple(_outside(steps)), tuple(alone), tuple(c for c in steps.connections if c.shared),
        tuple(unequal), tuple(c for c in steps.connections if len(c.sends) != len(c.receives)),
        tuple(x for x in missing if x in absent), tuple(x for x in missing if x not in absent),
    )  # fmt: skip


def _outside(steps: Steps) -> Iterator[Outside]:
    gpus = {gpu.id: gpu for gpu in steps.program.gpus}
    for x, step in enumerate(steps.steps):
        gpu = gpus[steps.rank(x)]
        if step.op in READS_SOURCE:
            chunks = gpu.chunks(step.srcbuf)
            if step.srcoff < 0 or step.srcoff + step.cnt > chunks:
                yield Outside(x, "src", chunks)
        if step.op in WRITES or step.op in READS_TARGET:
            chunks = gpu.chunks(step.dstbuf)
            if step.dstoff < 0 or step.dstoff + step.cnt > chunks:
                yield Outside(x, "dst", chunks)


def _exists(steps: Steps, x: int) -> bool:
    """Whether the step that a step waits for is there."""
    step, tb = steps.steps[x], steps.tb_of[x]
    same = steps.rank_of[tb]
    base = steps.rank_of.index(same)
    other = base + step.depid
    if other >= len(steps.tbs) or steps.rank_of[other] != same:
        return False
    return 0 <= step.deps < len(steps.tbs[other].steps)

