"""Learns a condition that agrees with all samples: a short "or" of "and"s; not trusted.

Rules are grown on a few samples (the condition that tells most apart first), pruned, and checked on
all of them; where they disagree, samples are added and it starts again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from random import Random
from time import process_time
from typing import Any

import numpy as np

from ringproof.proof.every_n.candidates import Candidates, candidates, words
from ringproof.proof.every_n.features import Features
from ringproof.proof.every_n.model import Predicate
from ringproof.proof.every_n.nodes import Samples, expr, node, weight
from ringproof.proof.every_n.traces import Grid
from ringproof.table.arrays import unique
from ringproof.table.expr import Node

Array = np.ndarray[Any, np.dtype[Any]]
MOST_RULES, MOST_CONDITIONS, ROUNDS, EASY = 8, 6, 14, 40
Rules = list[list[Node]]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was learned, or why not."""

    predicate: Predicate | None
    reason: str = ""
    cost: int = 0


def learn(grid: Grid, features: Features, deadline: float, seed: int = 0) -> Lesson:
    """A condition that is right at every sample."""
    value = grid.value
    if value.all() or not value.any():
        return Lesson(Predicate(((),) if value.all() else ()))
    chance = Random(seed)
    chosen = _first(grid, chance)
    for _ in range(ROUNDS):
        if process_time() > deadline:
            return Lesson(None, "out of time while learning")
        some = grid.samples.taken(chosen)
        features = distinct(features, some)
        pool = candidates(features, some)
        rules, sign = _by_region(pool, some, value[chosen], deadline)
        if rules is None:
            rules, sign = _shortest(pool, value[chosen], deadline)
        if rules is None:
            return Lesson(None, "no invariant in reach of the features")
        wrong = np.flatnonzero((truth(rules, grid.samples) ^ bool(sign)) != value)
        if not wrong.size:
            cost = sum(weight(c, features.named) + 3 for rule in rules for c in rule)
            return Lesson(Predicate(tuple(tuple(map(expr, r)) for r in rules), sign), "", cost)
        chosen = unique(np.concatenate([chosen, _some(wrong, 250, chance)]))
    return Lesson(None, "the learner does not settle")


def distinct(features: Features, samples: Samples) -> Features:
    """The first features and marks that differ somewhere."""
    numbers: dict[bytes, Node] = {}
    for tree in features.numbers:
        if len(numbers) < features.most:
            numbers.setdefault(samples(tree).astype(np.int64).tobytes(), tree)
    marks: dict[bytes, Node] = {}
    for tree in features.marks:
        marks.setdefault(samples(tree).astype(np.int64).tobytes(), tree)
    return replace(features, numbers=list(numbers.values()), marks=list(marks.values()))


def _some(places: Array, most: int, chance: Random) -> Array:
    picked = chance.sample(range(len(places)), min(most, len(places)))
    return places[np.array(picked, dtype=np.int64)]


def _first(grid: Grid, chance: Random) -> Array:
    parts = [np.flatnonzero(grid.value), np.flatnonzero(~grid.value),
             np.flatnonzero(grid.value != grid.after)]  # fmt: skip
    counts = (350, 350, 300)
    picked = [_some(p, n, chance) for p, n in zip(parts, counts, strict=True)]
    return unique(np.concatenate(picked))


def truth(rules: Rules, samples: Samples) -> Array:
    """Where at least one rule holds."""
    found = np.zeros(samples.count, dtype=bool)
    for rule in rules:
        all_hold = np.ones(samples.count, dtype=bool)
        for condition in rule:
            all_hold &= samples(condition).astype(bool)
        found |= all_hold
    return found


def fits(predicate: Predicate, grid: Grid) -> bool:
    """Whether a predicate is right at every sample."""
    found = truth([[e.node for e in rule] for rule in predicate.rules], grid.samples)
    return bool(((found ^ bool(predicate.sign)) == grid.value).all())


