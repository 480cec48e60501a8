"""A table used over groups of ranks, written out as rows of the table that uses it; trusted.

`ringproof.compose` says what such a phase means.  Here every row of the used table becomes a row of
the outer one: its N is the size n of a group, its r is the place of r in its group, and its peer is
the member of the group at the place that the row names.  That all groups have one size, and that the
member at a place is ``r + (place - rank) * stride``, are guesses; the demands below make them true:
  - places are 0..n - 1, no two members of a group share one, and the member found at each of them is
    of the group: so every group has exactly these n members;
  - the used table claims n ranks (the upper end of a claim is dropped, as everywhere) and its
    parameters; or a group is a single rank, and the table takes no step;
  - every place and slot that its rows name exists in it, and the slots that stand for its slots exist
    and differ within a group.
Every rank reads a row once, as a member of its one group, so the sends are those of the phase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ringproof.proof.every_n.arithmetic import Untranslatable
from ringproof.proof.every_n.model import Model, Obligation
from ringproof.proof.every_n.nodes import name, number
from ringproof.proof.every_n.terms import Reader
from ringproof.proof.every_n.writing import Over, Writer, said
from ringproof.table.expr import Expr, Items, Node, Range
from ringproof.table.schedule import Phase, Schedule, Use

ALWAYS = Node("const", (), 0, 0, True)
Guess = Callable[[Schedule, Use], tuple[Node, Node] | None]


@dataclass(frozen=True, slots=True)
class Demand:
    """``holds`` for all values of ``over`` for which ``given`` holds; for every send of ``row``
    (phase and row), where there is one."""

    what: str
    holds: Node
    over: Over = ()
    given: Node = ALWAYS
    row: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Composition:
    """A table whose phases all have rows of their own, and what makes it the table that was given."""

    schedule: Schedule
    demands: tuple[Demand, ...] = ()

    def obligations(self, model: Model) -> Iterator[Obligation]:
        """The demands, each with whatever it needs to have a value."""
        for at, demand in enumerate(self.demands):
            if demand.row is None:
                yield from _closed(model, demand, f"!{at}")
            else:
                yield from _of_row(model, demand, *demand.row)


def written_out(schedule: Schedule, guess: Guess) -> Composition:
    """Every used table as rows; errors: `Untranslatable`."""
    phases: list[Phase] = []
    demands: list[Demand] = []
    for phase in schedule.phases:
        use = phase.use
        if use is None:
            phases.append(phase)
            continue
        groups = guess(schedule, use)
        if groups is None:
            raise Untranslatable("groups of ranks that are not of one size and one stride")
        writer = Writer(schedule, use, *groups)
        demands += [*_groups(writer), *_claimed(writer), *_slots(writer)]
        inner = use.schedule.phases
        for at, part in enumerate(inner):
            demands += _rows(writer, part, len(phases))
            phases.append(writer.phase(phase, part, "last" if at == len(inner) - 1 else ""))
    if not demands:
        return Composition(schedule)
    return Composition(replace(schedule, phases=tuple(phases)), tuple(demands))


def _closed(model: Model, demand: Demand, tag: str) -> Iterator[Obligation]:
    context, values = model.sizes.context(), dict(model.sizes.values)
    for unknown, lo, hi in demand.over:
        values[unknown] = model.unknown(unknown + tag)
        inside = said("lo <= x and x <= hi", lo=lo, x=name(unknown), hi=hi)
        context = context.extended(Reader(context, values, {}).condition(inside))
    context = context.extended(Reader(context, values, {}).condition(demand.given))
    reader = Reader(context, values, {})
    goal = reader.condition(demand.holds)
    for need in reader.needs:
        yield Obligation("in-range", "a value exists", context, need.formula)
    yield Obligation("in-range", demand.what, context, goal)


def _of_row(model: Model, demand: Demand, phase: int, row: int) -> Iterator[Obligation]:
    for i in model.stages[phase].instances:
        if i.case.index == row:
            values = {**model.sizes.values, **i.loops, "r": i.rank, "s": i.step}
            goal = Reader(i.context, values, {}).condition(demand.holds)
            yield Obligation("in-range", demand.what, i.context, goal, phase)


def _groups(w: Writer) -> Iterator[Demand]:
    """All groups have ``w.size`` members, at places 0, 1, 2, ..., and ``w.member`` finds them."""
    r, other, place, N = (name(n) for n in ("r", "other", "place", "N"))
    ranks, others = (("r", number(0), said("N - 1")), ("other", number(0), said("N - 1")))
    places = ("place", number(0), said("n - 1", n=w.size))
    fits = said("0 <= p and p < n", p=w.place(r), n=w.size)
    yield Demand("a place in the group", fits, (ranks,), w.takes_part(r))
    found = w.member(r, place)
    there = said("0 <= m and m < N and here and g == h and p == place", m=found, N=N, place=place,
                 here=w.takes_part(found), g=w.group(found), h=w.group(r), p=w.place(found))  # fmt: skip
    yield Demand("a member at every place", there, (ranks, places), w.takes_part(r))
    alike = said("here and there and g == h and p == q", here=w.takes_part(r), there=w.takes_part(other),
                 g=w.group(r), h=w.group(other), p=w.place(r), q=w.place(other))  # fmt: skip
    yield Demand("one member at a place", said("r == other"), (ranks, others), alike)


def _claimed(w: Writer) -> Iterator[Demand]:
    """The used table says what groups of this size do."""
    inner = w.use.schedule
    alone = said("n == 1", n=w.size)
    for phase in inner.phases:
        alone = said("alone and steps == 0", alone=alone, steps=w.inside(phase.steps, phase.names))
    fits = said("lowest <= n", lowest=number(inner.ranks[0]), n=w.size)
    where = w.inside(inner.where, inner.names)
    claimed = said("fits and where or alone and not fits", fits=fits, where=where, alone=alone)
    yield Demand("the used table claims groups of this size", claimed)
    for loop in inner.params:
        value, found = w.outside(w.use.params[loop.name]), said("not fits", fits=fits)
        for item in loop.items:
            found = said("a or b", a=found, b=_runs_over(w, item, value))
        yield Demand("the used table claims this parameter", found)


def _runs_over(w: Writer, item: Items, value: Node) -> Node:
    names = w.use.schedule.names
    if isinstance(item, Range):
        lo, hi = (w.inside(e, names) for e in (item.lo, item.hi))
        return said("lo <= x and x <= hi", lo=lo, x=value, hi=hi)
    if isinstance(item, Expr):
        return said("x == y", x=value, y=w.inside(item, names))
    return said("1 <= x and y % x == 0", x=value, y=w.inside(item.of, names))


def _slots(w: Writer) -> Iterator[Demand]:
    """The slots that stand for slots of the used table exist, and each for one of them."""
    over: list[tuple[str, Node, Node]] = [("r", number(0), said("N - 1"))]
    count = w.inside(w.use.schedule.chunks, w.use.schedule.names)
    here, found, sides = w.takes_part(name("r")), [], []
    for tag in ("", "!"):
        mine = [(f"c{tag}", number(0), said("n - 1", n=count)), *w.spread(name("r"), tag)]
        found.append(w.slot(name("r"), name(f"c{tag}"), tag))
        sides.append([unknown for unknown, _, _ in mine])
        over += mine
        if not tag:
            inside = said("0 <= x and x < n", x=found[0], n=w.outside(w.outer.chunks))
            yield Demand("the slots of a used table exist", inside, tuple(over), here)
    alike = said("here and a == b", here=here, a=found[0], b=found[1])
    for a, b in zip(*sides, strict=True):
        same = said("a == b", a=name(a), b=name(b))
        yield Demand("a slot stands for one slot", same, tuple(over), alike)


def _rows(w: Writer, phase: Phase, at: int) -> Iterator[Demand]:
    """What the rows of the used table name exists in it."""
    count = w.inside(w.use.schedule.chunks, w.use.schedule.names)
    for index, row in enumerate(phase.rows):
        for place, limit in ((row.peer, w.size), (row.chunk, count), (row.into, count)):
            inside = said("0 <= x and x < n", x=w.of_row(place, row), n=limit)
            yield Demand("ranks and slots of a used table", inside, row=(at, index))
