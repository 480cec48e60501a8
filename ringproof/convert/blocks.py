"""Operations of ranks -> threadblocks with dependences: a program.

A threadblock serves one side of a connection, or the receiving side of one and the sending side of
another; local moves have threadblocks of their own.  Each keeps the order of its rank (`lower`), and any
two operations of a rank that touch a cell, one of them writing, are put in that order by its threadblock
or by a dependence: on the last write, and for a write also on every read since.  A dependence that
follows from others of the same rank is left out.  Of several, all but the last stand on `nop`s before
the operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ringproof.convert.fuse import Pairs, Side, fused
from ringproof.convert.layout import Cell, Layout, NotConvertible
from ringproof.convert.lower import Connection, Lowered, Move, compact
from ringproof.program.load import PROFILES, Profile, Runtime
from ringproof.program.model import Gpu, Program, Protocol, Step, Threadblock

_COLL = {"all-reduce": "allreduce", "all-gather": "allgather", "all-to-all": "alltoall"}
_LARGEST = 2**40  # bytes: no size is ruled out


@dataclass(frozen=True, slots=True)
class Target:
    """What a program is written for: its name, protocol, and the runtime whose limits it keeps."""

    name: str
    proto: Protocol = "Simple"
    runtime: Runtime = "msccl"

    @property
    def profile(self) -> Profile:
        """The limits."""
        return PROFILES[self.runtime]


# What a threadblock is for: whom it sends to, whom it receives from (-1: nobody), its channel, and of
# threadblocks for local moves their number.
_Key = tuple[int, int, int, int]


def assemble(lowered: Lowered, paired: Pairs, target: Target) -> Program:
    """Lay operations out over threadblocks and channels within the limits.

    A connection or a threadblock with too many steps is cut into several; errors: `NotConvertible`.
    """
    most = share = target.profile.steps
    while True:
        channel = _channels(lowered, share)
        whole = fused(lowered, paired, channel)
        gpus = tuple(_gpu(whole, rank, paired.of[rank], channel, share) for rank in range(len(whole.moves)))
        used = max(channel, default=0) + 1
        _fits(target, used, max(len(gpu.tbs) for gpu in gpus))
        longest = max((len(tb.steps) for gpu in gpus for tb in gpu.tbs), default=0)
        if longest <= most:
            break
        if share == 1:
            raise NotConvertible(f"one operation waits for {longest - 1} others, and {target.runtime} has "
                                 f"{most} steps a threadblock; give a smaller -N")  # fmt: skip
        share = max(min(share - 1, share * most // longest), 1)
    form = lowered.layout
    coll = target.profile.scatter if form.collective == "reduce-scatter" else _COLL.get(
        form.collective, form.collective)  # fmt: skip
    return Program(
        target.name, coll, form.chunks, gpus, target.proto, used, form.case == "in place",
        form.case != "in place", 0, _LARGEST,
    )  # fmt: skip


def _fits(target: Target, channels: int, tbs: int) -> None:
    """Errors: `NotConvertible` when it takes more than the runtime has; more shares would take even more."""
    for count, limit, what in ((channels, target.profile.channels, "channels"),
                               (tbs, target.profile.tbs, "threadblocks a GPU")):  # fmt: skip
        if count > limit:
            raise NotConvertible(
                f"it takes {count} {what}, and {target.runtime} has {limit}; give a smaller -N, fewer "
                "--instances, or a table with fewer messages"
            )


def _channels(lowered: Lowered, share: int) -> list[int]:
    """The channel of every message: its lane's, and after every ``share`` messages another one."""
    lanes, sent = len(lowered.layout.place), dict[Connection, int]()
    found = []
    for connection in lowered.messages:
        number = sent[connection] = sent.get(connection, -1) + 1
        found.append(connection[2] + lanes * (number // share))
    return found


def _gpu(whole: Lowered, rank: int, paired: dict[Side, Side], channel: Sequence[int], share: int) -> Gpu:
    moves, scratch = compact(whole.moves[rank])
    keys = _keys(whole.messages, moves, paired, channel, share)
    order = sorted(set(keys), key=lambda k: (k[0] < 0 and k[1] < 0, k[2], k[3], k[0] < 0, k[0], k[1]))
    number = {key: t for t, key in enumerate(order)}
    of = [number[key] for key in keys]
    waits = _waits(moves, of, len(order))
    form: Layout = whole.layout
    tbs = tuple(
        Threadblock(t, key[0], key[1], key[2], steps)
        for t, (key, steps) in enumerate(zip(order, _steps(moves, of, waits, len(order)), strict=True))
    )
    return Gpu(rank, form.inputs, form.outputs, scratch, tbs)


def _keys(
    messages: Sequence[Connection], moves: Sequence[Move], paired: dict[Side, Side], channel: Sequence[int],
    share: int,
) -> list[_Key]:  # fmt: skip
    """The threadblock of every move."""
    back = {sending: receiving for receiving, sending in paired.items()}
    used = {(messages[m.out][1], channel[m.out]) for m in moves if m.out >= 0}
    heard = {(messages[m.into][0], channel[m.into]) for m in moves if m.into >= 0}
    local: dict[int, int] = {}
    keys: list[_Key] = []
    for m in moves:
        if m.into < 0 and m.out < 0:
            local[m.lane] = local.get(m.lane, -1) + 1
            keys.append((-1, -1, m.lane, local[m.lane] // share))
            continue
        message = m.into if m.into >= 0 else m.out
        chan = channel[message]
        if m.into >= 0:
            sender, _, lane = messages[m.into]
            peer = paired.get((sender, lane), (-1, lane))[0]
            keys.append((peer if (peer, chan) in used else -1, sender, chan, 0))
        else:
            _, receiver, lane = messages[m.out]
            peer = back.get((receiver, lane), (-1, lane))[0]
            keys.append((receiver, peer if (peer, chan) in heard else -1, chan, 0))
    return keys


def _waits(moves: Sequence[Move], of: Sequence[int], tbs: int) -> list[list[int]]:
    """For every move the moves of other threadblocks that it waits for, by place; none that follows."""
    written: dict[Cell, int] = {}
    readers: dict[Cell, list[int]] = {}
    clocks: list[list[int]] = []
    now = [[-1] * tbs for _ in range(tbs)]
    found: list[list[int]] = []
    for x, move in enumerate(moves):
        need: dict[int, int] = {}
        reads, writes = set(move.reads()), set(move.writes())
        for cell in reads | writes:
            before = [written[cell]] if cell in written else []
            if cell in writes:
                before += readers.pop(cell, [])
            for w in before:
                need[of[w]] = max(need.get(of[w], -1), w)
        for cell in reads - writes:
            readers.setdefault(cell, []).append(x)
        for cell in writes:
            written[cell] = x
        clock = now[of[x]]
        open_ = [w for tb, w in need.items() if tb != of[x] and clock[tb] < w]
        kept = [w for w in open_ if not any(v != w and clocks[v][of[w]] >= w for v in open_)]
        for w in kept:
            clock[:] = map(max, clock, clocks[w])
        clock[of[x]] = x
        clocks.append(clock[:])
        found.append(sorted(kept))
    return found


def _steps(
    moves: Sequence[Move], of: Sequence[int], waits: Sequence[Sequence[int]], tbs: int
) -> list[tuple[Step, ...]]:  # fmt: skip
    """The steps of every threadblock, `nop`s put in for further dependences."""
    raised = {w for each in waits for w in each}
    number: list[int] = []
    steps: list[list[Step]] = [[] for _ in range(tbs)]
    for x, move in enumerate(moves):
        line, after = steps[of[x]], [(of[w], number[w]) for w in waits[x]]
        for depid, deps in after[:-1]:
            line.append(Step("nop", "i", -1, "o", -1, 0, depid, deps))
        depid, deps = after[-1] if after else (-1, -1)
        source, target = move.source or move.target, move.target or move.source
        if source is None or target is None:
            raise ValueError(f"a move without operands: {move}")
        number.append(len(line))
        line.append(Step(move.op, *source, *target, move.count, depid, deps, x in raised))
    return [tuple(line) for line in steps]
