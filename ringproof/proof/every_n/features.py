"""Expressions over places that an invariant may use, taken from the table's own text; not trusted.

Coordinates of a rank are the table's own expressions of r; coordinates of a slot are its digits in
the mixed bases that the rows multiply by; then come differences modulo the sizes, and quotients and
remainders by the powers that depend on the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ringproof.proof.every_n.blocks import blocks
from ringproof.proof.every_n.distances import distances
from ringproof.proof.every_n.model import Places
from ringproof.proof.every_n.nodes import (
    counts,
    inline,
    name,
    node,
    number,
    show,
    size,
    substitute,
    subtrees,
    tells,
    tidy,
    uses,
    weight,
)  # fmt: skip
from ringproof.proof.every_n.senders import turned
from ringproof.proof.every_n.signed import signed
from ringproof.proof.every_n.sizes import listed
from ringproof.table.expr import Expr, Node, Range
from ringproof.table.schedule import Phase, Schedule


@dataclass(slots=True)
class Features:
    """``numbers``: integer trees, simple ones first; ``marks``: what they are compared with;
    ``conditions``: ready-made atoms; ``powers``: moduli that depend on the step; ``most``: how
    many different numbers to use; ``quotients``: those of an invariant that was learned."""

    numbers: list[Node] = field(default_factory=list)
    marks: list[Node] = field(default_factory=list)
    conditions: list[Node] = field(default_factory=list)
    powers: list[Node] = field(default_factory=list)
    moduli: list[Node] = field(default_factory=list)
    most: int = 30
    named: frozenset[Node] = frozenset()
    quotients: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class _Parts:
    """The table's own subexpressions of one phase, by what they depend on."""

    sizes: dict[Node, None] = field(default_factory=dict)
    steps: dict[Node, None] = field(default_factory=dict)
    ranks: dict[Node, None] = field(default_factory=dict)
    mixed: dict[Node, None] = field(default_factory=dict)
    tests: dict[Node, None] = field(default_factory=dict)
    guards: dict[Node, None] = field(default_factory=dict)
    moduli: dict[Node, None] = field(default_factory=dict)
    factors: dict[Node, None] = field(default_factory=dict)
    xors: dict[Node, None] = field(default_factory=dict)
    intos: dict[Node, None] = field(default_factory=dict)
    named: dict[Node, None] = field(default_factory=dict)
    moving: dict[Node, None] = field(default_factory=dict)
    binary: dict[Node, None] = field(default_factory=dict)


def row_trees(schedule: Schedule, phase: Phase) -> list[tuple[str, Node]]:
    """Every expression of a phase's rows with all names written out, and what it is."""
    kept = frozenset({"N", "r", "s", *(p.name for p in schedule.params)})
    found: list[tuple[str, Node]] = [("steps", inline(phase.steps.node, phase.names, kept))]
    for row in phase.rows:
        mine = kept | {loop.name for loop in row.loops}
        pairs: list[tuple[str, Expr]] = [("peer", row.peer), ("chunk", row.chunk), ("into", row.into)]
        pairs += [("guard", guard) for _, guard in row.guards]
        for loop in row.loops:
            for item in loop.items:
                if isinstance(item, Range):
                    pairs += [("bound", item.lo), ("bound", item.hi)]
        found += [(kind, inline(e.node, row.names, mine)) for kind, e in pairs]
    return found


def _parts(schedule: Schedule, phase: Phase) -> _Parts:
    parts = _Parts()
    sizes = {"N", *(p.name for p in schedule.params)}
    _named(parts, schedule, phase, sizes)
    for other in schedule.phases:
        for kind, tree in row_trees(schedule, other):
            if kind == "into" and uses(tree) <= sizes | {"r"}:
                parts.intos[tree] = None
            for sub in subtrees(tree):
                if sub.op == "lowbit" or (sub.op == "**" and sub.args[0] == number(2)):
                    parts.binary[sub] = None
                if sub.op == "%" and "r" in uses(sub) <= sizes | {"r"}:
                    parts.ranks[sub] = None
    for kind, tree in row_trees(schedule, phase):
        if kind == "guard" and {"r", "s"} <= uses(tree) <= sizes | {"r", "s"}:
            parts.guards[tree] = None
        for sub in subtrees(tree):
            used = uses(sub)
            if sub.op in ("%", "//") and used and uses(sub.args[1]) <= sizes | {"s"}:
                parts.moduli[sub.args[1]] = None
            if sub.op == "*" and kind in ("chunk", "into"):
                for factor in sub.args:
                    if uses(factor) and uses(factor) <= sizes:
                        parts.factors[factor] = None
            if sub.op in ("flip", "bit") and uses(sub.args[1]) <= sizes | {"s"}:
                parts.moduli[node("**", number(2), sub.args[1])] = None
            if sub.op == "^" and not any(a.op in ("**", ">>", "<<") for a in sub.args):
                parts.xors[sub] = None
            if sub.op in ("^", "&", "|"):
                for arg in sub.args:
                    if "s" in uses(arg) and uses(arg) <= sizes | {"s"}:
                        parts.steps[arg] = None
            if not used:
                continue
            if tells(sub) and used <= sizes | {"r"} and "r" in used:
                parts.tests[sub] = None
            elif counts(sub) or sub.op == "name":
                _sort(parts, sub, used, sizes)
    return parts


