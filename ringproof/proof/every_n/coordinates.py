"""What the rows of a table compute with, and the digits of ranks and slots in it; not trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ringproof.proof.every_n.nodes import name, node, substitute, subtrees, uses
from ringproof.proof.every_n.orders import factors
from ringproof.table.expr import Node
from ringproof.table.schedule import Schedule

Trees = Sequence[tuple[str, Node]]


def coordinates(schedule: Schedule, trees: Trees, ranks: Sequence[Node], slot: Node) -> Iterator[Node]:
    """Digits of ranks and of the slot, and how far they are apart around their size; ``trees`` are the
    expressions of the rows, and what each is."""
    sizes = {"N", *(p.name for p in schedule.params)}
    digits = list(dict.fromkeys(d for _, t in trees for d in _digits(t, sizes)))
    strides = list(dict.fromkeys(d for kind, t in trees if kind in ("chunk", "into")
                                 for d in factors(t, sizes)))  # fmt: skip
    parts = [node(op, slot, d) for d in strides for op in ("//", "%")]
    parts += [node("//", node("%", slot, d), e) for d in strides for e in strides if d != e]
    of_ranks = [[(substitute(d, {"r": x}), size) for d, size in digits] for x in ranks]
    yield from (d for own in of_ranks for d, _ in own)
    yield from parts
    for own in of_ranks:
        yield from (node("%", node("-", d, part), size) for d, size in own for part in parts)
    for mine, theirs in pairwise(of_ranks):
        for (d, size), (e, _) in zip(mine, theirs, strict=True):
            yield node("%", node("-", d, e), size)


def _digits(tree: Node, sizes: set[str]) -> Iterator[tuple[Node, Node]]:
    """Parts such as r % L, r // L and r // L % M, each with how many values it has."""
    for sub in subtrees(tree):
        if sub.op not in ("%", "//") or not uses(sub.args[1]) or not uses(sub.args[1]) <= sizes:
            continue
        inner, size = sub.args
        if sub.op == "%" and inner.op == "//" and inner.args[0] == name("r"):
            yield sub, size
        elif inner == name("r"):
            yield sub, size if sub.op == "%" else node("//", name("N"), size)
