"""A phase that takes its sends from another table, over groups of the ranks.

The used table is unrolled at the size of a group as it stands, then its ranks become the members of
the group and its slots the slots that ``chunk`` names.  What results are ordinary sends: the meaning
of a composed table is that of the expanded one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ringproof.cells import Cells, Unrolling
from ringproof.problem import Problem
from ringproof.table.arrays import unique
from ringproof.table.integers import Undefined
from ringproof.table.schedule import Use
from ringproof.verdict import Route, Size

if TYPE_CHECKING:
    from ringproof.events import Events

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of equal size: ``number`` (G,) is what the table calls them, ``member`` (G, n) the
    rank of every member, by its place in the group."""

    number: Array
    member: Array


def length(use: Use, whole: Unrolling) -> int:
    """How many steps the used table takes, in the group where it takes longest."""
    inner = [events for _, events in _unrolled(use, whole)]
    return max((events.steps for events in inner), default=0)


def composed(use: Use, whole: Unrolling) -> Iterator[tuple[Route, tuple[Array, ...]]]:
    """Six columns, from step to reduce, for every row of the used table that sends."""
    for groups, events in _unrolled(use, whole):
        slots = _slots(use, whole, groups, events)
        if slots is None:
            continue
        whole.reserve(float(len(groups.number)) * len(events.step) * slots.shape[2])
        for row, route in enumerate(events.routes):
            picked = np.flatnonzero(events.row == row)
            if picked.size:
                yield route, _placed(groups, events, slots, picked)


def _unrolled(use: Use, whole: Unrolling) -> list[tuple[Groups, Events]]:
    """The groups, by size, and the used table unrolled at each size.

    A group of one has nothing to do unless the used table claims one rank.
    """
    from ringproof.events import expand

    if use.route in whole.kept:
        kept: list[tuple[Groups, Events]] = whole.kept[use.route]
        return kept
    found: list[tuple[Groups, Events]] = []
    whole.kept[use.route] = found
    for groups in _groups(use, whole):
        n = groups.member.shape[1]
        lo, hi = use.schedule.ranks
        if n == 1 and lo > 1:
            continue
        size = _size(use, whole, n)
        if size is None:
            continue
        claimed = lo <= n <= hi and use.schedule.environment(size).value(use.schedule.where)
        if not claimed:
            _wrong(use, whole, "use", {"claims": f"{lo}..{hi}", "size": str(size)})
            continue
        found.append((groups, expand(use.schedule, size, whole.memory)))
    return found


def _size(use: Use, whole: Unrolling, n: int) -> Size | None:
    """The size at which the used table is read: n members, and the parameters given here."""
    params = []
    try:
        for loop in use.schedule.params:
            value = whole.environment.integer(use.params[loop.name])
            params.append((loop.name, value))
            claimed = use.schedule.environment(Size(n, tuple(params[:-1]))).items(loop.items)
            if value not in claimed:
                _wrong(use, whole, "params", {"param": loop.name, "value": value}, loop.name)
                return None
    except Undefined as error:
        whole.problems.append(Problem.undefined(error, whole.size, {}))
        return None
    return Size(n, tuple(params))


def _groups(use: Use, whole: Unrolling) -> list[Groups]:
    """All ranks in their groups; members must be numbered 0, 1, 2, ... in each."""
    cells = Cells(whole, {"r": np.arange(whole.size.N)}, use.names)
    if not cells.close(use.when):
        return []
    group, place = cells.defined(use.group), cells.defined(use.rank)
    if group is None or place is None:
        return []
    rank = cells.values["r"]
    order = np.lexsort((place, group))
    numbers, first, sizes = np.unique(group[order], return_index=True, return_counts=True)
    expected = np.arange(len(order)) - np.repeat(first, sizes)
    odd = np.flatnonzero(place[order] != expected)
    if odd.size:
        at = order[odd[0]]
        facts = {"rank": int(rank[at]), "group": int(group[at]), "place": int(place[at]),
                 "expected": int(expected[odd[0]])}  # fmt: skip
        _wrong(use, whole, "rank", facts)
        return []
    return [
        Groups(
            numbers[sizes == n],
            np.stack([rank[order[a : a + n]] for a in first[sizes == n]]),
        )
        for n in unique(sizes).tolist()
    ]


def _slots(use: Use, whole: Unrolling, groups: Groups, events: Events) -> Array | None:
    """Which slots stand for a slot of the used table: (G, its slots, how many for each)."""
    G, chunks = len(groups.number), events.chunks
    values = {"group": np.repeat(groups.number, chunks), "c": np.tile(np.arange(chunks), G)}
    values["at"] = np.arange(G * chunks)
    cells = Cells(whole, values, use.names)
    if not all(cells.open(loop) for loop in use.loops):
        return None
    found, at = cells.defined(use.chunk), cells.values["at"]
    if found is None:
        return None
    each = np.bincount(at, minlength=G * chunks)
    outer = whole.count(whole.schedule.chunks, ("chunks",), least=1)
    if each.min() != each.max():
        _wrong(use, whole, "chunk", {"uneven": [int(each.min()), int(each.max())]})
        return None
    table = found[np.argsort(at, kind="stable")].reshape(G, chunks, -1)
    bad = (found < 0) | (found >= outer)
    if bad.any():
        i = int(np.argmax(bad))
        facts = {"slot": int(found[i]), "c": int(cells.values["c"][i]), "chunks": outer}
        _wrong(use, whole, "chunk", facts)
        return None
    flat = np.sort(table.reshape(G, -1), axis=1)
    if (flat[:, 1:] == flat[:, :-1]).any():
        _wrong(use, whole, "chunk", {"twice": True})
        return None
    return _with_scratch(use, whole, table, events.slots - chunks, outer)


def _with_scratch(
    use: Use, whole: Unrolling, table: Array, scratch: int, outer: int
) -> Array | None:
    """The used table's scratch slots stand in the first scratch slots of this one."""
    if not scratch:
        return table
    G, _, each = table.shape
    own = whole.count(whole.schedule.scratch, ("scratch",))
    if scratch * each > own:
        _wrong(use, whole, "use", {"scratch": scratch * each, "own": own})
        return None
    more = outer + np.arange(scratch * each).reshape(1, scratch, each)
    return np.concatenate([table, np.broadcast_to(more, (G, scratch, each))], axis=1)


def _placed(groups: Groups, events: Events, slots: Array, picked: Array) -> tuple[Array, ...]:
    """One row's sends, for every group and every slot that stands for the one it names."""
    G, _, each = slots.shape
    shape = (len(picked), G, each)

    def spread(values: Array) -> Array:
        return np.broadcast_to(values, shape).reshape(-1)

    sender, receiver = (
        spread(groups.member[:, ends[picked]].T[:, :, None])
        for ends in (events.sender, events.receiver)
    )
    chunk, into = (
        spread(slots[:, which[picked], :].transpose(1, 0, 2)) for which in (events.chunk, events.into)
    )
    step, reduce = (spread(c[picked][:, None, None]) for c in (events.step, events.reduce))
    return step, sender, receiver, chunk, into, reduce


def _wrong(
    use: Use, whole: Unrolling, key: str, facts: dict[str, Any], inner: str = ""
) -> None:
    route = (*use.route, key, inner) if inner else (*use.route, key)
    found = Problem("composition", whole.size, route, facts=facts)
    if found not in whole.problems:
        whole.problems.append(found)
