"""From hops to a schedule: which slot every copy is read from and written to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ringproof.contract import Contract
from ringproof.proof.bound_messages import Hop
from ringproof.proof.bound_problem import Cargo


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """One send of a table: to another rank a message, to the same rank a local move."""

    step: int
    sender: int
    receiver: int
    chunk: int
    into: int
    reduce: bool


@dataclass(frozen=True, slots=True)
class Witness:
    """A whole schedule; ``steps`` counts those with only local moves too.  ``scratch`` slots are
    numbered on from the chunks."""

    steps: int
    scratch: int
    moves: tuple[Move, ...]


def carried(contract: Contract, cargo: Cargo, steps: int, hops: Sequence[Hop]) -> Witness:
    """The schedule that takes these hops, in the collective's own direction."""
    if cargo.backwards:
        hops = [(steps - 1 - t, r, q, v) for t, q, r, v in hops]
    if cargo.reduce:
        found = [Move(t, q, r, cargo.chunk[v], cargo.chunk[v], True) for t, q, r, v in hops]
        return Witness(steps, 0, tuple(sorted(found)))
    return _copied(contract, cargo, steps, sorted(hops))


def _copied(contract: Contract, cargo: Cargo, steps: int, hops: Sequence[Hop]) -> Witness:
    chunks = contract.starts.shape[1]
    rooms = [_Room(contract, cargo, r, hops) for r in range(cargo.delivery.ranks)]
    moves = []
    for t, q, r, v in hops:
        into = rooms[r].land(t, v)
        moves.append(Move(t, q, r, rooms[q].place[v], into, False))
    moves += [move for room in rooms for move in room.moves]
    return Witness(steps, max(room.slots for room in rooms) - chunks, tuple(sorted(moves)))


class _Room:
    """The slots of one rank.

    An item that a slot is promised to lands there, unless what the slot had at the start has still to
    be sent: then it waits in scratch and is copied in the step of that last send, which still reads
    what was there before.  Any other item lands where its chunk belongs, if nothing else does there.
    """

    def __init__(self, contract: Contract, cargo: Cargo, rank: int, hops: Iterable[Hop]) -> None:
        self.rank, self.cargo = rank, cargo
        self.slots = contract.starts.shape[1]
        self.place: dict[int, int] = {}
        self.promised: dict[int, int] = {}
        self.moves: list[Move] = []
        own = {c: k == rank for c, k in enumerate(contract.part.argmax(axis=0).tolist())}
        self.taken = {c for c in range(self.slots) if contract.starts[rank, c] or contract.ends[rank, c]}
        first: dict[int, int] = {}
        for v, (c, k) in enumerate(zip(cargo.chunk, cargo.contributor, strict=True)):
            if k == rank:
                self.place[v] = first[v] = c
        self.last = {first[v]: t for t, q, _, v in hops if q == rank and v in first}
        for c in range(self.slots):
            if contract.ends[rank, c] and not own[c]:
                self.promised[self._item(contract, c)] = c

    def _item(self, contract: Contract, slot: int) -> int:
        """The item that a slot is promised to."""
        wanted = int(contract.chunk[self.rank, slot]), int(contract.part[:, slot].argmax())
        pairs = list(zip(self.cargo.chunk, self.cargo.contributor, strict=True))
        return pairs.index(wanted)

    def land(self, step: int, v: int) -> int:
        """The slot that an item is written to as it arrives."""
        slot, waits = self.promised.get(v), -1
        if slot is not None:
            waits = self.last.get(slot, -1)
        elif self.cargo.chunk[v] not in self.taken:
            slot = self.cargo.chunk[v]
            self.taken.add(slot)
        if slot is None or waits > step:
            here, self.slots = self.slots, self.slots + 1
            if slot is not None:
                self.moves.append(Move(waits, self.rank, self.rank, here, slot, False))
            slot = here
        self.place[v] = slot
        return slot
