"""All conditions of one shape over some features, and their truth at some samples; not trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ringproof.proof.every_n.features import Features
from ringproof.proof.every_n.nodes import Samples, node, number, size, weight
from ringproof.table.expr import Node

Array = np.ndarray[Any, np.dtype[Any]]
_OPS = ("<=", ">=", "==", "!=")
MOST = 6000


@dataclass(slots=True)
class Candidates:
    """``truth``: bool (conditions, samples); ``bits``: the same as 64-bit words (words, conditions);
    ``cost``: how long each is to read."""

    features: Features
    truth: Array
    bits: Array
    cost: Array
    shape: Array  # int64 (conditions, 5): kind, first, second, operator, constant

    def all(self, rule: list[int]) -> Array:
        """The samples where every condition of a rule holds."""
        found: Array = np.all(self.truth[rule], axis=0)
        return found

    def counts(self, samples: Array) -> Array:
        """In how many of some samples (as words) each condition holds."""
        found: Array = np.bitwise_count(self.bits & samples[:, None]).sum(axis=0, dtype=np.int64)
        return found

    def node(self, at: int) -> Node:
        """The condition itself."""
        kind, i, j, op, k = (int(v) for v in self.shape[at])
        numbers = self.features.numbers
        if kind == 2:
            return self.features.conditions[i] if op == 0 else node("not", self.features.conditions[i])
        right = self.features.marks[j] if kind == 0 else numbers[j]
        if kind == 0 and right.op == "const":
            right = number(k)
            if numbers[i].op == "%" and k == op == 0:
                op = _OPS.index("==")  # a remainder of at most 0 is 0
        elif k:
            right = node("+" if k > 0 else "-", right, number(abs(k)))
        return node(_OPS[op], numbers[i], right)


def candidates(features: Features, samples: Samples) -> Candidates:
    """Every condition f op mark + k and f op g + k that is not the same everywhere."""
    F = np.stack([samples(f) for f in features.numbers]).astype(np.int64)
    M = np.stack([samples(m) for m in features.marks]).astype(np.int64)
    cost_f = np.array([weight(f, features.named) for f in features.numbers])
    cost_m = np.array([size(m) for m in features.marks])
    blocks, costs, shapes = [], [], []

    def add(kind: int, i: Array, j: Array, d: Array, cost: Array, ks: tuple[int, ...]) -> None:
        for k in ks:
            shapes_of = (d <= k, d >= k, d == k, d != k)
            for op, truth in enumerate(shapes_of if not k else shapes_of[:3]):
                blocks.append(truth)
                costs.append(cost + 2 * abs(k) + (op == 2) + 2 * (op == 3))
                full = [np.full(len(i), v) for v in (kind, op, k)]
                shapes.append(np.stack([full[0], i, j, full[1], full[2]], axis=1))

    i, j = (a.ravel() for a in np.indices((len(F), len(M))))
    different = np.array([features.numbers[a] != features.marks[b] for a, b in zip(i, j, strict=True)])
    i, j = i[different], j[different]
    add(0, i, j, F[i] - M[j], cost_f[i] + cost_m[j], (0, 1, -1))
    a, b = np.triu_indices(len(F), 1)
    keep = cost_f[a] + cost_f[b] <= 14 if len(F) > 40 else slice(None)
    a, b = a[keep], b[keep]
    add(1, a, b, F[a] - F[b], cost_f[a] + cost_f[b], (0,) if len(F) > 25 else (0, 1, -1))
    for at, condition in enumerate(features.conditions):
        truth = samples(condition).astype(bool)
        blocks.append(np.stack([truth, ~truth]))
        costs.append(np.array([size(condition), size(condition) + 1]))
        shapes.append(np.array([[2, at, 0, 0, 0], [2, at, 0, 1, 0]]))
    return _distinct(features, np.concatenate(blocks), np.concatenate(costs), np.concatenate(shapes))


def _distinct(features: Features, truth: Array, cost: Array, shape: Array) -> Candidates:
    """Drop what is constant, and all but the shortest of equal ones."""
    count = truth.sum(axis=1)
    varying = np.flatnonzero((count > 0) & (count < truth.shape[1]))
    order = varying[np.argsort(cost[varying], kind="stable")]
    packed = np.packbits(truth[order], axis=1)
    seen: dict[bytes, int] = {}
    for at, row in zip(order.tolist(), packed, strict=True):
        seen.setdefault(row.tobytes(), at)
    kept = np.array(list(seen.values())[:MOST], dtype=np.int64)
    bits = np.ascontiguousarray(words(truth[kept]).T)
    return Candidates(features, truth[kept], bits, cost[kept], shape[kept])


def words(truth: Array) -> Array:
    """Truth values along the last axis, 64 in a word."""
    # Columns taken out by a mask may stand column by column, and only rows can be read as words.
    packed = np.packbits(np.ascontiguousarray(truth), axis=-1)
    room = [(0, 0)] * (truth.ndim - 1) + [(0, -packed.shape[-1] % 8)]
    found: Array = np.pad(packed, room).view(np.uint64)
    return found
