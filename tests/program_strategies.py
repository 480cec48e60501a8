"""Small programs for Hypothesis: most of them run, some hang, many race."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from ringproof.program.model import Gpu, Program, Step, Threadblock

CHUNKS = {"i": 2, "o": 2, "s": 2}


@st.composite
def programs(draw: Any, *, most_ranks: int = 4, most_steps: int = 14) -> Program:
    """A program with matching messages; its dependences mostly point back in one global order."""
    N = draw(st.integers(2, most_ranks))
    blocks = [(rank, b) for rank in range(N) for b in range(draw(st.integers(1, 3 if N == 2 else 2)))]
    send, recv, chan = (dict.fromkeys(blocks, -1) for _ in range(3))
    links = []
    for c in range(draw(st.integers(1, len(blocks)))):
        one, other = draw(st.sampled_from(blocks)), draw(st.sampled_from(blocks))
        if one[0] != other[0] and send[one] < 0 and recv[other] < 0 and _same_channel(chan, one, other, c):
            channel = max(chan[one], chan[other])
            channel = c if channel < 0 else channel
            send[one], recv[other] = other[0], one[0]
            chan[one] = chan[other] = channel
            links.append((one, other))
    steps: dict[tuple[int, int], list[Step]] = {block: [] for block in blocks}
    written: list[tuple[tuple[int, int], int]] = []
    flying: list[tuple[Any, int]] = []  # messages sent whose receive is not written yet
    for _ in range(draw(st.integers(2, most_steps))):
        if sum(map(len, steps.values())) + len(flying) >= most_steps:
            break
        event = draw(st.sampled_from(["local", "message", "message", "chain", "send", "take"]))
        if event == "local" or not links:
            _local(draw, steps, written, draw(st.sampled_from(blocks)))
        elif event == "take":
            _take(draw, steps, written, flying)
        else:
            _message(draw, steps, written, links, draw(st.sampled_from(links)), event, flying)
    while flying:
        _take(draw, steps, written, flying)
    if draw(st.integers(0, 4)) == 0:  # two steps of one threadblock change places: it may hang or mismatch
        _swap(draw, steps)
    gpus = tuple(
        Gpu(rank, CHUNKS["i"], CHUNKS["o"], CHUNKS["s"], tuple(
            Threadblock(b, send[rank, b], recv[rank, b], max(chan[rank, b], 0), tuple(steps[rank, b]))
            for r, b in blocks if r == rank))
        for rank in range(N)
    )  # fmt: skip
    both = draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    return Program("drawn", "allreduce", 2, gpus, inplace=both[0], outofplace=both[1])


def _same_channel(chan: dict[Any, int], one: Any, other: Any, c: int) -> bool:
    """A threadblock has one channel for both sides, and no two connections may be the same."""
    a, b = chan[one], chan[other]
    return a < 0 or b < 0 or a == b


def _operands(draw: Any, cnt: int) -> dict[str, Any]:
    found: dict[str, Any] = {"cnt": cnt}
    for side in ("src", "dst"):
        buffer = draw(st.sampled_from(["i", "i", "o", "s"]))
        found |= {f"{side}buf": buffer, f"{side}off": draw(st.integers(0, CHUNKS[buffer] - cnt))}
    return found


def _depends(draw: Any, block: tuple[int, int], written: list[tuple[tuple[int, int], int]]) -> dict[str, int]:
    earlier = [(b, s) for b, s in written if b[0] == block[0] and b != block]
    if not earlier or draw(st.booleans()):
        return {}
    other, number = draw(st.sampled_from(earlier))
    return {"depid": other[1], "deps": number}


def _add(draw: Any, steps: Any, written: Any, block: tuple[int, int], op: str, cnt: int) -> None:
    step = Step(op, **_operands(draw, cnt), **_depends(draw, block, written),  # type: ignore[arg-type]
                hasdep=draw(st.integers(0, 9)) > 0)  # fmt: skip
    if op == "nop":
        step = replace(step, srcoff=-1, dstoff=-1, cnt=0)
    written.append((block, len(steps[block])))
    steps[block].append(step)


def _local(draw: Any, steps: Any, written: Any, block: tuple[int, int]) -> None:
    op = draw(st.sampled_from(["cpy", "cpy", "re", "nop"]))
    _add(draw, steps, written, block, op, draw(st.integers(1, 2)))


def _take(draw: Any, steps: Any, written: Any, flying: list[tuple[Any, int]]) -> None:
    """Write a receive of the message that has waited longest on one of the links."""
    if flying:
        link, _ = draw(st.sampled_from(flying))
        i = next(i for i, (other, _) in enumerate(flying) if other == link)
        _, cnt = flying.pop(i)
        _add(draw, steps, written, link[1], draw(st.sampled_from(["r", "rrc"])), cnt)


def _message(
    draw: Any, steps: Any, written: Any, links: Any, link: Any, event: str, flying: list[tuple[Any, int]]
) -> None:
    cnt = draw(st.integers(1, 2))
    _add(draw, steps, written, link[0], "s", cnt)
    if event == "send" or any(other == link for other, _ in flying):
        flying.append((link, cnt))
        return
    onward = [other for other in links if other[0] == link[1]]
    at = link[1]
    if event == "chain" and onward and not any(other == onward[0] for other, _ in flying):
        _add(draw, steps, written, at, draw(st.sampled_from(["rcs", "rrs", "rrcs"])), cnt)
        at = onward[0][1]
    _add(draw, steps, written, at, draw(st.sampled_from(["r", "rrc"])), cnt)


def _swap(draw: Any, steps: dict[Any, list[Step]]) -> None:
    long = [block for block, found in steps.items() if len(found) > 1]
    if long:
        found = steps[draw(st.sampled_from(long))]
        i = draw(st.integers(0, len(found) - 2))
        found[i], found[i + 1] = found[i + 1], found[i]
