"""Small changes of a program, of every kind that a generator gets wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ringproof.program.model import Program, Step, Threadblock

KINDS = ("dependence dropped", "hasdep cleared", "offset shifted", "step dropped", "step doubled",
         "threadblock on another channel", "steps swapped", "peer changed")  # fmt: skip


def mutants(program: Program) -> Iterator[tuple[str, Program]]:
    """Every change of every kind, one at a time."""
    for g, gpu in enumerate(program.gpus):
        for t, tb in enumerate(gpu.tbs):
            for kind, changed in _of_threadblock(tb, program.ranks):
                tbs = (*gpu.tbs[:t], changed, *gpu.tbs[t + 1 :])
                gpus = (*program.gpus[:g], replace(gpu, tbs=tbs), *program.gpus[g + 1 :])
                yield kind, replace(program, gpus=gpus)


def _of_threadblock(tb: Threadblock, ranks: int) -> Iterator[tuple[str, Threadblock]]:
    for s, step in enumerate(tb.steps):
        before, after = tb.steps[:s], tb.steps[s + 1 :]
        for kind, changed in _of_step(step):
            yield kind, replace(tb, steps=(*before, changed, *after))
        yield "step dropped", replace(tb, steps=(*before, *after))
        yield "step doubled", replace(tb, steps=(*before, step, step, *after))
        if after:
            yield "steps swapped", replace(tb, steps=(*before, after[0], step, *after[1:]))
    yield "threadblock on another channel", replace(tb, chan=tb.chan + 1)
    for side in ("send", "recv"):
        for peer in range(-1, ranks):
            if getattr(tb, side) >= 0 and peer != getattr(tb, side):
                yield "peer changed", replace(tb, **{side: peer})


def _of_step(step: Step) -> Iterator[tuple[str, Step]]:
    if step.depid >= 0:
        yield "dependence dropped", replace(step, depid=-1, deps=-1)
    if step.hasdep:
        yield "hasdep cleared", replace(step, hasdep=False)
    for side in ("srcoff", "dstoff"):
        for by in (-1, 1):
            if getattr(step, side) + by >= 0:
                yield "offset shifted", replace(step, **{side: getattr(step, side) + by})
