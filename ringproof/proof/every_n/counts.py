"""Obligations that make a claimed count true for every N; trusted.

Steps: a phase's steps all count when in each of them a guessed send exists and crosses ranks.
Busiest rank: what rank r sends in a step is the number of values of its rows' variables.  If no rank
ever sends more than one fixed rank does, that rank is the busiest, and what it sends in all is A(T)
for an A with A(0) = 0 and A(s + 1) - A(s) = what it sends in step s.
In all: N times that where all ranks send alike; or, in the domain Moves, by conservation: every
reduce ends the life of one slot, and every copy makes one slot whole (no-resend), so only the slots
at the start and at the end need counting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.context import Context
from ringproof.proof.every_n.exact import Exact
from ringproof.proof.every_n.formula import (
    Formula,
    both,
    eq,
    implies,
    le,
    lt,
    negation,
    within,
)  # fmt: skip
from ringproof.proof.every_n.instance import Case, Instance
from ringproof.proof.every_n.model import Model, Obligation, Sender, Stage
from ringproof.proof.every_n.moves import Moves
from ringproof.proof.every_n.poly import ONE, ZERO, Poly
from ringproof.proof.every_n.reading import guessed, value
from ringproof.proof.every_n.terms import Reader
from ringproof.table.expr import Expr, Node, Range
from ringproof.table.schedule import Claim

Ratio = tuple[Poly, Poly]
WAYS: Mapping[str, tuple[str, ...]] = {
    "steps": ("steps",), "sends_per_rank": ("sends",), "traffic": ("sends",),
    "total_sends": ("alike", "conserved"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tally:
    """What is guessed of one phase's counts: a send of every step, and A(s) over step and sizes."""

    mover: Sender | None
    sent: Expr | None