def _shortest(pool: Candidates, value: Array, deadline: float) -> tuple[Rules | None, str]:
    """Rules for the value or for its opposite, whichever is shorter."""
    found: list[tuple[int, Rules, str]] = []
    for measure, sign in product(("gain", "precision"), ("", "not")):
        if measure == "precision" and found and min(f[0] for f in found) <= EASY:
            break
        rules = _cover(pool, ~value if sign else value, deadline, measure)
        if rules is not None:
            cost = sum(int(pool.cost[c]) + 4 for rule in rules for c in rule) + 3 * bool(sign)
            found.append((cost, [[pool.node(c) for c in rule] for rule in rules], sign))
    if not found:
        return None, ""
    _, best, sign = min(found, key=lambda f: f[0])
    return best, sign


def _by_region(
    pool: Candidates, some: Samples, value: Array, deadline: float
) -> tuple[Rules | None, str]:
    """Rules for either side of a place where the table itself parts its slots."""
    for parted in pool.features.parted:
        inside = some(parted).astype(bool)
        sides = ((inside, parted), (~inside, node("not", parted)))
        for sign in ("", "not"):
            wanted, rules = ~value if sign else value, []
            for side, condition in sides if not inside.all() and inside.any() else ():
                here = pool.truth[:, side]
                part = replace(pool, truth=here, bits=np.ascontiguousarray(words(here).T))
                found = _cover(part, wanted[side], deadline, "gain")
                if found is None:
                    break
                rules += [[condition, *(pool.node(c) for c in rule)] for rule in found]
            else:
                return rules or None, sign
    return None, ""


def _cover(
    pool: Candidates, value: Array, deadline: float, measure: str
) -> list[list[int]] | None:
    rules: list[list[int]] = []
    left = value.copy()
    while left.any():
        if len(rules) == MOST_RULES or process_time() > deadline:
            return None
        rule = _grow(pool, left, ~value, measure)
        if rule is None:
            return None
        rules.append(rule)
        left &= ~pool.all(rule)
    return _needed(pool, rules, value)


def _needed(pool: Candidates, rules: list[list[int]], value: Array) -> list[list[int]]:
    """Without the rules that the others cover."""
    for rule in list(rules):
        rest = [r for r in rules if r is not rule]
        if rest:
            covered = np.any([pool.all(r) for r in rest], axis=0)
            if covered[value].all():
                rules = rest
    return rules


def _grow(
    pool: Candidates, positive: Array, negative: Array, measure: str
) -> list[int] | None:
    """One rule: covers some positives and no negative."""
    if not len(pool.cost):
        return None
    rule: list[int] = []
    ours, theirs = words(positive), words(negative)
    while theirs.any():
        if len(rule) == MOST_CONDITIONS:
            return None
        p, n = (pool.counts(kind).astype(np.float32) for kind in (ours, theirs))
        mine, others = (int(np.bitwise_count(kind).sum()) for kind in (ours, theirs))
        before = np.log2(mine / (mine + others))
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(p > 0, p * (np.log2(p / (p + n)) - before), -1.0)
        if measure == "precision":
            gain = np.where(gain > 0, (p + 1) / (p + n + 2), -1.0)
        gain = gain - 1e-3 * pool.cost * max(float(gain.max()), 0.0)
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            return None
        rule.append(best)
        ours, theirs = ours & pool.bits[:, best], theirs & pool.bits[:, best]
    return _simplified(pool, _pruned(pool, rule, negative), positive, negative)


def _simplified(pool: Candidates, rule: list[int], positive: Array, negative: Array) -> list[int]:
    """Every condition exchanged for the shortest that does the same service in the rule."""
    for at in range(len(rule)):
        rest = rule[:at] + rule[at + 1 :]
        others = pool.all(rest)
        covered = others & pool.truth[rule[at]] & positive
        served = pool.counts(words(covered)) == covered.sum()
        served &= pool.counts(words(others & negative)) == 0
        fit = np.flatnonzero(served & (pool.cost <= pool.cost[rule[at]]))
        if fit.size:
            rule = [*rule[:at], int(fit[np.argmin(pool.cost[fit])]), *rule[at + 1 :]]
    return rule


def _pruned(pool: Candidates, rule: list[int], negative: Array) -> list[int]:
    for condition in sorted(rule, key=lambda c: -int(pool.cost[c])):
        rest = [c for c in rule if c != condition]
        if rest and not pool.all(rest)[negative].any():
            rule = rest
    return rule


