"""Obligations that ask nothing about contents: sizes make sense, in-range, conflict-free; trusted.

Together they say that every size of the claim expands into sends that can run: every value the
table asks for exists, every rank and slot exists, and in one step a slot takes any number of
reduces or exactly one copy.
"""

from __future__ import annotations

from collections.abc import Iterator

from ringproof.proof.every_n.context import Context
from ringproof.proof.every_n.formula import Formula, both, eq, implies, le, lt, within
from ringproof.proof.every_n.instance import Instance
from ringproof.proof.every_n.model import Contract, Model, Obligation, twin
from ringproof.proof.every_n.poly import ONE, ZERO


def sense(model: Model) -> Iterator[Obligation]:
    """Counts are not negative, roots and owners exist, and everything has a value."""
    sizes = model.sizes
    base = sizes.context()
    yield Obligation("in-range", "there is a chunk", base, le(ONE, model.chunks))
    yield Obligation("in-range", "scratch is not negative", base, le(ZERO, model.scratch))
    for stage in model.stages:
        yield Obligation("in-range", "steps are not negative", base, le(ZERO, stage.steps))
    for contract in (model.contract, *model.ensures.values()):
        yield from _contract(model, contract)
    for context, need in list(sizes.needs):
        yield Obligation("in-range", "a size has a value", context, need.formula)


def _contract(model: Model, contract: Contract) -> Iterator[Obligation]:
    base = model.sizes.context()
    N = model.sizes.N
    yield Obligation("in-range", "the root exists", base, within(0, contract.root, N))
    if contract.entry.chunks_per_rank:
        blocks = contract.reader(base, ZERO, ZERO, ZERO).arithmetic.divide(model.chunks, N)
        yield Obligation("in-range", "whole blocks", base, eq(model.chunks, N * blocks))
    slot, inside = model.slot("slot_o", model.chunks)
    context = base.extended(inside)
    owner, needs = contract.owner(context, slot)
    for need in needs:
        yield Obligation("in-range", "the owner has a value", context, need.formula)
    if contract.promise.owner is not None or contract.entry.takes_owner:
        yield Obligation("in-range", "the owner exists", context, within(0, owner, N))


def ranges(model: Model) -> Iterator[Obligation]:
    """Every value in every row exists, and so does every rank and slot."""
    N, slots = model.sizes.N, model.slots
    for stage in model.stages:
        for i in stage.instances:
            for context, formula in _needed(i):
                yield Obligation("in-range", "a value exists", context, formula, stage.index)
            peer = i.receiver if i.case.row.push else i.sender
            places = dict.fromkeys(((peer, N), (i.chunk, slots), (i.into, slots)))
            for place, count in places:
                for goal in (le(ZERO, place), lt(place, count)):
                    yield Obligation("in-range", "ranks and slots", i.context, goal, stage.index)


def _needed(i: Instance) -> Iterator[tuple[Context, Formula]]:
    """Everything once: without the path to it, where it holds on no condition at all."""
    asked: dict[tuple[int, Formula], Context] = {}
    for context, need in i.needs:
        formula = True if context.entails(need.holds) else need.formula
        asked.setdefault((id(context), formula), context)
    for (_, formula), context in asked.items():
        yield context, formula


def conflicts(model: Model) -> Iterator[Obligation]:
    """Two sends of a step, one of them a copy, have different targets."""
    for stage in model.stages:
        for at, one in enumerate(stage.instances):
            for other in stage.instances[at:]:
                if one.case.row.reduce and other.case.row.reduce:
                    continue
                two = twin(model, one, other.case)
                hit = both(two.exists, eq(one.receiver, two.receiver), eq(one.into, two.into))
                goal = implies(hit, one.same_send(two))
                yield Obligation("conflict-free", "one copy a slot", one.context, goal, stage.index)