def _named(parts: _Parts, schedule: Schedule, phase: Phase, sizes: set[str]) -> None:
    """What the table has a name for is worth looking at."""
    kept = frozenset({"r", "s", *sizes})
    for row in phase.rows:
        mine = kept | {loop.name for loop in row.loops}
        for expr in row.names.values():
            tree = inline(expr.node, row.names, mine)
            if "r" in uses(tree) <= sizes | {"r"} and counts(tree):
                parts.named[tree] = None
            if {"r", "s"} <= uses(tree) <= kept and tree.op in ("+", "-"):
                parts.moving[tree] = None


def _sort(parts: _Parts, sub: Node, used: frozenset[str], sizes: set[str]) -> None:
    if used <= sizes:
        parts.sizes[sub] = None
    elif used <= sizes | {"s"}:
        parts.steps[sub] = None
    elif used <= sizes | {"r"}:
        parts.ranks[sub] = None
    elif used <= sizes | {"r", "s"}:
        parts.mixed[sub] = None


def features(
    schedule: Schedule, phase: Phase, places: Places, axes: tuple[str, ...], level: int
) -> Features:
    """The features of one phase over the given axes (step, rank, slot, ...); more with the level."""
    parts = _parts(schedule, phase)
    found = Features()
    s, x, c = name(places.step), name(places.rank), name(places.slot)
    at = {"s": s}
    powers = [substitute(p, at) for p in parts.moduli if "s" in uses(p)]
    powers += [substitute(p, at) for p in parts.steps if p.op in ("**", ">>") and p not in powers]
    powers = list(dict.fromkeys(tidy(p) for p in powers if p.op != "**" or p.args[0].op != "neg"))
    powers += [earlier(p, places.step) for p in powers if _falls(p, places.step)]
    constants = [m for m in parts.moduli if "s" not in uses(m)]
    found.powers, found.moduli = list(dict.fromkeys(powers)), constants
    ranks = _coordinates(parts, x, level)
    slots = _slots(schedule, parts, c)
    others = _coordinates(parts, name(places.origin), level) if places.origin in axes else []
    numbers: dict[Node, None] = dict.fromkeys([s, *ranks, *slots, *others])
    if places.chunk in axes:
        numbers[name(places.chunk)] = None
    pairs = [(u, v) for u in ranks for v in (*slots, *others)]
    pairs += [(u, v) for u in others for v in slots]
    if parts.binary:
        for u in (x, *_ranks(axes[3:], places)):
            numbers[node("lowbit", u)] = None
    numbers.update(dict.fromkeys(_together(schedule, parts, pairs, constants, level)))
    if level:
        chunks = [name(places.chunk)] if places.chunk in axes else []
        numbers.update(dict.fromkeys(distances(parts.factors, numbers, chunks, _ranks(axes, places))))
    base = [n for n in numbers if n != s]
    for p in found.powers[: 2 + 2 * level]:
        for u in base:
            if level or size(u) <= 5 or u in ranks or u in others:
                numbers[node("//", u, p)] = None
                numbers[node("%", u, p)] = None
    if level > 1:
        for u in (substitute(m, {**at, "r": x}) for m in parts.mixed):
            numbers[u] = None
    moving = [substitute(t, {**at, "r": x}) for t in parts.moving]
    numbers.update(dict.fromkeys(moving))
    roles = [x, *_ranks(axes[3:], places)]
    named = [*moving, *(substitute(t, {"r": r}) for t in parts.named for r in roles)]
    turns = signed([t for _, t in row_trees(schedule, phase)], places, [name(a) for a in axes[2:]])
    special = (*turns.runs, *turns.periods, *blocks(schedule, phase, places))
    numbers.update(dict.fromkeys(special))
    found.named = frozenset(t for t in (*named, *special) if size(t) > 2)
    found.numbers = sorted(numbers, key=lambda t: weight(t, found.named))
    found.most = 40 + 40 * level
    marks = [number(0), s, *(substitute(t, at) for t in parts.steps), *parts.sizes]
    marks = sorted(dict.fromkeys(marks), key=size)[: 8 + 4 * level]
    found.marks = list(dict.fromkeys([*marks, *turns.lengths]))
    found.conditions = [substitute(t, {"r": r}) for t in parts.tests for r in _ranks(axes, places)]
    left = (substitute(t, {**at, "r": x}) for t in parts.guards)
    found.conditions += [earlier(t, places.step) for t in left]
    return found


def _together(
    schedule: Schedule, parts: _Parts, pairs: list[tuple[Node, Node]], constants: list[Node], level: int
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


def _coordinates(parts: _Parts, x: Node, level: int) -> list[Node]:
    at = {"r": x}
    named = [substitute(t, at) for t in sorted(parts.named, key=size)]
    own = [substitute(t, at) for t in sorted(parts.ranks, key=size)]
    kept = [t for t in own if level or t.op in ("name", "%", "//", "lowbit", "if")]
    return list(dict.fromkeys([x, *named[: 4 + 2 * level], *kept[: 4 + 4 * level]]))


def _slots(schedule: Schedule, parts: _Parts, c: Node) -> list[Node]:
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
