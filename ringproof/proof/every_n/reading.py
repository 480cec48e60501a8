"""Reads predicates and sender guesses over places, wherever an obligation needs them; trusted."""

from __future__ import annotations

from collections.abc import Mapping

from ringproof.proof.every_n.context import Context
from ringproof.proof.every_n.formula import Formula, both, either, eq, negation
from ringproof.proof.every_n.instance import Instance, given
from ringproof.proof.every_n.model import Model, Predicate, Sender, Stage
from ringproof.proof.every_n.poly import Poly
from ringproof.proof.every_n.terms import Reader
from ringproof.table.expr import Expr

Place = Mapping[str, Poly]


def predicate(model: Model, guess: Predicate, context: Context, place: Place) -> Formula:
    """The invariant at a place; total, so the same everywhere for the same values."""
    reader = Reader(context, {**model.sizes.values, **place}, {})
    rules = (both(*(reader.condition(e.node) for e in rule)) for rule in guess.rules)
    found = either(*rules)
    return negation(found) if guess.sign else found


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
