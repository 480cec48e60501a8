"""Guesses how large the groups of a used table are and how far apart their members; not trusted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ringproof.proof.every_n.nodes import Samples, inline, name, node, number, size, subtrees, uses
from ringproof.table.expr import Node
from ringproof.table.integers import Undefined
from ringproof.table.schedule import Schedule, Use

MOST = 10


def groups(schedule: Schedule, use: Use) -> tuple[Node, Node] | None:
    """Size and stride of all groups, as expressions of the sizes that are right for small N."""
    kept = frozenset({"N", "r", *(p.name for p in schedule.params)})
    trees = [inline(e.node, {**schedule.names, **use.names}, kept) for e in (use.rank, use.group, use.when)]
    at = _ranks(schedule)
    if at is None:
        return None
    place, group, when = (at(t) for t in trees)
    first = at(name("first"))
    takes_part = when.astype(bool)
    pairs = np.stack([first, group], axis=1)[takes_part]
    _, which, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    members = count[which.reshape(-1)]
    many = list(_sizes(trees))
    for mine in many:
        if (at(mine)[takes_part] == members).all():
            for stride in many:
                if _reaches(at, place, group, takes_part, stride):
                    return mine, stride
    return None


def _ranks(schedule: Schedule) -> Samples | None:
    """Every rank of every small size; ``first`` numbers the sizes."""
    columns: dict[str, list[int]] = {"r": [], "first": [], "N": [], **{p.name: [] for p in schedule.params}}
    start = 0
    for N in range(schedule.ranks[0], schedule.ranks[0] + MOST):
        try:
            sizes = list(schedule.at(N))
        except Undefined:
            return None
        for at in sizes:
            for label, value in (("N", N), ("first", start), *at.params):
                columns[label] += [value] * N
            columns["r"] += range(N)
            start += N
    return Samples({k: np.array(v, dtype=np.int64) for k, v in columns.items()}) if start else None


def _sizes(trees: list[Node]) -> Iterator[Node]:
    """What the table divides ranks by, and what is left of N."""
    N = name("N")
    found = {number(1): None, N: None}
    for tree in trees:
        for sub in subtrees(tree):
            if uses(sub) and "r" not in uses(sub):
                found[sub] = None
                found[node("//", N, sub)] = None
    yield from sorted(found, key=size)


def _reaches(
    at: Samples, place: np.ndarray, group: np.ndarray, takes_part: np.ndarray, stride: Node
) -> bool:
    """Whether the first member of every group is where the stride says."""
    origin = at(name("r")) - place * at(stride)
    good = (origin >= 0) & (origin < at(name("N")))
    there = np.where(good, at(name("first")) + origin, 0)
    good &= takes_part[there] & (group[there] == group) & (place[there] == 0)
    return bool(good[takes_part].all())
