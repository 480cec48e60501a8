"""Small wrong neighbours of a table, for fuzzing, and small right ones, for "did you mean".

Everything here works on the plain values of a table that `read_schedule` accepts; no value is ever
changed in place, and mutants share what they have in common with the original.
"""

from __future__ import annotations

import json
import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ringproof.table.changes import Change, Values, changes
from ringproof.verdict import Route

COSTS = {  # every kind of single mutant, and what it costs as a repair (a constant moved by one)
    "shift": 1, "sign": 1, "direction": 1, "into-off-by-one": 1, "redirected-send": 1,
    "rechunked-send": 1, "step-more": 2, "step-less": 2, "swapped-op": 2,
    "modulo-for-mask": 2, "added-modulo": 2, "rounding": 2,
    "guard-off-by-one": 3, "range-off-by-one": 3, "stride": 3,
    "mask-for-modulo": 4, "lost-modulo": 4, "dropped-row": 5, "doubled-row": 5,
    "dropped-send": 5, "doubled-send": 5, "phases-swapped": 6,
}  # fmt: skip

ELSEWHERE = 20
_SMALL, _WIDE = (1, -1), (1, -1, 2, -2, 3, -3)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A table one edit away from another.

    ``before`` and ``after`` are what stands at ``route`` in the original and in ``values``: an
    expression, or rows as a table writes them on one line.  ``cost`` orders repairs.
    """

    kind: str
    route: Route
    before: str
    after: str
    values: Values
    cost: int = 1


def mutants(values: Values) -> Iterator[Mutant]:
    """Every single mutant, from the top of the table to its end, no table twice."""
    seen = {_key(values)}
    for change in changes(values, _SMALL):
        mutant = _mutant(change, values)
        if _new(mutant, seen):
            yield mutant


def sample(values: Values, count: int, seed: int) -> list[Mutant]:
    """``count`` mutants, the same for the same seed: single ones, then pairs of edits.

    Fewer than there are single mutants: as many of each kind as can be.  More: all of them first,
    then two edits at a time (kind ``a+b``; ``route`` and ``before`` belong to the first edit and
    ``after`` holds both, one under the other) until there are enough, or no more.
    """
    chance = random.Random(seed)
    singles = list(mutants(values))
    if count <= len(singles):
        return _spread(singles, count, chance)
    seen = {_key(values), *(_key(m.values) for m in singles)}
    found = list(singles)
    chance.shuffle(singles)
    waiting = deque(_pairs(first, chance) for first in singles)
    while waiting and len(found) < count:
        pairs = waiting.popleft()
        pair = next((p for p in pairs if _new(p, seen)), None)
        if pair is not None:
            found.append(pair)
            waiting.append(pairs)
    return found


def repairs(values: Values, route: Route) -> Iterator[Mutant]:
    """Single edits that might mend the row, send or phase at ``route``, cheapest first.

    ``cost`` is that of the kind in `COSTS`, plus 1 for every step that a constant moves beyond the
    first (up to 3), plus `ELSEWHERE` for an edit of another row or phase; what a row uses of its
    phase (`steps`, `let`) is near it.  Equal costs are adjacent, in the order of the table.
    """
    seen = {_key(values)}
    ranked = [(_cost(change, route), change) for change in changes(values, _WIDE)]
    for cost, change in sorted(ranked, key=lambda pair: pair[0]):
        mutant = _mutant(change, values, cost)
        if _new(mutant, seen):
            yield mutant


def _cost(change: Change, route: Route) -> int:
    cost = COSTS[change.kind] + change.amount - 1
    phase = route[:2]
    row = route[:4] if route[2:3] in (("send",), ("sends",)) else phase
    shared = [(*phase, "steps"), (*phase, "let")] if phase else []
    near = any(change.route[: len(place)] == place for place in (row, *shared))
    return cost if near else cost + ELSEWHERE


def _pairs(first: Mutant, chance: random.Random) -> Iterator[Mutant]:
    seconds = list(changes(first.values, _SMALL))
    chance.shuffle(seconds)
    for second in seconds:
        kind, after = f"{first.kind}+{second.kind}", f"{first.after}\n{second.after}"
        yield Mutant(kind, first.route, first.before, after, second.apply(first.values), 2)


def _spread(singles: Sequence[Mutant], count: int, chance: random.Random) -> list[Mutant]:
    """``count`` of them in their order, taking turns between the kinds."""
    piles: dict[str, list[int]] = {}
    for i, mutant in enumerate(singles):
        piles.setdefault(mutant.kind, []).append(i)
    for pile in piles.values():
        chance.shuffle(pile)
    kinds = list(piles)
    chance.shuffle(kinds)
    deepest = max(map(len, piles.values()), default=0)
    turns = [piles[k][turn] for turn in range(deepest) for k in kinds if turn < len(piles[k])]
    return [singles[i] for i in sorted(turns[:count])]


def _mutant(change: Change, values: Values, cost: int = 1) -> Mutant:
    new = change.apply(values)
    return Mutant(change.kind, change.route, change.before, change.after, new, cost)


def _new(mutant: Mutant, seen: set[str]) -> bool:
    key = _key(mutant.values)
    fresh = key not in seen
    seen.add(key)
    return fresh


def _key(values: Values) -> str:
    return json.dumps(values, sort_keys=True, default=str)
