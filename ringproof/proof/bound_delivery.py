"""Items that start on one rank each and have to be copied to others: can it be done in T steps?

The state of such a schedule is who has what.  A promised slot holds one contribution, once; counts
in a sum are never less than in its parts, so nothing that ends in such a slot was ever a sum, and a
message is one item or several of them.  A rank loses nothing by keeping what it has.

Without a limit on a message, a sender loses nothing by sending all it has.  Items with the same start
then travel together and are decided as one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from ringproof.proof.bound_formula import UNKNOWN, Answer, Clock, Verdict, some, total
from ringproof.proof.bound_messages import Hop, Limits, Messages
from ringproof.proof.bound_turn import Turn, around, matched, rotation, still

Narrow = Literal["ring", "turned", "distances", "all"]
"""Which schedules a search looks at: the same from every rank, and then ``ring`` with the same partners
in every step; all ranks sending equally far; all of them."""
NEAT: tuple[Narrow, ...] = ("ring", "turned", "distances")
LARGEST = 400_000
NARROW_WORK = 10_000_000
LINEAR_WORK, HARD_LINEAR_WORK = 1_000_000_000, 100_000_000


@dataclass(frozen=True, slots=True)
class Item:
    """Starts on one rank; is wanted on others, never on ``start`` itself."""

    start: int
    goals: frozenset[int]


@dataclass(frozen=True, slots=True)
class Delivery:
    """All items of a collective."""

    ranks: int
    items: tuple[Item, ...]
    limits: Limits

    def merged(self) -> tuple[Delivery, tuple[int, ...]]:
        """Items that travel together as one, and for every item which of these it is part of."""
        if self.limits.message is not None:
            return self, tuple(range(len(self.items)))
        goals: dict[int, frozenset[int]] = {}
        for item in self.items:
            goals[item.start] = goals.get(item.start, frozenset()) | item.goals
        order = list(goals)
        items = tuple(Item(start, wanted) for start, wanted in goals.items())
        return replace(self, items=items), tuple(order.index(item.start) for item in self.items)

    def rotation(self) -> Turn | None:
        """All ranks in a circle, if the items are then the same."""
        ranks = tuple((r + 1) % self.ranks for r in range(self.ranks))
        found = matched(self.items, [_renamed(item, ranks) for item in self.items])
        return None if found is None else rotation(self.ranks, found)

    def turn(self) -> Turn:
        """A large circle that leaves the items the same; where all are alike, they take turns too."""
        found = self.rotation()
        if found is None and len({item.start for item in self.items}) == 1:
            turn = around(self.ranks, self.items[0].start, ())
            things = matched(self.items, [_renamed(item, turn.ranks) for item in self.items])
            if things is not None and len(set(self.items)) == 1:
                things = tuple((v + 1) % len(self.items) for v in range(len(self.items)))
            found = None if things is None else replace(turn, things=things)
        return found or still(self.ranks, len(self.items))


def _renamed(item: Item, ranks: tuple[int, ...]) -> Item:
    return Item(ranks[item.start], frozenset(ranks[r] for r in item.goals))


@dataclass(frozen=True, slots=True)
class Delivered:
    """``hops`` deliver every item, each on a tree."""

    verdict: Verdict
    hops: tuple[Hop, ...] = ()


def impossible(delivery: Delivery, steps: int, clock: Clock) -> bool:
    """Whether linear arithmetic alone shows that so few steps do not do; False says nothing.

    Sound: a schedule is a solution of zeros and ones.  First every item on its own, as news that
    spreads, where all of them are a large question; then all of them together.
    """
    whole, _ = delivery.merged()
    if whole.limits.message != 1 or _terms(whole, steps, whole.turn()) > LARGEST:
        news = [item for item in dict.fromkeys(whole.items) if len(item.goals) > 1]
        alone = [replace(whole, items=(item,)) for item in news]
        if whole.rotation():
            alone = alone[:1]
        if any(_linear(one, steps, clock).verdict == "impossible" for one in alone):
            return True
    return _linear(whole, steps, clock).verdict == "impossible"


def sketch(delivery: Delivery, steps: int, clock: Clock) -> tuple[Hop, ...] | None:
    """Hops of a neat schedule, if one is found with little work."""
    whole, part_of = delivery.merged()
    if not whole.items:
        return ()
    for narrow in NEAT:
        found = search(whole, steps, narrow, clock, NARROW_WORK)
        if found.verdict == "possible":
            return routes(delivery, part_of, found.hops)
    return None


def decide(delivery: Delivery, steps: int, clock: Clock) -> Delivered:
    """Find hops, or prove that there are none."""
    whole, part_of = delivery.merged()
    found = search(whole, steps, "all", clock)
    return replace(found, hops=routes(delivery, part_of, found.hops))


def _linear(delivery: Delivery, steps: int, clock: Clock) -> Answer:
    """The question over reals; ``has`` is how much of an item is there, 1 where it starts.

    A rank without an item sends none of it; with it, it sends it to at most ``ports`` others.  An item
    with one goal goes one way, so it can be said to be in one place at a time.
    """
    turn = delivery.turn()
    if not clock.left() or _terms(delivery, steps, turn) > LARGEST:
        return UNKNOWN
    items = delivery.items
    m = Messages("Real", turn, steps, delivery.limits, lambda r, v: r != items[v].start)
    m.keep_limits()
    for v in range(len(items)):
        for rank in m.firsts:
            _ends(m, items[v], v, rank)
            for step in range(steps):
                _amounts(m, step, rank, v, len(items[v].goals) > 1)
    return m.formula.decide(clock, LINEAR_WORK if delivery.limits.message == 1 else HARD_LINEAR_WORK)


def _amounts(m: Messages, step: int, rank: int, v: int, copied: bool) -> None:
    """One step of one item over reals; an item that is not copied leaves where it is sent from."""
    has, then = (m.name("h", t, (rank,), v) for t in (step, step + 1))
    out, into = total(m.out(step, rank, v)), total(m.into(step, rank, v))
    if copied:
        m.formula.require(f"(<= {out} (* {m.limits.ports} {has}))")
        m.formula.require(f"(<= {then} (+ {has} {into}))")
    else:
        m.formula.require(f"(<= {out} {has})")
        m.formula.require(f"(= {then} (- (+ {has} {into}) {out}))")


def search(
    delivery: Delivery, steps: int, narrow: Narrow, clock: Clock, work: int = 0
) -> Delivered:
    """The question itself.  Only with ``narrow = "all"`` does impossible mean what it says.

    Hops that bring what is there already, or what another hop brings too, can be left out of a
    schedule; so there are none.  The narrow searches also send nothing to ranks that do not want it.
    """
    turned = narrow in ("ring", "turned")
    turn = delivery.rotation() if turned else still(delivery.ranks, len(delivery.items))
    if turn is None or not clock.left() or _terms(delivery, steps, turn) > LARGEST:
        return Delivered("unknown")
    items = delivery.items
    m = Messages("Bool", turn, steps, delivery.limits,
                 lambda r, v: r != items[v].start if narrow == "all" else r in items[v].goals)  # fmt: skip
    m.keep_limits()
    if narrow in ("ring", "distances"):
        m.share_distances("every step" if narrow == "ring" else "each step")
    for v in range(len(items)):
        for rank in m.firsts:
            _ends(m, items[v], v, rank)
            for step in range(steps):
                _moves(m, step, rank, v)
    answer = m.formula.decide(clock, work)
    if answer.verdict == "impossible" and narrow != "all":
        return Delivered("unknown")
    return Delivered(answer.verdict, tuple(m.found(answer.true)))


def _ends(m: Messages, item: Item, v: int, rank: int) -> None:
    """Who has an item at the start, and who must have it at the end."""
    m.formula.fix(m.name("h", 0, (rank,), v), 1 if rank == item.start else 0)
    if rank in item.goals:
        m.formula.fix(m.name("h", m.steps, (rank,), v), 1)


def _moves(m: Messages, step: int, rank: int, v: int) -> None:
    """One step of one item, seen from one rank."""
    formula, into = m.formula, m.into(step, rank, v)
    has, then = (m.name("h", t, (rank,), v) for t in (step, step + 1))
    for hop in m.out(step, rank, v):
        formula.require(f"(=> {hop} {has})")
    formula.require(f"(=> {then} {some([has, *into])})")
    formula.require(f"(=> {has} {then})")
    for hop in into:
        formula.require(f"(=> {hop} (and {then} (not {has})))")
    formula.at_most(1, into)


def _terms(delivery: Delivery, steps: int, turn: Turn) -> int:
    return steps * len(turn.firsts()) * delivery.ranks * len(delivery.items)


def routes(delivery: Delivery, part_of: Iterable[int], hops: Iterable[Hop]) -> tuple[Hop, ...]:
    """For each item only the hops on its ways to its goals; ``hops`` are about what it is part of."""
    comes = {(thing, receiver): (step, sender) for step, sender, receiver, thing in hops}
    found = set()
    for v, (item, thing) in enumerate(zip(delivery.items, part_of, strict=True)):
        for rank in item.goals if comes else ():
            while rank != item.start:
                step, sender = comes[thing, rank]
                found.add((step, sender, rank, v))
                rank = sender
    return tuple(sorted(found))