@dataclass(frozen=True, slots=True)
class Counts:
    """Obligations about counts; ``busiest`` is the guessed rank; rows in ``still`` only move values
    within a rank (guessed, and proved)."""

    model: Model
    tallies: tuple[Tally, ...]
    busiest: Expr
    still: frozenset[tuple[int, int]]

    def _still(self, case: Case) -> bool:
        return (case.phase, case.index) in self.still

    def messages(self) -> Iterator[Obligation]:
        """Every row's sends all cross ranks, or none does."""
        for stage in self.model.stages:
            for i in stage.instances:
                goal = negation(i.message) if self._still(i.case) else i.message
                yield Obligation("claims", "messages", i.context, goal, stage.index)

    def steps(self) -> tuple[Poly, list[Obligation]]:
        """How many steps move a message, and why."""
        total, why = ZERO, list(self.messages())
        for stage, tally in zip(self.model.stages, self.tallies, strict=True):
            if all(self._still(i.case) for i in stage.instances):
                continue
            if tally.mover is None:
                raise Untranslatable("a step without a message that is the same for all N")
            place = {self.model.places.step: stage.step}
            i = guessed(self.model, stage, tally.mover, stage.context, place, stage.step)
            goal = both(i.exists, i.message)
            why.append(Obligation("claims", "a message moves", stage.context, goal, stage.index))
            total = total + stage.steps
        return total, why

    def _count(self, stage: Stage, context: Context, rank: Poly) -> Poly:
        """How many sends a rank makes in a step."""
        found = ZERO
        for i in stage.instances:
            if self._still(i.case):
                continue
            if not i.case.row.push:
                raise Untranslatable("what a rank sends when others pull")
            found = found + self._row(i, context, rank)
        return found

    def _row(self, i: Instance, context: Context, rank: Poly) -> Poly:
        row, case = i.case.row, i.case
        values = {**self.model.sizes.values, "r": rank, "s": i.step}
        reader = Reader(context, values, row.names)
        loops = {loop.name for loop in row.loops}
        for _, guard in row.guards:
            if _needs(guard.node, row.names, loops):
                raise Untranslatable("a condition on a row's own variable")
        guards = both(*(reader.condition(g.node) for _, g in row.guards))
        product = reader.arithmetic.indicator(guards)
        narrowed = Reader(context.extended(guards), values, row.names)
        for item in case.items:
            if isinstance(item, Range):
                for end in (item.lo, item.hi):
                    if _needs(end.node, row.names, loops):
                        raise Untranslatable("a range that depends on another variable")
                lo, hi = (narrowed.integer(e.node) for e in (item.lo, item.hi))
                product = product * narrowed.arithmetic.maximum([hi - lo + 1, ZERO])
        return product

    def sends(self) -> tuple[Poly, list[Obligation]]:
        """What the busiest rank sends, and why."""
        total, why = ZERO, list(self.messages())
        base = self.model.sizes.context()
        rank = value(self.model, self.busiest, base, {})
        why.append(Obligation("claims", "the rank exists", base, within(0, rank, self.model.sizes.N)))
        for stage, tally in zip(self.model.stages, self.tallies, strict=True):
            if all(self._still(i.case) for i in stage.instances):
                continue
            if tally.sent is None:
                raise Untranslatable("a count without a closed form in reach")
            r, inside = self.model.rank(f"r_{stage.index}n")
            context = stage.context.extended(inside)
            most, own = (self._count(stage, context, k) for k in (rank, r))
            why.append(Obligation("claims", "no rank sends more", context, le(own, most), stage.index))
            why += self._sum(stage, tally.sent, most)
            total = total + self._sent(stage, tally.sent, base, stage.steps)
        return total, why

    def _sent(self, stage: Stage, sent: Expr, context: Context, step: Poly) -> Poly:
        return value(self.model, sent, context, {self.model.places.step: step})

    def _sum(self, stage: Stage, sent: Expr, each: Poly) -> Iterator[Obligation]:
        base, at = self.model.sizes.context(), stage.index
        first = self._sent(stage, sent, base, ZERO)
        yield Obligation("claims", "nothing sent before", base, eq(first, ZERO), at)
        now, then = (self._sent(stage, sent, stage.context, s) for s in (stage.step, stage.step + 1))
        yield Obligation("claims", "sent in a step", stage.context, eq(then, now + each), at)

    def alike(self) -> tuple[Poly, list[Obligation]]:
        """What all ranks send together, where they send alike, and why."""
        each, why = self.sends()
        rank = value(self.model, self.busiest, self.model.sizes.context(), {})
        for stage in self.model.stages:
            if all(self._still(i.case) for i in stage.instances):
                continue
            r, inside = self.model.rank(f"r_{stage.index}n")
            context = stage.context.extended(inside)
            most, own = (self._count(stage, context, k) for k in (rank, r))
            why.append(Obligation("claims", "all send alike", context, eq(own, most), stage.index))
        return each * self.model.sizes.N, why

    def conserved(self, domain: Moves) -> tuple[Poly, list[Obligation]]:
        """What all ranks send together, by conservation, and why."""
        model, why = self.model, list(self.messages())
        if self.still or domain.resend_waived or not model.stages:
            raise Untranslatable("local moves or resends")
        last = model.stages[-1]
        N, chunks = model.sizes.N, model.chunks
        base = model.sizes.context()
        x, in_rank = model.rank("x_t")
        y, in_other = model.rank("y_t")
        c, in_slot = model.slot("c_t", chunks)
        context = base.extended(in_rank, in_other, in_slot)
        total = ZERO
        if any(stage.reduces for stage in model.stages):
            why.append(Obligation("claims", "all start", context, model.contract.starts(context, x, c)))
            alive = both(*(domain.live(last.index, context, last.steps, z, c) for z in (x, y)))
            why.append(Obligation("claims", "one stays live", context, implies(alive, eq(x, y))))
            total = total + (N - 1) * chunks
        else:
            starts = both(*(model.contract.starts(context, z, c) for z in (x, y)))
            why.append(Obligation("claims", "one starts", context, implies(starts, eq(x, y))))
        if any(stage.copies for stage in model.stages):
            whole = domain.whole(last.index, context, last.steps, x, c)
            why.append(Obligation("claims", "all are whole", context, whole))
            total = total + (N - 1) * chunks
        return total, why

    def obligations(
        self, claim: Claim, way: str, domain: Moves | Exact
    ) -> list[Obligation]:  # fmt: skip
        """Everything that makes a claim true, counted in one of its `WAYS`.

        Errors: `Untranslatable` where it cannot be counted like that.
        """
        if way not in WAYS.get(claim.what, ()):
            raise Untranslatable(f"no way to count `{claim.what}` like that")
        if way == "conserved":
            if not isinstance(domain, Moves):
                raise Untranslatable("values that do not just move")
            total, why = self.conserved(domain)
        else:
            total, why = {"steps": self.steps, "sends": self.sends, "alike": self.alike}[way]()
        per = self.model.chunks if claim.what == "traffic" else ONE
        return [*why, *self._says(claim, (total, per))]

    def _says(self, claim: Claim, counted: Ratio) -> Iterator[Obligation]:
        """The claim says what was counted."""
        base = self.model.sizes.context()
        reader = self.model.sizes.reader(base)
        (a, b), (p, q) = fraction(reader, claim.value.node), counted
        for need in reader.needs:
            yield Obligation("claims", "a claim has a value", base, need.formula)
        yield Obligation("claims", "a fraction", base, both(le(ONE, b), le(ONE, q)))
        said, found = a * q, p * b
        goal: Mapping[str, Formula] = {
            "==": eq(found, said), "<=": le(found, said), ">=": le(said, found),
            "<": lt(found, said), ">": lt(said, found),
        }  # fmt: skip
        yield Obligation("claims", claim.what, base, goal[claim.relation])


def fraction(reader: Reader, node: Node) -> Ratio:
    """A claim's value as numerator and denominator."""
    if node.op in ("+", "-", "*", "/"):
        (a, b), (p, q) = (fraction(reader, n) for n in node.args)
        if node.op == "*":
            return a * p, b * q
        if node.op == "/":
            return a * q, b * p
        return (a * q + p * b if node.op == "+" else a * q - p * b), b * q
    return reader.integer(node), ONE


def _needs(node: Node, names: Mapping[str, Expr], wanted: set[str]) -> bool:
    """Whether an expression uses one of some names in the end."""
    if node.op == "name":
        name = str(node.value)
        return name in wanted or (name in names and _needs(names[name].node, names, wanted))
    return any(_needs(a, names, wanted) for a in node.args)
