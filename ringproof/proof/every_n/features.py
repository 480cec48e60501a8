"""Expressions over places that an invariant may use, taken from the table's own text; not trusted.

Coordinates of a rank are the table's own expressions of r; coordinates of a slot are its digits in
the mixed bases that the rows multiply by; then come differences modulo the sizes, and quotients and
remainders by the powers that depend on the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ringproof.proof.every_n.blocks import blocks
from ringproof.proof.every_n.coordinates import coordinates
from ringproof.proof.every_n.distances import distances, parted
from ringproof.proof.every_n.instance import is_product
from ringproof.proof.every_n.model import Places
from ringproof.proof.every_n.nodes import (
    inline,
    name,
    node,
    number,
    show,
    size,
    substitute,
    subtrees,
    uses,
    weight,
)  # fmt: skip
from ringproof.proof.every_n.parts import Parts, parts_of, row_trees
from ringproof.proof.every_n.rewriting import tidy
from ringproof.proof.every_n.senders import turned
from ringproof.proof.every_n.signed import signed
from ringproof.proof.every_n.sizes import listed
from ringproof.table.expr import Node
from ringproof.table.schedule import Phase, Schedule


@dataclass(slots=True)
class Features:
    """``numbers``: integer trees, simple ones first; ``marks``: what they are compared with;
    ``conditions``: ready-made atoms; ``powers``: moduli that depend on the step; ``most``: how
    many different numbers to use; ``quotients``: those of an invariant that was learned;
    ``parted``: conditions on the slot that tell one part of the slots from another."""

    numbers: list[Node] = field(default_factory=list)
    marks: list[Node] = field(default_factory=list)
    conditions: list[Node] = field(default_factory=list)
    powers: list[Node] = field(default_factory=list)
    moduli: list[Node] = field(default_factory=list)
    most: int = 30
    named: frozenset[Node] = frozenset()
    quotients: list[Node] = field(default_factory=list)
    parted: list[Node] = field(default_factory=list)


def features(schedule: Schedule, phase: Phase, places: Places, axes: tuple[str, ...], level: int) -> Features:
    """The features of one phase over the given axes (step, rank, slot, ...); more with the level."""
    parts = parts_of(schedule, phase)
    found = Features()
    s, x, c = name(places.step), name(places.rank), name(places.slot)
    at = {"s": s}
    found.powers = _powers(parts, places)
    found.moduli = constants = [m for m in parts.moduli if "s" not in uses(m)]
    ranks = _coordinates(parts, x, level)
    slots = _slots(schedule, parts, c)
    others = _coordinates(parts, name(places.origin), level) if places.origin in axes else []
    chunks = [name(places.chunk)] if places.chunk in axes else []
    numbers: dict[Node, None] = dict.fromkeys([s, *ranks, *slots, *others, *chunks])
    pairs = [(u, v) for u in ranks for v in (*slots, *others)]
    pairs += [(u, v) for u in others for v in slots]
    if parts.binary:
        numbers.update(dict.fromkeys(node("lowbit", u) for u in (x, *_ranks(axes[3:], places))))
    digits: list[Node] = []
    if not level and is_product(schedule):
        every = [t for p in schedule.phases for t in row_trees(schedule, p)]
        numbers = dict.fromkeys([s, x, c, *coordinates(schedule, every, _ranks(axes, places), c)])
        pairs, digits = [], [n for n in numbers if n.args and n.args[0].op != "-"]
    numbers.update(dict.fromkeys(_together(schedule, parts, pairs, constants, level)))
    if level:
        numbers.update(dict.fromkeys(distances(parts.factors, numbers, chunks, _ranks(axes, places))))
    base = [n for n in numbers if n != s]
    for p in found.powers[: 2 + 2 * level]:
        for u in base:
            if level or size(u) <= 5 or u in ranks or u in others:
                numbers[node("//", u, p)] = None
                numbers[node("%", u, p)] = None
    if level > 1:
        numbers.update(dict.fromkeys(substitute(m, {**at, "r": x}) for m in parts.mixed))
    moving = [substitute(t, {**at, "r": x}) for t in parts.moving]
    turns = signed([t for _, t in row_trees(schedule, phase)], places, [name(a) for a in axes[2:]])
    special = (*turns.runs, *turns.periods, *blocks(schedule, phase, places))
    numbers.update(dict.fromkeys((*moving, *special)))
    roles = [x, *_ranks(axes[3:], places)]
    named = [*moving, *(substitute(t, {"r": r}) for t in parts.named for r in roles), *special]
    found.named = frozenset(t for t in (*named, *digits) if size(t) > 2)
    found.numbers = sorted(numbers, key=lambda t: weight(t, found.named))
    found.most = 40 + 40 * level
    found.parted = parted(schedule, phase, c)
    found.marks = list(dict.fromkeys([*_marks(parts, s)[: 8 + 4 * level], *turns.lengths]))
    found.conditions = _conditions(parts, places, axes)
    return found


def _powers(parts: Parts, places: Places) -> list[Node]:
    """Moduli that depend on the step, and what falling ones were a step before."""
    at = {"s": name(places.step)}
    powers = [substitute(p, at) for p in parts.moduli if "s" in uses(p)]
    powers += [substitute(p, at) for p in parts.steps if p.op in ("**", ">>") and p not in powers]
    powers = list(dict.fromkeys(tidy(p) for p in powers if p.op != "**" or p.args[0].op != "neg"))
    powers += [earlier(p, places.step) for p in powers if _falls(p, places.step)]
    return list(dict.fromkeys(powers))


def _conditions(parts: Parts, places: Places, axes: tuple[str, ...]) -> list[Node]:
    """What the table asks of a rank, and what its rows asked a step before."""
    found = [substitute(t, {"r": r}) for t in parts.tests for r in _ranks(axes, places)]
    at = {"s": name(places.step), "r": name(places.rank)}
    return found + [earlier(substitute(t, at), places.step) for t in parts.guards]


def _marks(parts: Parts, step: Node) -> list[Node]:
    """What numbers are compared with, simple ones and those that the table has a name for first."""
    at = {"s": step}
    marks = [number(0), step, *(substitute(t, at) for t in parts.steps), *parts.sizes]
    turns = frozenset(substitute(t, at) for t in parts.turns)
    return sorted(dict.fromkeys(marks), key=lambda t: weight(t, turns))


def _together(
    schedule: Schedule, parts: Parts, pairs: list[tuple[Node, Node]], constants: list[Node], level: int
) -> Iterator[Node]:  # fmt: skip
    """Two coordinates in one number: differences and sums modulo a size, and exclusive ors."""
    N = name("N")
    few = {name(p.name) for p in schedule.params if listed(p) and not level}
    wide = [N, *(m for m in constants if m != N and m.op != "const" and m not in few)]
    for m in wide[: 3 + 2 * level]:
        for u, v in pairs:
            if level or max(size(u), size(v)) <= 3 or (m != N and show(v) != "N"):
                yield node("%", node("-", u, v), m)
                if level or size(u) == size(v) == 1:
                    yield node("%", node("-", v, u), m)
    plain = [(u, v) for u, v in pairs if size(u) == size(v) == 1]
    if any(m.op == "-" and m.args[1] == name("r") for m in parts.mixed):
        yield from (node("%", node("+", u, v), N) for u, v in plain)
    if parts.xors:
        yield from (node("^", u, v) for u, v in plain)


def earlier(tree: Node, step: str) -> Node:
    """The tree one step before."""
    return tidy(substitute(tree, {step: node("-", name(step), number(1))}))


def _falls(tree: Node, step: str) -> bool:
    """Whether a power gets smaller with the step, as far as its text tells."""
    for sub in subtrees(tree):
        if (sub.op == ">>" and step in uses(sub.args[1])) or (sub.op == "-" and step in uses(sub.args[1])):
            return True
    return False


def _ranks(axes: tuple[str, ...], places: Places) -> list[Node]:
    return [name(n) for n in (places.rank, places.origin) if n in axes]


def _coordinates(parts: Parts, x: Node, level: int) -> list[Node]:
    at = {"r": x}
    named = [substitute(t, at) for t in sorted(parts.named, key=size)]
    own = [substitute(t, at) for t in sorted(parts.ranks, key=size)]
    kept = [t for t in own if level or t.op in ("name", "%", "//", "lowbit", "if")]
    return list(dict.fromkeys([x, *named[: 4 + 2 * level], *kept[: 4 + 4 * level]]))


def _slots(schedule: Schedule, parts: Parts, c: Node) -> list[Node]:
    found = [c]
    for factor in parts.factors:
        found += [node("//", c, factor), node("%", c, factor)]
    for into in parts.intos:
        found += turned(into, c, "r")
    owner = schedule.promise.owner
    if owner is not None and owner.node.op != "name":
        kept = frozenset({"N", *(p.name for p in schedule.params)})
        tree = inline(owner.node, schedule.promise.names, kept | {"c"})
        found.append(substitute(tree, {"c": c}))
    return list(dict.fromkeys(found))
