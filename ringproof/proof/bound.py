"""The least number of steps of a collective at one size, proved with Z3, and a schedule that takes it.

**No schedule** means none of these.  Steps are lock-step: what is sent in a step was there before it.
In one step a rank sends to at most ``ports`` others and receives from at most as many.  A message
carries at most ``message`` values the size of one chunk; a value is a rank's part of a chunk, or a sum
of values.  Memory is unlimited and local work free: a rank keeps all it ever had and sends any sum of
it, so tables with any number of scratch slots and local moves are among these, in place or not.  A
step is one in which messages move.  Nothing is assumed of a schedule's shape: no rotation, no rows.
Not among them are schedules that cut chunks smaller (that is a question with more chunks), subtract,
or code several values into one.

**Every number of steps below the answer.**  Steps may be idle, so whatever cannot be done in T steps
cannot be done in fewer, and one question about T - 1 is enough.  The questions are asked upwards, and
the first that has a schedule ends it.

How each is asked, and why it loses no schedule: `bound_problem` (which collectives are the same
question), `bound_delivery` (copies), `bound_sums` (sums everywhere).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ringproof.contract import Contract
from ringproof.proof import bound_delivery, bound_sums
from ringproof.proof.bound_delivery import NARROW_WORK, Delivery, Item
from ringproof.proof.bound_formula import Clock
from ringproof.proof.bound_messages import Hop, Limits
from ringproof.proof.bound_moves import Move, Witness, carried
from ringproof.proof.bound_problem import Cargo, Everywhere, Unsupported, problem
from ringproof.proof.bound_slots import placed
from ringproof.proof.bound_sums import Parts

__all__ = ["Bound", "Limits", "Move", "Unsupported", "Witness", "least_steps"]

Method = Literal["", "linear", "calls", "heard", "search"]
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Bound:
    """No schedule takes fewer than ``at_least`` steps; ``witness`` takes just as many.

    ``method`` proved it: that ``at_least - 1`` steps are impossible.  Without a witness, whether
    ``at_least`` steps do is undecided, and ``reason`` says why.  The witness is a model of Z3 and
    nothing more: replay it and check it before you show it.
    """

    at_least: int
    method: Method
    witness: Witness | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Decided:
    """What is known of one number of steps."""

    verdict: Literal["possible", "impossible", "unknown"]
    method: Method = ""
    witness: Witness | None = None


UNKNOWN = _Decided("unknown")


def least_steps(
    contract: Contract, limits: Limits, seconds: float = 60.0, guess: int = 0,
    progress: Progress | None = None,
) -> Bound:  # fmt: skip
    """Find the least number of steps within so many seconds; errors: `Unsupported`.

    ``guess``, such as a closed form, saves the questions below it if it is right; it is not believed.
    """
    ask, clock = problem(contract, limits), Clock.of(seconds)
    found = Bound(0, "")
    if guess > 1 and (method := _quickly(ask, guess - 1, clock.part(0.5))):
        found = Bound(guess, method)
    while True:
        if progress:
            progress(found.at_least)
        now = _decide(contract, ask, found.at_least, guess, clock)
        if now.verdict != "impossible":
            reason = "" if now.witness else _reason(clock)
            return Bound(found.at_least, found.method, now.witness, reason)
        found = Bound(found.at_least + 1, now.method)


def _reason(clock: Clock) -> str:
    return "too large to search" if clock.left() else "the solver ran out of time"


def _quickly(ask: Cargo | Everywhere, steps: int, clock: Clock) -> Method:
    """The method that shows at little cost that so few steps do not do, if one does."""
    if isinstance(ask, Everywhere) and bound_sums.calls(ask, steps, clock):
        return "calls"
    delivery = ask.delivery if isinstance(ask, Cargo) else _one_rank(ask)
    return "linear" if bound_delivery.impossible(delivery, steps, clock) else ""


def _one_rank(ask: Everywhere) -> Delivery:
    """What rank 0 alone has to bring about: its part of every chunk reaches every rank."""
    item = Item(0, frozenset(range(1, ask.ranks)))
    return Delivery(ask.ranks, (item,) * ask.chunks, ask.limits)


def _decide(
    contract: Contract, ask: Cargo | Everywhere, steps: int, likely: int, clock: Clock
) -> _Decided:
    """First what is cheap: to prove that it is impossible or, where it is likely possible, to search."""
    stages = [_quick, _neat, _thorough]
    if steps == likely:
        stages = [_neat, _quick, _thorough]
    found = UNKNOWN
    for stage in stages:
        if found.verdict == "unknown":
            found = stage(contract, ask, steps, clock)
    return found


def _quick(contract: Contract, ask: Cargo | Everywhere, steps: int, clock: Clock) -> _Decided:
    method = _quickly(ask, steps, clock)
    return _Decided("impossible", method) if method else UNKNOWN


def _neat(contract: Contract, ask: Cargo | Everywhere, steps: int, clock: Clock) -> _Decided:
    """Look where schedules are neat: in place, or much the same from every rank."""
    if isinstance(ask, Cargo):
        hops = bound_delivery.sketch(ask.delivery, steps, clock)
        return UNKNOWN if hops is None else _carried(contract, ask, steps, hops)
    still, turn = bound_sums.still_of(ask), bound_sums.turn_of(ask)
    attempts: tuple[Callable[[], Parts | None], ...] = (
        lambda: _there_and_back(ask, steps, clock),
        lambda: bound_sums.in_place(ask, steps, still, clock, NARROW_WORK // 4),
        lambda: bound_sums.in_place(ask, steps, turn, clock, NARROW_WORK // 4),
        lambda: bound_sums.exact(ask, steps, turn, clock, NARROW_WORK).parts,
    )
    for attempt in attempts:
        parts = attempt()
        if parts:
            return _summed(ask, steps, parts)
    return UNKNOWN


def _thorough(contract: Contract, ask: Cargo | Everywhere, steps: int, clock: Clock) -> _Decided:
    """Decide, if time allows."""
    if isinstance(ask, Cargo):
        found = bound_delivery.decide(ask.delivery, steps, clock)
        if found.verdict == "possible":
            return _carried(contract, ask, steps, found.hops)
        return _Decided(found.verdict, "search")
    if bound_sums.heard(ask, steps, clock.part(0.65)).verdict == "impossible":
        return _Decided("impossible", "heard")
    still = bound_sums.still_of(ask)
    if parts := bound_sums.in_place(ask, steps, still, clock.part(0.5)):
        return _summed(ask, steps, parts)
    answer = bound_sums.exact(ask, steps, still, clock)
    if answer.parts:
        return _summed(ask, steps, answer.parts)
    # `exact` sends at most one value of a chunk in a message: with larger messages it only finds.
    return _Decided(answer.verdict if ask.limits.message == 1 else "unknown", "search")


def _carried(contract: Contract, ask: Cargo, steps: int, hops: Sequence[Hop]) -> _Decided:
    return _Decided("possible", "search", carried(contract, ask, steps, hops))


def _summed(ask: Everywhere, steps: int, parts: Parts) -> _Decided:
    return _Decided("possible", "search", placed(parts, ask.ranks, ask.chunks, steps))


def _there_and_back(ask: Everywhere, steps: int, clock: Clock) -> Parts | None:
    """Half of the steps to gather every chunk's sum on one rank, and the same backwards."""
    if steps % 2 or ask.chunks % ask.ranks:
        return None
    half = steps // 2
    everyone = frozenset(range(ask.ranks))
    owners = [c * ask.ranks // ask.chunks for c in range(ask.chunks)]
    items = tuple(Item(r, everyone - {r}) for r in owners)
    hops = bound_delivery.sketch(Delivery(ask.ranks, items, ask.limits), half, clock)
    if hops is None:
        return None
    reduces = [(half - 1 - t, r, q, c) for t, q, r, c in hops]
    copies = [(half + t, q, r, c) for t, q, r, c in hops]
    return bound_sums.followed(ask.ranks, ask.chunks, steps, reduces + copies, set(copies))
