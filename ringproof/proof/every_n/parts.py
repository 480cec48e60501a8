"""What the expressions of a phase are made of, by what they depend on; not trusted."""

from __future__ import annotations

from dataclasses import dataclass, field

from ringproof.proof.every_n.distances import alternatives
from ringproof.proof.every_n.nodes import counts, inline, node, number, substitute, subtrees, tells, uses
from ringproof.proof.every_n.rewriting import folded
from ringproof.table.expr import Expr, Node, Range
from ringproof.table.schedule import Phase, Schedule


@dataclass(slots=True)
class Parts:
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
    turns: dict[Node, None] = field(default_factory=dict)
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
        trees = [(kind, inline(e.node, row.names, mine)) for kind, e in pairs]
        fixed = alternatives(schedule, row)
        found += [(kind, folded(substitute(t, f))) for kind, t in trees for f in fixed] if fixed else trees
    return list(dict.fromkeys(found))


def parts_of(schedule: Schedule, phase: Phase) -> Parts:
    """What the rows of a phase are made of."""
    parts = Parts()
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


def _named(parts: Parts, schedule: Schedule, phase: Phase, sizes: set[str]) -> None:
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
            for t in (folded(substitute(tree, f)) for f in alternatives(schedule, row)):
                if "s" in uses(t) <= sizes | {"s"} and counts(t):
                    parts.turns[t] = None


def _sort(parts: Parts, sub: Node, used: frozenset[str], sizes: set[str]) -> None:
    if used <= sizes:
        parts.sizes[sub] = None
    elif used <= sizes | {"s"}:
        parts.steps[sub] = None
    elif used <= sizes | {"r"}:
        parts.ranks[sub] = None
    elif used <= sizes | {"r", "s"}:
        parts.mixed[sub] = None
