"""Guesses what counts need: a send of every step, the busiest rank, sums in closed form; not trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ringproof.proof.every_n.counts import Counts, Tally
from ringproof.proof.every_n.features import Features, features
from ringproof.proof.every_n.instance import row_cases
from ringproof.proof.every_n.model import Model, Sender
from ringproof.proof.every_n.nodes import (
    Samples,
    expr,
    inline,
    name,
    node,
    number,
    size,
    substitute,
    uses,
)  # fmt: skip
from ringproof.proof.every_n.traces import Trace
from ringproof.table.expr import Node, Range

Array = np.ndarray[Any, np.dtype[Any]]


def counts(model: Model, traces: Sequence[Trace]) -> Counts:
    """Guesses for all counts of one case of the sizes."""
    still = _still(model, traces)
    rank = _busiest(model, traces)
    tallies = []
    for stage in model.stages:
        mover = _mover(model, traces, stage.index, rank)
        tallies.append(Tally(mover, _sum(model, traces, stage.index, rank)))
    return Counts(model, tuple(tallies), expr(rank), still)


def _still(model: Model, traces: Sequence[Trace]) -> frozenset[tuple[int, int]]:
    found = set()
    for stage in model.stages:
        for number_, row in enumerate(stage.phase.rows):
            local = [not t.events.message[_of(t, row.route)].any() for t in traces]
            if all(local):
                found.add((stage.index, number_))
    return frozenset(found)


def _of(trace: Trace, route: tuple[str | int, ...]) -> Array:
    rows = [i for i, r in enumerate(trace.events.routes) if r == route]
    found: Array = np.isin(trace.events.row, rows)
    return found


def _busiest(model: Model, traces: Sequence[Trace]) -> Node:
    """The rank that sends most in every step, among a few that one can name."""
    N = name("N")
    kept = frozenset(model.sizes.values)
    root = inline(model.contract.promise.root.node, model.contract.promise.names, kept)
    scores = []
    for rank in (number(0), root, node("-", N, number(1)), number(1)):
        good = 0
        for t in traces:
            at = int(_sizes(t, 1)(rank)[0])
            sent = _sent(t)
            good += int(at < sent.shape[1] and bool((sent[:, at] == sent.max(axis=1)).all()))
        scores.append((good, rank))
    return max(scores, key=lambda s: s[0])[1]


def _sent(trace: Trace) -> Array:
    """What every rank sends in every step."""
    events = trace.events
    sent = np.zeros((events.steps, events.ranks), dtype=np.int64)
    moving = events.message
    np.add.at(sent, (events.step[moving], events.sender[moving]), 1)
    return sent


def _sizes(trace: Trace, count: int) -> Samples:
    known = (("N", trace.size.N), *trace.size.params)
    return Samples({k: np.full(count, v) for k, v in known})


def _mover(model: Model, traces: Sequence[Trace], phase: int, rank: Node) -> Sender | None:
    """A send that every step has."""
    places = model.places
    s = name(places.step)
    stage = model.stages[phase]
    steps = {k: [] for k in ("N", *dict(traces[0].size.params), places.step)}  # type: ignore[var-annotated]
    for t in traces:
        n = t.bounds[phase + 1] - t.bounds[phase]
        for label, v in (("N", t.size.N), *t.size.params):
            steps[label].append(np.full(n, v))
        steps[places.step].append(np.arange(n))
    samples = Samples({k: np.concatenate(v) for k, v in steps.items()})
    if not samples.count:
        return None
    seeds = [rank, number(0), s, node("-", name("N"), node("+", s, number(1))),
             node("**", number(2), s), number(1), node("-", name("N"), number(1))]  # fmt: skip
    best: tuple[int, Sender] | None = None
    for at in range(len(stage.phase.rows)):
        for case in row_cases(model.sizes.schedule, phase, at):
            for seed in seeds:
                found = _tried(model, samples, case, seed)
                if found and (best is None or found[0] > best[0]):
                    best = found
    return best[1] if best and best[0] == samples.count else None


def _tried(model: Model, samples: Samples, case: Any, seed: Node) -> tuple[int, Sender] | None:
    row, s = case.row, name(model.places.step)
    kept = frozenset({"r", "s", *model.sizes.values, *(loop.name for loop in row.loops)})
    known = {"r": seed, "s": s}
    good = np.ones(samples.count, dtype=bool)
    loops = {}
    for loop, item in zip(row.loops, case.items, strict=True):
        first = item.lo if isinstance(item, Range) else item
        known[loop.name] = substitute(inline(first.node, row.names, kept), known)
        if isinstance(item, Range):
            last = substitute(inline(item.hi.node, row.names, kept), known)
            good &= samples(node("<=", known[loop.name], last)).astype(bool)
            loops[loop.name] = expr(known[loop.name])
    for _, guard in row.guards:
        good &= samples(substitute(inline(guard.node, row.names, kept), known)).astype(bool)
    good &= (samples(seed) >= 0) & (samples(seed) < samples(name("N")))
    return int(good.sum()), Sender(case.index, case.part, expr(seed), loops)


def _sum(model: Model, traces: Sequence[Trace], phase: int, rank: Node) -> Any:
    """A(s): what the busiest rank has sent before step s, as an expression."""
    places = model.places
    found = features(model.sizes.schedule, model.stages[phase].phase, places, (places.step,), 1)
    columns: dict[str, list[Array]] = {}
    wanted = []
    for t in traces:
        lo, hi = t.bounds[phase], t.bounds[phase + 1]
        at = int(_sizes(t, 1)(rank)[0])
        sent = _sent(t)[lo:hi, min(at, t.size.N - 1)]
        wanted.append(np.concatenate([[0], np.cumsum(sent)]))
        for label, v in (("N", t.size.N), *t.size.params):
            columns.setdefault(label, []).append(np.full(hi - lo + 1, v))
        columns.setdefault(places.step, []).append(np.arange(hi - lo + 1))
    samples = Samples({k: np.concatenate(v) for k, v in columns.items()})
    target = np.concatenate(wanted)
    for tree in sorted(_forms(found, places.step), key=size):
        if (samples(tree) == target).all():
            return expr(tree)
    return None


def _forms(found: Features, step: str) -> Iterator[Node]:
    """Closed forms: multiples of the step, and terms less what they are at the start."""
    s, zero = name(step), number(0)
    sizes = [m for m in found.marks if m.op != "const" and step not in uses(m)]
    yield zero
    factors: list[Node] = [number(1), number(2), *sizes]
    factors += [node("-", m, number(1)) for m in sizes]
    for factor in factors:
        yield node("*", s, factor) if factor != number(1) else s
    moving = [*found.powers, *(m for m in found.marks if step in uses(m) and m != s)]
    moving += [node("min", p, n) for p in found.powers for n in sizes[:2]]
    moving += [node("min", s, n) for n in (*sizes, *(node("-", m, number(1)) for m in sizes))]
    moving += [node("max", node("-", s, n), zero) for n in sizes]
    for tree in moving:
        start = substitute(tree, {step: zero})
        for first in (start, number(1), *sizes):
            yield node("-", tree, first)
            yield node("-", first, tree)
