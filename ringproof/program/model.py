"""A program as a GPU runtime loads it: GPUs of threadblocks, each a list of steps; names are the format's.

A program can be built without a file; ``at`` then stays -1, and it is checked as any other:

    Program("pair", "allreduce", chunks=1, gpus=(
        Gpu(0, i_chunks=1, tbs=(Threadblock(0, send=1, recv=1, steps=(
            Step("s", "i", 0, "i", 0), Step("rrc", "i", 0, "i", 0))),)), ...))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

Buffer = Literal["i", "o", "s"]
Op = Literal["s", "r", "rcs", "rrc", "rrs", "rrcs", "re", "cpy", "nop"]
Protocol = Literal["Simple", "LL", "LL128"]
Case = Literal["in place", "out of place"]

BUFFERS: tuple[Buffer, ...] = get_args(Buffer)
OPS: tuple[Op, ...] = get_args(Op)
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
SENDS = frozenset({"s", "rcs", "rrs", "rrcs"})
RECEIVES = frozenset({"r", "rcs", "rrc", "rrs", "rrcs"})
READS_SOURCE = frozenset({"s", "rrc", "rrs", "rrcs", "re", "cpy"})
READS_TARGET = frozenset({"re"})
WRITES = frozenset({"r", "rcs", "rrc", "rrcs", "re", "cpy"})
ADDS = frozenset({"rrc", "rrs", "rrcs", "re"})

# How `coll` is spelled -> the collective of our catalogue; the others promise nothing that is known.
COLLECTIVE_OF: Mapping[str, str] = MappingProxyType({
    "allreduce": "all-reduce", "allgather": "all-gather", "alltoall": "all-to-all",
    "reduce_scatter": "reduce-scatter", "reducescatter": "reduce-scatter", "broadcast": "broadcast",
    "reduce": "reduce", "gather": "gather", "scatter": "scatter",
})  # fmt: skip
UNPROMISED = ("alltoallv", "send", "recv", "custom")


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on ``cnt`` consecutive chunks; which operands an op has, the sets above say.

    ``depid``, ``deps``: wait until threadblock ``depid`` of the same GPU raised its flag to ``deps`` or
    more; -1 waits for nothing.  ``hasdep``: the step raises its own threadblock's flag to its number.
    A step's number is its place in its threadblock.  ``at``: byte offset of its element in the file.
    """

    op: Op
    srcbuf: Buffer = "i"
    srcoff: int = -1
    dstbuf: Buffer = "o"
    dstoff: int = -1
    cnt: int = 1
    depid: int = -1
    deps: int = -1
    hasdep: bool = False
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Threadblock:
    """One sequential process; ``send``, ``recv``: the ranks it sends to and receives from, -1 for none."""

    id: int
    send: int = -1
    recv: int = -1
    chan: int = 0
    steps: tuple[Step, ...] = ()
    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Gpu:
    """One rank with its buffers, in chunks; ``tbs`` in the order of their ids, which are 0, 1, ..."""

    id: int
    i_chunks: int = 0
    o_chunks: int = 0
    s_chunks: int = 0
    tbs: tuple[Threadblock, ...] = ()
    at: int = field(default=-1, compare=False)

    def chunks(self, buffer: Buffer) -> int:
        """How many chunks the file says that a buffer has."""
        return {"i": self.i_chunks, "o": self.o_chunks, "s": self.s_chunks}[buffer]


@dataclass(frozen=True, slots=True)
class Program:
    """One schedule file; ``gpus`` in the order of their ids, which are 0..N-1.

    ``coll`` as the file spells it; ``chunks``: nchunksperloop.  ``outofplace``, ``min_bytes`` and
    ``max_bytes`` are None where the file does not say.
    """

    name: str
    coll: str
    chunks: int
    gpus: tuple[Gpu, ...]
    proto: Protocol = "Simple"
    nchannels: int = 1
    inplace: bool = True
    outofplace: bool | None = None
    min_bytes: int | None = None
    max_bytes: int | None = None
    at: int = field(default=-1, compare=False)

    @property
    def ranks(self) -> int:
        """N, the number of GPUs."""
        return len(self.gpus)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The ways to call it that the file allows; a file that allows none is read as out of place."""
        both: tuple[tuple[Case, bool], ...] = (
            ("in place", self.inplace), ("out of place", bool(self.outofplace)))  # fmt: skip
        return tuple(case for case, holds in both if holds) or ("out of place",)

    @property
    def size(self) -> int:
        """The number of steps."""
        return sum(len(tb.steps) for gpu in self.gpus for tb in gpu.tbs)
