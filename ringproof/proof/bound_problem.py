"""What a collective asks for, as the question of least steps sees it.

Copies: one contribution to one or more slots.  Gathered to one rank, it is the same as scattered
from there: read backwards in time, every way that an item takes is a way in the other direction.

Sums that end in one place each: rank k's part of a chunk gets there only along messages about that
chunk, in ascending steps.  Backwards in time that copies an item from the place to every rank k.
So a schedule of T steps for the sums gives one for the copies, of the same messages; what is
impossible for the copies is impossible for the sums.  The other way round, reduce along the trees.

Sums that end on every rank are a question of their own, in `bound_sums`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ringproof.contract import Contract
from ringproof.proof.bound_delivery import Delivery, Item
from ringproof.proof.bound_messages import Limits


class Unsupported(Exception):
    """A promise that is neither copies nor whole sums, in one place or everywhere."""


@dataclass(frozen=True, slots=True)
class Cargo:
    """``delivery`` is read backwards in time if ``backwards``; then ``reduce`` may hold.

    Item v is rank ``contributor[v]``'s part of ``chunk[v]``, or the sum of ``chunk[v]``.
    """

    delivery: Delivery
    chunk: tuple[int, ...]
    contributor: tuple[int, ...]
    backwards: bool = False
    reduce: bool = False


@dataclass(frozen=True, slots=True)
class Everywhere:
    """The sum of every chunk on every rank."""

    ranks: int
    chunks: int
    limits: Limits


def problem(contract: Contract, limits: Limits) -> Cargo | Everywhere:
    """Sort a promise into one of the questions; errors: `Unsupported`."""
    N, chunks = contract.starts.shape
    parts = contract.part.sum(axis=0).tolist()
    slots = [(int(r), int(c)) for r, c in zip(*contract.ends.nonzero(), strict=True)]
    if all(parts[c] == 1 for _, c in slots):
        return _copies(contract, slots, limits)
    places = {(c, r) for r, c in slots}
    if any(parts[c] != N for _, c in slots) or not contract.starts.all():
        raise Unsupported("sums of some ranks only")
    if len({c for c, _ in places}) == len(places):
        return _sums(N, sorted(places), limits)
    if len(places) == N * chunks:
        return Everywhere(N, chunks, limits)
    raise Unsupported("sums on some ranks only")


def _copies(contract: Contract, slots: list[tuple[int, int]], limits: Limits) -> Cargo:
    owner = contract.part.argmax(axis=0).tolist()
    wanted: dict[tuple[int, int], set[int]] = {}
    for r, c in slots:
        contribution = (owner[c], int(contract.chunk[r, c]))
        if not contract.starts[contribution]:
            raise Unsupported("a part that nobody has")
        if r != contribution[0]:
            wanted.setdefault(contribution, set()).add(r)
    items = tuple(Item(k, frozenset(goals)) for (k, _), goals in wanted.items())
    delivery = Delivery(contract.starts.shape[0], items, limits)
    cargo = Cargo(delivery, tuple(c for _, c in wanted), tuple(k for k, _ in wanted))
    meeting = {item.goals for item in items}
    if len(meeting) != 1 or any(len(goals) != 1 for goals in meeting):
        return cargo
    (goal,) = next(iter(meeting))
    turned = tuple(Item(goal, frozenset({item.start})) for item in items)
    return replace(cargo, delivery=replace(delivery, items=turned), backwards=True)


def _sums(N: int, places: list[tuple[int, int]], limits: Limits) -> Cargo:
    items = tuple(Item(r, frozenset(range(N)) - {r}) for _, r in places)
    chunk = tuple(c for c, _ in places)
    return Cargo(Delivery(N, items, limits), chunk, tuple(r for _, r in places), True, True)
