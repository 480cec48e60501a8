"""Guesses the order of the sizes in which ranks and slots are best written as digits; not trusted.

Any order is right.  A good one is that of the table: what it divides ranks by, and what it multiplies
the parts of a slot by, are products of the first few sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

from ringproof.proof.every_n.nodes import inline, node, subtrees, uses
from ringproof.proof.every_n.poly import Monomial
from ringproof.table.expr import Node
from ringproof.table.schedule import Schedule

Read = Callable[[Node], Monomial | None]
MOST = 4


def orders(
    schedule: Schedule, atoms: Monomial, read: Read
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For ranks and for slots: the atoms whose product N is, in order; ``read`` an expression of sizes."""
    if not 1 < len(atoms) <= MOST:
        return (), ()
    ranks: Counter[Monomial] = Counter()
    slots: Counter[Monomial] = Counter()
    sizes = {"N", *(p.name for p in schedule.params)}
    for phase in schedule.phases:
        for row in phase.rows:
            kept = frozenset({"r", "s", *sizes, *(loop.name for loop in row.loops)})
            trees = [inline(e.node, row.names, kept) for e in (row.peer, row.chunk, row.into)]
            ranks.update(_read(read, (d for t in trees for d in _divisors(t, sizes))))
            slots.update(_read(read, (d for t in trees[1:] for d in factors(t, sizes))))
    return _best(atoms, ranks), _best(atoms, slots)


def _read(read: Read, trees: Iterator[Node]) -> list[Monomial]:
    return [found for tree in trees if (found := read(tree))]


def _divisors(tree: Node, sizes: set[str]) -> Iterator[Node]:
    for sub in subtrees(tree):
        if sub.op in ("//", "%") and sub.args[0].value == "r" and uses(sub.args[1]) <= sizes:
            yield sub.args[1]


def factors(tree: Node, sizes: set[str]) -> Iterator[Node]:
    """What parts of a sum are multiplied by."""
    if uses(tree) <= sizes:
        return
    if tree.op != "*":
        for arg in tree.args:
            yield from factors(arg, sizes)
        return
    product: Node | None = None
    todo = [tree]
    while todo:
        one = todo.pop()
        if one.op == "*" and not uses(one) <= sizes:
            todo += one.args
        elif uses(one) and uses(one) <= sizes:
            product = node("*", product, one) if product else one
        else:
            yield from factors(one, sizes)
    if product is not None:
        yield product


def _best(atoms: Monomial, counts: Mapping[Monomial, int]) -> tuple[int, ...]:
    def score(order: tuple[int, ...]) -> int:
        return sum(counts.get(tuple(sorted(order[:n])), 0) for n in range(1, len(order)))

    return max(permutations(sorted(atoms)), key=score)
