"""The domain Exact: for every slot, which contributions it holds at every step; trusted.

A predicate M(step, rank, slot, contribution) a phase; any guess.  A contribution is a rank k and,
unless all rows are in place, the chunk q it is of.  What makes M right is this induction.  If M says
exactly what every slot holds before a step, each contribution once, then it does so after it:
  - a slot hit by a copy (by only one, and by nothing else: conflict-free) holds what its source
    held, which is M after;
  - a slot hit by reduces holds its own and theirs: these are disjoint, pair by pair (or nothing else
    hits it), so each part is there once (`once`); they are in M after; and what M gained comes from a
    send whose source had it;
  - a slot not hit has neither gained (a gain needs a hit) nor lost (a loss needs a copy).
Defined: the source of a send, and the target of a reduce, holds a guessed witness, so it is set; and
what is set holds something, because every send so far carried something.
No-resend: a copy by message carries a guessed witness that its target lacks.  If nothing is ever
lost, a link that carried a value has left it in the target for good, so the same value again would
bring nothing: a reduce would count twice, a copy would lack its witness.  Otherwise no link may be
used twice at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ringproof.proof.every_n.context import Context
from ringproof.proof.every_n.formula import (
    Formula,
    both,
    either,
    eq,
    implies,
    le,
    lt,
    negation,
    same,
    within,
)  # fmt: skip
from ringproof.proof.every_n.instance import Instance, fresh
from ringproof.proof.every_n.model import Contract, Model, Obligation, Predicate, Sender, Stage, twin
from ringproof.proof.every_n.poly import ZERO, Poly
from ringproof.proof.every_n.reading import Place, guessed, predicate, value, writes
from ringproof.table.expr import Expr

Cell = tuple[Poly, Poly]


@dataclass(frozen=True, slots=True)
class Witness:
    """A contribution that a slot holds, over the step, the rank and the slot."""

    origin: Expr
    chunk: Expr


@dataclass(frozen=True, slots=True)
class Guess:
    """What is guessed of one phase; ``losing`` empty: nothing is ever lost in it."""

    holds: Predicate
    gaining: tuple[Sender, ...] = ()
    losing: tuple[Sender, ...] = ()
    witnesses: tuple[Witness, ...] = ()


class Exact:
    """Obligations of this domain, phase by phase."""

    def __init__(self, model: Model, guesses: tuple[Guess, ...], resend_waived: str) -> None:
        self.model, self.guesses = model, guesses
        self.resend_waived = bool(resend_waived)

    def holds(
        self, phase: int, context: Context, step: Poly, cell: Cell, part: Cell
    ) -> Formula:
        """M of a phase; before the first phase, what slots start with."""
        if phase < 0:
            rank, slot = cell
            started = self.model.contract.starts(context, rank, slot)
            own = both(lt(slot, self.model.chunks), eq(part[0], rank), eq(part[1], slot))
            return both(own, started)
        return predicate(self.model, self.guesses[phase].holds, context, self._place(step, cell, part))

    def _place(self, step: Poly, cell: Cell, part: Cell | None = None) -> dict[str, Poly]:
        names = self.model.places
        place = {names.step: step, names.rank: cell[0], names.slot: cell[1]}
        if part is not None:
            place[names.origin] = part[0]
            if not self.model.in_place:
                place[names.chunk] = part[1]
        return place

    def _part(self, context: Context, tag: str, slot: Poly) -> tuple[Context, Cell]:
        """A contribution that a slot may hold."""
        k, in_rank = self.model.rank(f"k_{tag}")
        if self.model.in_place:
            return context.extended(in_rank), (k, slot)
        q, in_chunk = self.model.slot(f"q_{tag}", self.model.chunks)
        return context.extended(in_rank, in_chunk), (k, q)

    def _cell(self, context: Context, tag: str, slots: Poly) -> tuple[Context, Cell]:
        x, in_rank = self.model.rank(f"x_{tag}")
        c, in_slot = self.model.slot(f"c_{tag}", slots)
        return context.extended(in_rank, in_slot), (x, c)

    def phase(self, stage: Stage) -> Iterator[Obligation]:
        """Everything about the steps of one phase."""
        yield from self._entry(stage)
        for one in stage.instances:
            yield from self._defined(stage, one)
            yield from (self._reduce if one.case.row.reduce else self._copy)(stage, one)
        yield from self._changes(stage)

    def _entry(self, stage: Stage) -> Iterator[Obligation]:
        p = stage.index
        context, cell = self._cell(self.model.sizes.context(), f"{p}e", self.model.slots)
        context, part = self._part(context, f"{p}e", cell[1])
        before = self.model.stages[p - 1].steps if p else ZERO
        old, new = (self.holds(i, context, t, cell, part) for i, t in ((p - 1, before), (p, ZERO)))
        yield Obligation("complete", "contents at the start", context, same(new, old), p)

    def _witnessed(
        self, stage: Stage, context: Context, place: Place, cell: Cell, without: Cell | None
    ) -> Formula:
        """``cell`` holds a witness (read at ``place``) that ``without`` lacks."""
        found: list[Formula] = []
        chunks, N = self.model.chunks, self.model.sizes.N
        for witness in self.guesses[stage.index].witnesses:
            origin = value(self.model, witness.origin, context, place)
            chunk = value(self.model, witness.chunk, context, place)
            part = (origin, chunk)
            real: list[Formula] = [within(0, origin, N), within(0, chunk, chunks)]
            if self.model.in_place:
                part = (origin, cell[1])
                real = real[:1]
            real.append(self.holds(stage.index, context, stage.step, cell, part))
            if without is not None:
                lacks = self.holds(stage.index, context, stage.step, without, part)
                real.append(negation(lacks))
            found.append(both(*real))
        return either(*found)

    def _defined(self, stage: Stage, one: Instance) -> Iterator[Obligation]:
        cells = [(one.sender, one.chunk)]
        if one.case.row.reduce:
            cells.append((one.receiver, one.into))
        for cell in cells:
            place = self._place(stage.step, cell)
            goal = self._witnessed(stage, one.context, place, cell, None)
            yield Obligation("defined", "the slot is set", one.context, goal, stage.index)

    def _reduce(self, stage: Stage, one: Instance) -> Iterator[Obligation]:
        p, s = stage.index, stage.step
        context, part = self._part(one.context, f"{p}i", one.into)
        source, target = (one.sender, one.chunk), (one.receiver, one.into)
        has = self.holds(p, context, s, source, part)
        had = self.holds(p, context, s, target, part)
        after = self.holds(p, context, s + 1, target, part)
        yield Obligation("once", "disjoint", context, negation(both(has, had)), p)
        yield Obligation("complete", "added", context, implies(has, after), p)
        yield Obligation("complete", "kept", context, implies(had, after), p)
        for other in stage.reduces:
            if (other.case.index, other.case.part) < (one.case.index, one.case.part):
                continue
            two = twin(self.model, one, other.case)
            hit = both(eq(one.receiver, two.receiver), eq(one.into, two.into))
            wider = two.context.extended(two.exists)
            if wider.entails(implies(hit, one.same_send(two))):
                continue  # a slot is hit only once: nothing to be disjoint
            wider, part = self._part(wider, f"{p}i", one.into)
            mine = self.holds(p, wider, s, source, part)
            theirs = self.holds(p, wider, s, (two.sender, two.chunk), part)
            goal = implies(both(hit, mine, theirs), one.same_send(two))
            yield Obligation("once", "disjoint from each other", wider, goal, p)

    def _copy(self, stage: Stage, one: Instance) -> Iterator[Obligation]:
        p, s = stage.index, stage.step
        context, part = self._part(one.context, f"{p}i", one.into)
        source, target = (one.sender, one.chunk), (one.receiver, one.into)
        has = self.holds(p, context, s, source, part)
        after = self.holds(p, context, s + 1, target, part)
        yield Obligation("complete", "copied", context, same(has, after), p)
        if not self.resend_waived:
            messages = one.context.extended(one.message)
            goals = [self._witnessed(stage, messages, self._place(s, at), source, target)
                     for at in (source, target)]  # fmt: skip
            goal = either(*goals)
            yield Obligation("no-resend", "the target lacks something", messages, goal, p)

    def _changes(self, stage: Stage) -> Iterator[Obligation]:
        p, s, guess = stage.index, stage.step, self.guesses[stage.index]
        context, cell = self._cell(stage.context, f"{p}g", self.model.slots)
        context, part = self._part(context, f"{p}g", cell[1])
        before, after = (self.holds(p, context, step, cell, part) for step in (s, s + 1))
        place = self._place(s, cell, part)
        hits: list[Formula] = []
        for sender in guess.gaining:
            i = guessed(self.model, stage, sender, context, place, s)
            has = self.holds(p, context, s, (i.sender, i.chunk), part)
            hits.append(both(writes(i, *cell), has))
        gained = both(after, negation(before))
        yield Obligation("complete", "what came was sent", context, implies(gained, either(*hits)), p)
        lost = both(before, negation(after))
        overwritten = [
            writes(i, *cell)
            for i in (guessed(self.model, stage, g, context, place, s) for g in guess.losing)
            if not i.case.row.reduce
        ]
        goal = implies(lost, either(*overwritten))
        yield Obligation("complete", "what went was overwritten", context, goal, p)

    def links(self) -> Iterator[Obligation]:
        """No link is used twice; not needed where nothing is ever lost."""
        if self.resend_waived or not any(g.losing for g in self.guesses):
            return
        for early in self.model.stages:
            for late in self.model.stages[early.index :]:
                for one in early.instances:
                    for other in late.instances:
                        yield self._link(early, late, one, other)

    def _link(self, early: Stage, late: Stage, one: Instance, other: Instance) -> Obligation:
        again = self.model.unknown(f"again_{late.index}")
        soonest = one.step + 1 if early is late else ZERO
        context = one.context.extended(le(soonest, again), lt(again, late.steps), one.message)
        two = fresh(self.model.sizes, context, other.case, again, f"_{late.index}l")
        apart = negation(both(
            eq(one.sender, two.sender), eq(one.receiver, two.receiver),
            eq(one.chunk, two.chunk), eq(one.into, two.into),
        ))  # fmt: skip
        return Obligation("no-resend", "a link is used once", two.context, apart, early.index)

    def ends(self, contract: Contract, phase: int, kind: str) -> Iterator[Obligation]:
        """Every promised slot holds exactly what is promised when phase ``phase`` is done."""
        context, cell = self._cell(self.model.sizes.context(), f"{phase}p", self.model.chunks)
        context = context.extended(contract.ends(context, *cell))
        wanted_chunk = contract.chunk(context, *cell)
        if self.model.in_place:
            goal = eq(wanted_chunk, cell[1])
            yield Obligation(kind, "the promised chunk", context, goal, phase)
        context, part = self._part(context, f"{phase}p", cell[1])
        wanted = contract.part(context, part[0], cell[1])
        if not self.model.in_place:
            wanted = both(wanted, eq(part[1], wanted_chunk))
        done = self.model.stages[phase].steps
        held = self.holds(phase, context, done, cell, part)
        yield Obligation(kind, "exactly what is promised", context, same(held, wanted), phase)
