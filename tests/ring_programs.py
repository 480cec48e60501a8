"""Right programs of any size for tests: rings, as one threadblock a channel or as two with flags."""

from __future__ import annotations

from ringproof.program.model import Gpu, Program, Step, Threadblock


def chain_ring(N: int, channels: int, chunks: int) -> Program:
    """All-reduce in place: every chunk is summed once around the ring, then copied on around it.

    Each channel is one threadblock a GPU and has ``chunks`` chunks of its own; chunk c starts at rank c % N.
    """
    gpus = []
    for rank in range(N):
        tbs = [
            Threadblock(channel, (rank + 1) % N, (rank - 1) % N, channel, _around(N, rank, channel, chunks))
            for channel in range(channels)
        ]
        gpus.append(Gpu(rank, channels * chunks, 0, 0, tuple(tbs)))
    name = f"chain ring, {channels} channels of {chunks} chunks"
    return Program(name, "allreduce", channels * chunks, tuple(gpus), nchannels=channels)


def _around(N: int, rank: int, channel: int, chunks: int) -> tuple[Step, ...]:
    """A rank's steps in the order of the hop that a chunk is on, so that every hop's send comes first."""
    steps = []
    for hop in range(2 * N - 1):
        for chunk in range(chunks):
            at = channel * chunks + chunk
            if (chunk + hop) % N == rank:
                last = 2 * N - 2
                op = ("s" if hop == 0 else "rrs" if hop < N - 1 else "rrcs" if hop == N - 1
                      else "rcs" if hop < last else "r")  # fmt: skip
                steps.append(Step(op, "i", at, "i", at))  # type: ignore[arg-type]
    return tuple(steps)


def split_ring(N: int, channels: int, chunks: int) -> Program:
    """The same with a threadblock that receives and one that sends, ordered by flags only."""
    whole, gpus = chain_ring(N, channels, chunks), []
    for gpu in whole.gpus:
        tbs: list[Threadblock] = []
        for tb in gpu.tbs:
            takes, gives, waits = [], [], -1
            for step in tb.steps:
                if step.op != "s":
                    op = "rrc" if step.op in ("rrs", "rrcs") else "r"
                    takes.append(Step(op, "i", step.srcoff, "i", step.dstoff, hasdep=True))  # type: ignore[arg-type]
                    waits = len(takes) - 1
                if step.op != "r":
                    after = (-1, -1) if step.op == "s" else (2 * tb.id, waits)
                    gives.append(Step("s", "i", step.srcoff, "i", step.srcoff, 1, *after))
            tbs.append(Threadblock(2 * tb.id, -1, tb.recv, tb.chan, tuple(takes)))
            tbs.append(Threadblock(2 * tb.id + 1, tb.send, -1, tb.chan, tuple(gives)))
        gpus.append(Gpu(gpu.id, gpu.i_chunks, 0, 0, tuple(tbs)))
    name = f"{whole.name}, two threadblocks a channel"
    return Program(name, "allreduce", whole.chunks, tuple(gpus), nchannels=channels)
