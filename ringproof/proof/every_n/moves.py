"""The domain Moves: values that move, merge and are then spread, in place; trusted.

Two sets of slots a phase: *live* L(s) and *whole* H(s), over rank and chunk.  Guesses; what makes
them true is the lemma below.  All rows are in place, so parts of different chunks never mix.

Conservation.  At the start the live slots are those that hold their own part.  Suppose the live slots
of a chunk partition its parts (each part once, in one live slot, no live slot empty) and a step obeys
  - a reduce has a live source that is dead after and a live target that is live after; two reduces
    with the same source are the same send; what is live after was live before; what dies was the
    source of a reduce; a copy writes no live slot (or a whole one, with a whole value).
Then every dying slot's parts are added once, into one slot that stays live, and nothing else changes
in live slots: they partition the parts again.  No part is ever counted twice (`once`).
If a chunk has one live slot, it holds the whole value.  H grows only by such slots and by copies from
H, and every slot in H holds the whole value: no reduce can hit it (source and target would be two
live slots, and a whole value leaves nothing for a second one).
No-resend.  A dead slot never in H lacks a part: it is unset, or gave its parts to a slot that had
others.  So a copy to a slot that is dead and not in H brings something, and never twice on one link.
A slot dies once, so no link carries two reduces; what a reduce carries is not whole, what a copy
carries is.  A slot may be live yet not in H though it is whole; copies by message never write there.
Defined.  Sources and targets of reduces are live, sources of copies whole: all are set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.context import Context
from ringproof.proof.every_n.formula import (
    Formula,
    both,
    either,
    eq,
    implies,
    negation,
    same,
)  # fmt: skip
from ringproof.proof.every_n.instance import Instance
from ringproof.proof.every_n.model import Contract, Model, Obligation, Predicate, Sender, Stage, twin
from ringproof.proof.every_n.poly import ZERO, Poly
from ringproof.proof.every_n.reading import guessed, predicate, reads, writes


@dataclass(frozen=True, slots=True)
class Guess:
    """What is guessed of one phase.

    ``live`` None: as it was at the end of the phase before (rows only copy).  ``whole`` None:
    nothing is known to be whole.  ``dying``, ``gaining``: who sent what died, what became whole.
    """

    live: Predicate | None
    whole: Predicate | None
    dying: tuple[Sender, ...] = ()
    gaining: tuple[Sender, ...] = ()


class Moves:
    """Obligations of this domain, phase by phase."""

    def __init__(self, model: Model, guesses: tuple[Guess, ...], resend_waived: str) -> None:
        if not model.in_place or model.scratch != ZERO:
            raise Untranslatable("rows that move values between slots")
        self.model, self.guesses = model, guesses
        self.resend_waived = bool(resend_waived)

    def live(self, phase: int, context: Context, step: Poly, rank: Poly, slot: Poly) -> Formula:
        """L of a phase; a phase that keeps it has that of the end of the one before."""
        if phase < 0:
            return self.model.contract.starts(context, rank, slot)
        guess = self.guesses[phase].live
        if guess is None:
            before = self.model.stages[phase - 1].steps if phase else ZERO
            return self.live(phase - 1, context, before, rank, slot)
        return predicate(self.model, guess, context, self._place(step, rank, slot))

    def whole(self, phase: int, context: Context, step: Poly, rank: Poly, slot: Poly) -> Formula:
        """H of a phase."""
        guess = self.guesses[phase].whole if phase >= 0 else None
        if guess is None:
            return False
        return predicate(self.model, guess, context, self._place(step, rank, slot))

    def _place(self, step: Poly, rank: Poly, slot: Poly) -> dict[str, Poly]:
        places = self.model.places
        return {places.step: step, places.rank: rank, places.slot: slot}

    def _somewhere(self, context: Context, tag: str) -> tuple[Context, Poly, Poly]:
        rank, in_rank = self.model.rank(f"x_{tag}")
        slot, in_slot = self.model.slot(f"c_{tag}", self.model.chunks)
        return context.extended(in_rank, in_slot), rank, slot

    def phase(self, stage: Stage) -> Iterator[Obligation]:
        """Everything about the steps of one phase, cheapest first."""
        yield from self._entry(stage)
        for one in stage.reduces:
            yield from self._reduce(stage, one)
        for one in stage.copies:
            yield from self._copy(stage, one)
        if self.guesses[stage.index].live is not None:
            yield from self._dying(stage)
        if self.guesses[stage.index].whole is not None:
            yield from self._gaining(stage)

    def _must(self, kind: str, what: str, context: Context, goal: Formula, at: int) -> Obligation:
        return Obligation(kind, what, context, goal, at)

    def _entry(self, stage: Stage) -> Iterator[Obligation]:
        p = stage.index
        context, x, c = self._somewhere(self.model.sizes.context(), f"{p}e")
        before = self.model.stages[p - 1].steps if p else ZERO
        old = self.live(p - 1, context, before, x, c)
        if self.guesses[p].live is not None:
            new = self.live(p, context, ZERO, x, c)
            yield self._must("complete", "live at the start", context, same(new, old), p)
        was = self.whole(p - 1, context, before, x, c)
        now = self.whole(p, context, ZERO, x, c)
        yield self._must("complete", "whole stays whole", context, implies(was, now), p)
        if now is not False:
            gained = both(now, negation(was))
            yield from self._alone(p - 1, context, before, x, c, gained, p)

    def _alone(
        self, phase: int, context: Context, step: Poly, x: Poly, c: Poly, given: Formula, at: int
    ) -> Iterator[Obligation]:
        """Where ``given`` holds, x's slot is the only live one of its chunk."""
        mine = self.live(phase, context, step, x, c)
        yield self._must("complete", "whole and live", context, implies(given, mine), at)
        y, in_rank = self.model.rank(f"y_{at}")
        wider = context.extended(in_rank)
        other = self.live(phase, wider, step, y, c)
        goal = implies(both(given, other), eq(x, y))
        yield self._must("complete", "one live slot", wider, goal, at)

    def _reduce(self, stage: Stage, one: Instance) -> Iterator[Obligation]:
        p, s, context = stage.index, stage.step, one.context
        source, target = (one.sender, one.chunk), (one.receiver, one.into)
        if self.guesses[p].live is None:
            yield self._must("once", "reduces in a phase without", context, False, p)
            return
        for step, (rank, slot), wanted, what in (
            (s, source, True, "source live before"), (s + 1, source, False, "source dead after"),
            (s, target, True, "target live before"), (s + 1, target, True, "target live after"),
        ):  # fmt: skip
            found = self.live(p, context, step, rank, slot)
            yield self._must("once", what, context, found if wanted else negation(found), p)
        for other in stage.reduces:
            if (other.case.index, other.case.part) >= (one.case.index, one.case.part):
                two = twin(self.model, one, other.case)
                hit = both(two.exists, eq(one.sender, two.sender), eq(one.chunk, two.chunk))
                goal = implies(hit, one.same_send(two))
                yield self._must("once", "one reduce from a slot", context, goal, p)

    def _copy(self, stage: Stage, one: Instance) -> Iterator[Obligation]:
        p, s, context = stage.index, stage.step, one.context
        source, target = (one.sender, one.chunk), (one.receiver, one.into)
        kept = self.whole(p, context, s, *source)
        yield self._must("complete", "copied when whole", context, kept, p)
        there = self.whole(p, context, s, *target)
        live = self.live(p, context, s, *target)
        free = either(negation(live), there)
        yield self._must("complete", "not onto a live slot", context, free, p)
        after = self.whole(p, context, s + 1, *target)
        yield self._must("complete", "whole after a copy", context, after, p)
        if not self.resend_waived:
            goal = implies(one.message, both(negation(there), negation(live)))
            yield self._must("no-resend", "the target lacks it", context, goal, p)

    def _dying(self, stage: Stage) -> Iterator[Obligation]:
        p, s = stage.index, stage.step
        context, x, c = self._somewhere(stage.context, f"{p}d")
        before, after = (self.live(p, context, step, x, c) for step in (s, s + 1))
        yield self._must("once", "nothing comes alive", context, implies(after, before), p)
        died = both(before, negation(after))
        place = self._place(s, x, c)
        found = (guessed(self.model, stage, g, context, place, s) for g in self.guesses[p].dying)
        sent = [reads(i, x, c) for i in found if i.case.row.reduce]
        yield self._must("complete", "what died was sent", context, implies(died, either(*sent)), p)

    def _gaining(self, stage: Stage) -> Iterator[Obligation]:
        p, s = stage.index, stage.step
        context, x, c = self._somewhere(stage.context, f"{p}g")
        before, after = (self.whole(p, context, step, x, c) for step in (s, s + 1))
        yield self._must("complete", "whole stays whole", context, implies(before, after), p)
        gained = both(after, negation(before))
        place = self._place(s, x, c)
        found = (guessed(self.model, stage, g, context, place, s) for g in self.guesses[p].gaining)
        hit = either(*(writes(i, x, c) for i in found if not i.case.row.reduce))
        if not stage.reduces:
            goal = implies(gained, hit)
            yield self._must("complete", "what became whole was sent", context, goal, p)
            return
        yield from self._alone(p, context, s + 1, x, c, both(gained, negation(hit)), p)

    def ends(self, contract: Contract, phase: int, kind: str) -> Iterator[Obligation]:
        """Every promised slot holds its value when phase ``phase`` is done."""
        context, x, c = self._somewhere(self.model.sizes.context(), f"{phase}p")
        done = self.model.stages[phase].steps
        promised = contract.ends(context, x, c)
        context = context.extended(promised)
        whole = self.whole(phase, context, done, x, c)
        if whole is False or not context.entails(whole):
            for ob in self._alone(phase, context, done, x, c, negation(whole), phase):
                yield self._must(kind, ob.what, ob.context, ob.goal, phase)
        else:
            yield self._must(kind, "promised slots are whole", context, whole, phase)
        k, in_rank = self.model.rank(f"k_{phase}p")
        wider = context.extended(in_rank)
        started = self.model.contract.starts(wider, k, c)
        goal = same(started, contract.part(wider, k, c))
        yield self._must(kind, "the whole value is the promised one", wider, goal, phase)
        goal = eq(contract.chunk(context, x, c), c)
        yield self._must(kind, "the promised chunk", context, goal, phase)
