"""Guesses a contribution that every sent slot holds, and one that a copy brings; not trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ringproof.proof.every_n.exact import Witness
from ringproof.proof.every_n.features import Features
from ringproof.proof.every_n.model import Places, Predicate
from ringproof.proof.every_n.nodes import Samples, expr, inline, name, node, substitute, uses
from ringproof.proof.every_n.senders import turned
from ringproof.proof.every_n.traces import Trace
from ringproof.table.expr import Node
from ringproof.table.schedule import Schedule

Array = np.ndarray[Any, np.dtype[Any]]
MOST = 3


def witnesses(
    traces: Sequence[Trace], phase: int, features: Features, places: Places, in_place: str,
    schedule: Schedule, said: Predicate,
) -> tuple[Witness, ...]:  # fmt: skip
    """The fewest contributions, as expressions, that serve every send of a phase; ``said`` is what
    was learned of what slots hold."""
    columns: dict[str, list[Array]] = {}
    tests: list[tuple[Trace, Array, Array, Array]] = []
    for trace in traces:
        events = trace.events
        lo, hi = (int(events.bounds[t]) for t in trace.bounds[phase : phase + 2])
        step = events.step[lo:hi] - trace.bounds[phase]
        ends = [(events.sender[lo:hi], events.chunk[lo:hi]), (events.receiver[lo:hi], events.into[lo:hi])]
        adds = events.reduce[lo:hi]
        for at, (rank, slot) in enumerate(ends):
            for label, values in ((places.step, step), (places.rank, rank), (places.slot, slot)):
                columns.setdefault(label, []).append(values)
            for label, number in (("N", trace.size.N), *trace.size.params):
                columns.setdefault(label, []).append(np.full(len(step), number))
            kind = np.zeros(len(step), dtype=np.int64) if at == 0 else np.where(adds, 0, 2)
            kind[~adds & (at == 0)] = 1
            tests.append((trace, np.arange(lo, hi), kind, np.full(len(step), at)))
    if not columns or not sum(len(c) for c in columns["N"]):
        return ()
    samples = Samples({k: np.concatenate(v) for k, v in columns.items()})
    origins = _origins(features, places, schedule)
    chunks = [name(places.slot)] if in_place else _chunks(features, places)
    pairs = [*((o, q) for o in origins for q in chunks), *_solved(said, places, in_place)]
    return _cover([(_serves(samples, o, q, tests, in_place), o, q) for o, q in dict.fromkeys(pairs)])


def _solved(said: Predicate, places: Places, in_place: str) -> Iterator[tuple[Node, Node]]:
    """Contributions that the equations of an invariant say a slot holds."""
    for rule in said.rules if not said.sign else ():
        sides = [e.node.args for e in rule if e.node.op == "=="]
        equations = [*sides, *(s[::-1] for s in sides)]
        for origin in _values(equations, places, places.origin):
            if in_place:
                yield origin, name(places.slot)
                continue
            known = {places.origin: origin}
            filled = [(substitute(a, known), substitute(b, known)) for a, b in equations]
            yield from ((origin, chunk) for chunk in _values(filled, places, places.chunk))


def _values(equations: Sequence[tuple[Node, ...]], places: Places, unknown: str) -> list[Node]:
    bad = {places.origin, places.chunk}
    found = [value for tree, wanted in equations for value in turned(tree, wanted, unknown)]
    return [value for value in dict.fromkeys(found) if not uses(value) & bad]


def _origins(features: Features, places: Places, schedule: Schedule) -> list[Node]:
    x, c, N = name(places.rank), name(places.slot), name("N")
    kept = frozenset({"N", *(p.name for p in schedule.params)})
    root = inline(schedule.promise.root.node, schedule.promise.names, kept)
    found = [x, c, root, node("-", c, N)]
    owner = schedule.promise.owner
    if owner is not None:
        tree = inline(owner.node, schedule.promise.names, kept | {"c"})
        found.append(substitute(tree, {"c": c}))
    bad = (places.origin, places.chunk)
    found += [n for n in features.numbers if not any(b in uses(n) for b in bad)][:25]
    return list(dict.fromkeys(found))


def _chunks(features: Features, places: Places) -> list[Node]:
    x, c = name(places.rank), name(places.slot)
    found = [x, c, node("-", c, name("N"))]
    bad = (places.origin, places.chunk)
    found += [n for n in features.numbers if not any(b in uses(n) for b in bad)][:8]
    return list(dict.fromkeys(found))


def _serves(
    samples: Samples, origin: Node, chunk: Node, tests: list[tuple[Trace, Array, Array, Array]],
    in_place: str,
) -> Array:  # fmt: skip
    """For every end of a send: the slot holds it; for copies read at either end: and brings it."""
    k_all, q_all = samples(origin), samples(chunk)
    found, first = [], 0
    for trace, at, kind, end in tests:
        events, held = trace.events, trace.holds
        if held is None:
            continue
        span = slice(first, first + len(at))
        first += len(at)
        k, q = k_all[span], q_all[span]
        good = (k >= 0) & (k < events.ranks) & (q >= 0) & ((q < events.chunks) | bool(in_place))
        part = np.where(good, k if in_place else k * events.chunks + q, 0)
        step = events.step[at]
        source = held[step, events.sender[at], events.chunk[at], part]
        target = held[step, events.receiver[at], events.into[at], part]
        mine = np.where(end == 0, source, target)
        brings = source & (~target | (events.sender[at] == events.receiver[at]))
        found.append(np.stack([good & np.where(kind == 2, True, mine), good & brings | (kind == 0)]))
    return np.concatenate(found, axis=1)


def _cover(pool: list[tuple[Array, Node, Node]]) -> tuple[Witness, ...]:
    left = np.ones_like(pool[0][0])
    chosen: list[Witness] = []
    while left.any() and len(chosen) < MOST:
        hit, origin, chunk = max(pool, key=lambda p: int((p[0] & left).sum()))
        if not (hit & left).any():
            break
        chosen.append(Witness(expr(origin), expr(chunk)))
        left &= ~hit
    return tuple(chosen)
