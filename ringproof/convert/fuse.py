"""Receiving and sending on in one step: which threadblocks do both, and which pairs become one operation.

A receive and a later send of just the cells that it wrote are one operation where the receive stands if
no other write of these cells lies between them, and no other send on the same connection.  The send
then finds the same value as where it stood, and the messages of its connection keep their order.  What a
fused operation stores is not stored at all where nothing reads it before the next write, and no
result needs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ringproof.convert.layout import Cell, Layout
from ringproof.convert.lower import Connection, Lowered, Move
from ringproof.program.model import Op

_FUSED: dict[Op, Op] = {"r": "rcs", "rrc": "rrcs"}
Side = tuple[int, int]  # (peer, lane)


@dataclass(frozen=True, slots=True)
class Pairs:
    """For every rank, receiving sides to the sending sides whose threadblock they share."""

    of: tuple[dict[Side, Side], ...]


def unpaired(lowered: Lowered) -> Pairs:
    """Every side of a connection in a threadblock of its own."""
    return Pairs(tuple({} for _ in lowered.moves))


def pairs(lowered: Lowered) -> Pairs:
    """Sides share a threadblock where most can be fused, each with one other; ties by rank number."""
    found = []
    for rank, moves in enumerate(lowered.moves):
        counts = Counter(
            (_side(lowered, rank, a.into), _side(lowered, rank, b.out))
            for _, a, _, b in _candidates(moves)
        )  # fmt: skip
        taken: dict[Side, Side] = {}
        for (receiving, sending), _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            same = receiving[1] == sending[1]
            if same and receiving not in taken and sending not in taken.values():
                taken[receiving] = sending
        found.append(taken)
    return Pairs(tuple(found))


def fused(lowered: Lowered, paired: Pairs, channel: Sequence[int]) -> Lowered:
    """Fuse what may be; ``channel``: of every message."""
    moves = [
        _rank(lowered, rank, each, paired.of[rank], channel) for rank, each in enumerate(lowered.moves)
    ]
    return Lowered(lowered.layout, tuple(moves), lowered.messages)


def _side(lowered: Lowered, rank: int, message: int) -> Side:
    sender, receiver, lane = lowered.messages[message]
    return (receiver if sender == rank else sender), lane


def _candidates(moves: Sequence[Move]) -> Iterator[tuple[int, Move, int, Move]]:
    """Receives and the first sends of just what they wrote, with their places."""
    writer: dict[Cell, int] = {}
    for j, move in enumerate(moves):
        if move.op == "s":
            writers = {writer.get(cell, -1) for cell in move.reads()}
            i = writers.pop()
            if not writers and i >= 0 and moves[i].op in _FUSED and (
                moves[i].target == move.source and moves[i].count == move.count
            ):  # fmt: skip
                yield i, moves[i], j, move
        for cell in move.writes():
            writer[cell] = j


def _rank(
    lowered: Lowered, rank: int, moves: Sequence[Move], paired: dict[Side, Side], channel: Sequence[int]
) -> tuple[Move, ...]:  # fmt: skip
    connection: dict[Connection, list[int]] = {}  # places of the sends on each, in order, as fused so far
    number: dict[int, int] = {}
    for j, move in enumerate(moves):
        if move.op == "s":
            line = connection.setdefault(lowered.messages[move.out], [])
            number[j] = len(line)
            line.append(j)
    made: list[Move | None] = list(moves)
    for i, receive, j, send in _candidates(moves):
        line, n = connection[lowered.messages[send.out]], number[j]
        here = made[i]
        if here is None or here.out >= 0 or channel[receive.into] != channel[send.out]:
            continue
        if paired.get(_side(lowered, rank, receive.into)) != _side(lowered, rank, send.out):
            continue
        if n and line[n - 1] > i:
            continue
        made[i] = replace(here, op=_FUSED[receive.op], out=send.out)
        made[j], line[n] = None, i
    return tuple(_not_stored([m for m in made if m is not None], lowered.layout, rank))


def _not_stored(moves: Sequence[Move], layout: Layout, rank: int) -> list[Move]:
    """Leave out stores that nothing reads, going backwards over what is still wanted."""
    wanted = {layout.then(rank, c) for c in range(layout.chunks) if layout.ends[rank][c]}
    found = []
    for move in reversed(moves):
        written = set(move.writes())
        if move.op == "rrcs" and not written & wanted:
            move = replace(move, op="rrs", target=None)
        wanted -= written
        wanted |= set(move.reads())
        found.append(move)
    return found[::-1]
