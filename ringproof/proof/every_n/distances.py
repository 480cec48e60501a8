"""How far two places are apart, and how many strides of the table fit between them; not trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ringproof.proof.every_n.instance import choices
from ringproof.proof.every_n.nodes import inline, name, node, show, substitute, uses
from ringproof.proof.every_n.rewriting import folded
from ringproof.table.expr import Expr, Node
from ringproof.table.schedule import Phase, Row, Schedule


def distances(
    factors: Iterable[Node], numbers: Iterable[Node], chunks: list[Node], ranks: list[Node]
) -> Iterator[Node]:
    """Chunks from ranks, going around; and distances among ``numbers`` in powers among ``factors``."""
    N = name("N")
    yield from (node("%", node("-", q, x), N) for q in chunks for x in ranks)
    apart = [n for n in numbers if n.op == "%" and n.args[1] == N and n.args[0].op == "-"]
    strides = [p for p in factors if p.op == "**"]
    yield from (node(op, d, p) for d in apart for p in strides for op in ("//", "%"))


def alternatives(schedule: Schedule, row: Row) -> list[dict[str, Node]]:
    """What the variables of a row may be that run over a few numbers; nothing if there are none."""
    found: dict[tuple[tuple[str, Node], ...], dict[str, Node]] = {}
    for items in choices(schedule, row):
        pairs = zip(row.loops, items, strict=True)
        fixed = {loop.name: i.node for loop, i in pairs if isinstance(i, Expr) and i.node.op == "const"}
        found[tuple(fixed.items())] = fixed
    return [f for f in found.values() if f]


def parted(schedule: Schedule, phase: Phase, slot: Node) -> list[Node]:
    """The slots below a size that a row adds to its slots for one number of a variable and not for
    another."""
    kept = frozenset({"N", *(p.name for p in schedule.params)})
    found: dict[Node, None] = {}
    for row in phase.rows:
        names = kept | {"r", "s", *(loop.name for loop in row.loops)}
        tree = inline(row.chunk.node, row.names, names)
        numbered = (folded(substitute(tree, fixed)) for fixed in alternatives(schedule, row))
        sums = [frozenset(_terms(one)) for one in numbered]
        shared = frozenset[Node]().union(*sums).intersection(*sums)
        for term in (t for terms in sums for t in terms if t not in shared):
            if uses(term) and uses(term) <= kept:
                found[node("<", slot, term)] = None
    return sorted(found, key=show)


def _terms(tree: Node) -> Iterator[Node]:
    if tree.op == "+":
        yield from _terms(tree.args[0])
        yield from _terms(tree.args[1])
    else:
        yield tree
