"""What each runtime refuses to load, whatever the program computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from ringproof.program.model import Gpu, Program, Threadblock
from ringproof.wording import count_text

Runtime = Literal["msccl", "azure", "rccl"]
RUNTIMES: tuple[Runtime, ...] = get_args(Runtime)
COUNTS = range(1, 72)


@dataclass(frozen=True, slots=True)
class Profile:
    """The limits of one runtime: steps a threadblock, threadblocks a GPU, channels.

    ``ranged``: minBytes, maxBytes and outofplace must be there.  ``scatter``: how reduce-scatter is spelled.
    """

    steps: int
    tbs: int
    channels: int
    ranged: bool
    scatter: str


PROFILES: Mapping[Runtime, Profile] = MappingProxyType({
    "msccl": Profile(256, 216, 32, False, "reduce_scatter"),
    "azure": Profile(256, 216, 32, True, "reducescatter"),
    "rccl": Profile(64, 64, 32, True, "reducescatter"),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Refusal:
    """A rule, and the element and attribute that break it, with what stands there."""

    rule: str
    at: int
    attribute: str
    text: str


def refusals(program: Program, runtime: Runtime) -> tuple[Refusal, ...]:
    """Everything for which a runtime does not load a program, in the order of the file."""
    profile = PROFILES[runtime]
    found = [*_algo(program, profile)]
    for gpu in program.gpus:
        found += _gpu(gpu, profile)
        for tb in gpu.tbs:
            found += _block(tb, profile)
    return tuple(found)


def _algo(program: Program, profile: Profile) -> Iterator[Refusal]:
    if profile.ranged:
        for name, value in (
            ("outofplace", program.outofplace),
            ("minBytes", program.min_bytes),
            ("maxBytes", program.max_bytes),
        ):
            if value is None:
                yield Refusal(f"`{name}` is required", program.at, name, "it is not given")
    if program.coll in ("reduce_scatter", "reducescatter") and program.coll != profile.scatter:
        yield Refusal(f"reduce-scatter is spelled `{profile.scatter}`", program.at, "coll", "")
    if program.nchannels > profile.channels:
        text = f"{program.nchannels} channels"
        yield Refusal(f"a program has at most {profile.channels} channels", program.at, "nchannels", text)


def _gpu(gpu: Gpu, profile: Profile) -> Iterator[Refusal]:
    if len(gpu.tbs) > profile.tbs:
        text = f"GPU {gpu.id} has {len(gpu.tbs)}"
        yield Refusal(f"a GPU has at most {profile.tbs} threadblocks", gpu.at, "id", text)


def _block(tb: Threadblock, profile: Profile) -> Iterator[Refusal]:
    if len(tb.steps) > profile.steps:
        text = count_text(len(tb.steps), "step")
        yield Refusal(f"a threadblock has at most {profile.steps} steps", tb.at, "id", text)
    if tb.chan >= profile.channels:
        yield Refusal(f"channels are numbered 0..{profile.channels - 1}", tb.at, "chan", "")
    last = None
    for step in tb.steps:
        if step.op == "nop":
            last = step
            continue
        if step.cnt not in COUNTS:
            rule = f"`cnt` is {COUNTS[0]}..{COUNTS[-1]}"
            yield Refusal(rule, step.at, "cnt", "")
        if last is not None and step.depid < 0:
            yield Refusal(_NOPS, last.at, "type", "the step after it waits for nothing")
        last = None
    if last is not None:
        yield Refusal(_NOPS, last.at, "type", "no step comes after it")


_NOPS = "a chain of `nop`s ends in a step that waits for another"
