"""Reads predicates and sender guesses over places, wherever an obligation needs them; trusted."""

from __future__ import annotations

from collections.abc import Mapping

from ringproof.proof.every_n.context import Context
from ringproof.proof.every_n.formula import Formula, both, either, eq, negation
from ringproof.proof.every_n.instance import Instance, given
from ringproof.proof.every_n.model import Model, Predicate, Sender, Stage
from ringproof.proof.every_n.poly import Poly
from ringproof.proof.every_n.terms import Reader, about_step
from ringproof.table.expr import Expr

Place = Mapping[str, Poly]


def predicate(model: Model, guess: Predicate, context: Context, place: Place) -> Formula:
    """The invariant at a place; total, so the same everywhere for the same values."""
    values = {**model.sizes.values, **place}
    rules = (_rule(rule, context, values, model.places.step) for rule in guess.rules)
    found = either(*rules)
    return negation(found) if guess.sign else found


def _rule(rule: tuple[Expr, ...], context: Context, values: Place, step: str) -> Formula:
    """All its conditions; those on the step alone are read first, and the others where they hold."""
    early = [e for e in rule if about_step(e.node, step)]
    reader = Reader(context, values, {})
    first = both(*(reader.condition(e.node) for e in early))
    reader = Reader(context.extended(first), values, {})
    return both(first, *(reader.condition(e.node) for e in rule if e not in early))


def value(model: Model, expr: Expr, context: Context, place: Place) -> Poly:
    """A guessed number at a place."""
    return Reader(context, {**model.sizes.values, **place}, {}).integer(expr.node)


def guessed(
    model: Model, stage: Stage, sender: Sender, context: Context, place: Place, step: Poly
) -> Instance:
    """The send that a guess names."""
    found = [i.case for i in stage.instances
             if (i.case.index, i.case.part) == (sender.row, sender.part)]  # fmt: skip
    if not found:
        raise ValueError("a guess at a row that is not there")
    case = found[0]
    rank = value(model, sender.rank, context, place)
    loops = {name: value(model, sender.loops[name], context, place) for name in case.unknowns}
    return given(model.sizes, context, case, step, rank, loops)


def reads(instance: Instance, rank: Poly, slot: Poly) -> Formula:
    """The send exists and reads this slot."""
    return both(instance.exists, eq(instance.sender, rank), eq(instance.chunk, slot))


def writes(instance: Instance, rank: Poly, slot: Poly) -> Formula:
    """The send exists and writes this slot."""
    return both(instance.exists, eq(instance.receiver, rank), eq(instance.into, slot))
