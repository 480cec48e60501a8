"""Exact replay: every property with the smallest table that breaks it, and a naive second opinion."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from ringproof.events import expand
from ringproof.problem import ExpansionError
from ringproof.simulate import Optional, Outcome, Violations, simulate
from ringproof.simulate.contents import blocks
from ringproof.simulate.traffic import Counts
from ringproof.strategies import values_of_tables as tables
from ringproof.table.integers import Undefined
from ringproof.table.mutate import Mutant, mutants
from ringproof.table.reader import read_schedule
from ringproof.verdict import Size
from tests import reference
from tests.conftest import sampled
from tests.strategies import mutated, one_phase

Values = dict[str, Any]
Listed = tuple[Any, ...]

HERE = Path(__file__).parent
SCHEDULES = sorted((HERE.parent / "schedules").glob("*.toml"))
WRONG = sorted((HERE / "wrong").glob("*.toml"))
ALWAYS = {"in-range", "conflict-free", "defined", "complete", "once", "no-resend"}
PLAIN = [p for p in (*SCHEDULES, *WRONG) if not any("use" in x for x in reference.load(p)["phase"])]
MOST = 9
SEARCH = settings(
    max_examples=40,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


# ---- properties one by one ----------------------------------------------------------------------


def replay(*sends: Listed, N: int = 3, wanted: Optional | None = None, **keys: Any) -> Outcome:
    """Replay sends written as (step, from, to, chunk, op[, into]) on one chunk a rank."""
    values = one_phase(ranks=str(N), **{"chunks": 1, "phase": [listed(*sends)], **keys})
    return simulate(expand(read_schedule(values), Size(N)), wanted or Optional())


def listed(*sends: Listed) -> Values:
    names = ("step", "from", "to", "chunk", "op", "into")
    return {"name": "listed", "sends": [dict(zip(names, send, strict=False)) for send in sends]}


def broken(outcome: Outcome) -> dict[str, Violations]:
    return {name: found for name, found in outcome.violations.items() if found}


TO_1 = [(0, 0, 1, 0, "reduce"), (0, 2, 1, 0, "reduce")]
STAR = [*TO_1, (1, 1, 0, 0, "copy"), (1, 1, 2, 0, "copy")]


def test_a_right_schedule_breaks_nothing() -> None:
    outcome = replay(*STAR)
    assert broken(outcome) == {}
    assert set(outcome.violations) == ALWAYS
    totals = {name: found.total for name, found in outcome.violations.items() if found.total}
    assert totals == {"conflict-free": 4, "defined": 4, "complete": 3, "once": 2, "no-resend": 4}
    assert outcome.trail is not None


@pytest.mark.parametrize(
    ("send", "what"),
    [
        ((1, 0, 3, 0, "copy"), "receiver"), ((1, -1, 0, 0, "copy"), "sender"),
        ((1, 0, 1, 1, "copy", 0), "chunk"), ((1, 0, 1, 0, "copy", 1), "into"),
        ((1, 0, 1, 0, "copy", -1), "into"), ((1, 3, 7, 9, "copy", 9), "sender"),
    ],
)  # fmt: skip
def test_in_range(send: Listed, what: str) -> None:
    outcome = replay(*TO_1, send, (1, 0, 3, 9, "copy", 9) if what == "sender" else (1, 0, 0, 0, "reduce"))
    assert outcome.violations == {"in-range": Violations((2,), what=what, total=4)}
    assert outcome.trail is None


def test_scratch_slots_are_in_range_and_one_more_is_not() -> None:
    assert "in-range" not in broken(replay((0, 0, 0, 0, "copy", 2), scratch=2))
    assert broken(replay((0, 0, 0, 0, "copy", 3), scratch=2))["in-range"].events == (0,)


@pytest.mark.parametrize(
    ("ops", "found"),
    [
        (("reduce", "reduce", "reduce"), ()), (("copy",), ()), (("copy", "copy"), (1,)),
        (("reduce", "copy"), (1,)), (("copy", "reduce"), (1,)), (("copy", "copy", "copy"), (1, 2)),
        (("reduce", "reduce", "copy"), (2,)),
    ],
)  # fmt: skip
def test_conflict_free(ops: tuple[str, ...], found: tuple[int, ...]) -> None:
    outcome = replay(*((0, sender, 3, 0, op) for sender, op in enumerate(ops)), N=4)
    got = outcome.violations["conflict-free"]
    assert got.events == found
    assert got.other == tuple(event - 1 for event in found)
    assert ("defined" in outcome.violations) == (not found)


def test_two_copies_into_different_slots_or_steps_do_not_clash() -> None:
    sends = [(0, 0, 1, 0, "copy"), (1, 2, 1, 0, "copy"), (1, 2, 0, 0, "copy"), (1, 0, 1, 1, "copy")]
    assert not replay(*sends, chunks=2).violations["conflict-free"]


@pytest.mark.parametrize(
    ("sends", "found"),
    [
        ([(0, 1, 2, 0, "copy")], (0,)),  # rank 1 has nothing yet
        ([(0, 0, 1, 0, "reduce")], (0,)),  # rank 1 has nothing to add to
        ([(0, 0, 1, 0, "copy"), (0, 1, 2, 0, "copy")], (1,)),  # it arrives in the same step
        ([(0, 0, 1, 0, "copy"), (1, 1, 2, 0, "copy")], ()),
        ([(0, 1, 0, 0, "reduce")], (0,)),
        ([(0, 1, 2, 0, "copy"), (1, 2, 1, 0, "copy")], (0, 1)),  # nothing stays nothing
        ([(0, 0, 1, 0, "copy"), (1, 2, 1, 0, "copy"), (2, 1, 0, 0, "copy")], (1, 2)),
    ],
)  # fmt: skip
def test_defined(sends: list[Listed], found: tuple[int, ...]) -> None:
    outcome = replay(*sends, collective="broadcast")
    assert outcome.violations["defined"].events == found
    assert ("complete" in outcome.violations) == (not found)


def test_complete_names_the_promised_slots_that_hold_something_else() -> None:
    missing = replay(*TO_1, (1, 1, 0, 0, "copy"))
    assert broken(missing) == {"complete": Violations(cells=((2, 0),), total=3)}
    wiped = replay((0, 0, 1, 0, "reduce"), (1, 2, 1, 0, "copy"), (2, 1, 0, 0, "copy"), (2, 1, 2, 0, "copy"))
    assert wiped.violations["complete"].cells == ((0, 0), (1, 0), (2, 0))


def test_only_promised_slots_count() -> None:
    assert broken(replay(*TO_1, collective="reduce", root=1)) == {}
    assert broken(replay(*TO_1, collective="reduce-scatter", owner="1")) == {}
    for wrong in (
        replay(*TO_1, collective="reduce", root=2),
        replay(*TO_1, collective="reduce-scatter", owner="2"),
    ):
        assert broken(wrong)["complete"].cells == ((2, 0),)


def test_parts_of_another_chunk_do_not_count() -> None:
    """Both halves arrive, in each other's place: a check that asks only who is there passes it."""
    swapped = [(0, 0, 1, 0, "copy", 1), (0, 0, 1, 1, "copy", 0)]
    outcome = replay(*swapped, N=2, collective="broadcast", chunks=2)
    assert broken(outcome) == {"complete": Violations(cells=((1, 0), (1, 1)), total=4)}


def test_a_part_that_counts_twice_is_not_once() -> None:
    twice = replay(*TO_1, (1, 1, 0, 0, "reduce"), (2, 0, 2, 0, "copy"), (2, 0, 1, 0, "copy"))
    assert twice.violations["once"] == Violations((2,), total=3)
    assert twice.violations["complete"].cells == ((0, 0), (1, 0), (2, 0))


def test_a_later_copy_does_not_hide_that_something_counted_twice() -> None:
    hidden = replay(*TO_1, (1, 1, 0, 0, "copy"), (1, 2, 2, 0, "reduce"), (2, 1, 2, 0, "copy"))
    assert broken(hidden) == {"once": Violations((3,), total=3)}


def test_reduces_in_one_step_all_read_the_state_before_it() -> None:
    """Three ranks swap in one step: each adds the other two as they were."""
    sends = [(0, a, b, 0, "reduce") for a in range(3) for b in range(3) if a != b]
    assert broken(replay(*sends)) == {}
    exchange = [(0, 0, 1, 0, "reduce"), (0, 1, 0, 0, "reduce")]
    assert broken(replay(*exchange, N=2)) == {}


def test_no_resend_of_the_same_value_over_the_same_link() -> None:
    again = replay(*STAR, (2, 1, 2, 0, "copy"))
    assert broken(again) == {"no-resend": Violations((4,), other=(3,), total=5)}


def test_no_copy_of_what_is_there_already() -> None:
    """Another sender brings the same: a new link, nothing new."""
    barren = replay(*STAR, (2, 0, 2, 0, "copy"))
    assert broken(barren) == {"no-resend": Violations((4,), other=(-1,), total=5)}


def test_a_copy_that_brings_fewer_parts_is_barren() -> None:
    """Rank 0's own part goes to rank 1, which has it already in a sum."""
    outcome = replay((0, 0, 1, 0, "reduce"), (1, 0, 1, 0, "copy"), N=2)
    assert outcome.violations["no-resend"] == Violations((1,), other=(0,), total=2)


def test_a_copy_that_brings_another_part_is_not_barren() -> None:
    """It may lose parts: that is for `complete` to say."""
    outcome = replay(*TO_1, (1, 2, 0, 0, "copy"))
    assert not outcome.violations["no-resend"]
    assert outcome.violations["complete"]


def test_no_resend_asks_what_is_in_a_value_and_not_when_it_was_made() -> None:
    """Rank 1 makes the sum x0 + x1 twice, and sends it to the same place twice."""
    first = [(0, 0, 1, 0, "reduce"), (1, 1, 2, 0, "copy", 1)]
    again = [(1, 1, 1, 2, "copy", 0), (2, 0, 1, 0, "reduce", 0), (3, 1, 2, 0, "copy", 1)]
    keep = (0, 1, 1, 0, "copy", 2)
    outcome = replay(keep, *first, *again, chunks=1, scratch=2)
    assert outcome.violations["no-resend"] == Violations((4, 5), other=(1, 2), total=4)


def test_a_changed_value_may_cross_the_same_link_again() -> None:
    sends = [(0, 0, 1, 0, "copy", 1), (1, 2, 0, 0, "reduce"), (2, 0, 1, 0, "copy", 1)]
    assert not replay(*sends, scratch=1).violations["no-resend"]
    assert not replay(*sends, chunks=2).violations["no-resend"]


def test_local_moves_are_no_messages() -> None:
    moves = [(0, 0, 0, 0, "copy", 1), (1, 0, 0, 0, "copy", 1), (1, 0, 0, 0, "copy", 2)]
    outcome = replay(*STAR, *moves, scratch=2)
    assert broken(outcome) == {}
    assert outcome.counts.total_sends == 4
    assert replay((0, 0, 0, 0, "reduce")).violations["once"].events == (0,)


def test_each_ensures_is_judged_when_its_phase_ends() -> None:
    last = {**listed(*((0, *send[1:]) for send in STAR[2:])), "ensures": {"collective": "all-reduce"}}
    for promise, cells in (
        ({"collective": "reduce", "root": 1}, ()),
        ({"collective": "reduce", "root": 0}, ((0, 0),)),
        ({"collective": "all-reduce"}, ((0, 0), (2, 0))),
    ):
        outcome = replay(phase=[{**listed(*TO_1), "ensures": promise}, {"name": "none"}, last])
        assert outcome.violations["ensures[0]"].cells == cells
        assert not outcome.violations["ensures[1]"]
        assert not outcome.violations["complete"]


@pytest.mark.parametrize(
    ("collective", "chunks", "sends"),
    [
        ("all-gather", 2, [(0, 0, 1, 0, "copy"), (0, 1, 0, 1, "copy")]),
        ("gather", 2, [(0, 1, 0, 1, "copy")]),
        ("scatter", 2, [(0, 0, 1, 1, "copy")]),
        ("broadcast", 2, [(0, 0, 1, 0, "copy"), (0, 0, 1, 1, "copy")]),
        ("reduce", 2, [(0, 1, 0, 0, "reduce"), (0, 1, 0, 1, "reduce")]),
        ("reduce-scatter", 2, [(0, 1, 0, 0, "reduce"), (0, 0, 1, 1, "reduce")]),
        ("all-reduce", 2, [(0, a, 1 - a, c, "reduce") for a in (0, 1) for c in (0, 1)]),
        ("all-to-all", 2, [(0, 0, 1, 1, "copy", 0), (0, 1, 0, 0, "copy", 1)]),
        ("all-to-all", 4, [(0, 0, 1, 2 + i, "copy", i) for i in (0, 1)]
         + [(0, 1, 0, i, "copy", 2 + i) for i in (0, 1)]),
    ],
)  # fmt: skip
def test_every_collective_has_a_right_schedule_and_needs_all_of_it(
    collective: str, chunks: int, sends: list[Listed]
) -> None:
    assert broken(replay(*sends, N=2, collective=collective, chunks=chunks)) == {}
    for left_out in range(len(sends)):
        rest = [send for i, send in enumerate(sends) if i != left_out]
        assert set(broken(replay(*rest, N=2, collective=collective, chunks=chunks))) == {"complete"}


@pytest.mark.parametrize("steps", [8, 9, 16, 17, 60, 70, 1100])
def test_counts_beyond_64_bits_are_exact(steps: int) -> None:
    """Two ranks double each other's sum in every step; in float64 it would end as infinity."""
    outcome = replay(*((s, a, 1 - a, 0, "reduce") for s in range(steps) for a in (0, 1)), N=2)
    assert outcome.violations["once"].events == tuple(range(2, 2 * steps))
    assert outcome.trail is not None
    (block,) = blocks(outcome.events, outcome.trail, 1e9)
    assert block.rows(outcome.trail.final()).tolist() == [[2 ** (steps - 1)] * 2] * 2


# ---- optional properties ------------------------------------------------------------------------


def judged(name: str, *sends: Listed, **keys: Any) -> Violations:
    return replay(*sends, wanted=Optional((name,)), **keys).violations[name]


def test_used() -> None:
    assert not judged("used", *STAR)
    wasted = [(0, 0, 2, 0, "copy", 1), *STAR]
    assert judged("used", *wasted, scratch=1) == Violations((0,), total=5)
    overwritten = [(0, 0, 2, 0, "copy"), (1, 2, 0, 0, "reduce")]  # wiped out by the copies of STAR
    late = [(s + 2, a, b, c, op) for s, a, b, c, op in STAR]
    assert judged("used", *overwritten, *late).events == ()
    unread = [(0, 0, 2, 0, "copy", 1), (1, 2, 2, 1, "copy", 2)]  # moved on, but to no promised slot
    assert judged("used", *unread, *STAR, scratch=2).events == (0,)
    replaced = [*TO_1, (1, 0, 2, 0, "copy"), (2, 1, 0, 0, "copy"), (2, 1, 2, 0, "copy")]
    assert judged("used", *replaced).events == (2,)


def test_used_asks_only_for_promised_slots() -> None:
    assert judged("used", *STAR, collective="reduce", root=1).events == (2, 3)


def test_ports() -> None:
    def ports(most: int, *sends: Listed, **keys: Any) -> tuple[int, ...]:
        return replay(*sends, wanted=Optional(ports=most), **keys).violations["ports"].events

    assert ports(1, *STAR) == (1, 3)
    assert ports(2, *STAR) == ()
    assert ports(1, (0, 0, 1, 0, "copy", 0), (0, 0, 1, 1, "copy", 1), chunks=2) == ()  # one partner, twice
    ring = [(0, r, (r + 1) % 3, 0, "copy", 1) for r in range(3)]
    assert ports(1, *ring, scratch=1) == ()  # one each way
    assert ports(1, (0, 0, 0, 0, "copy", 1), (0, 0, 1, 0, "copy", 1), scratch=1) == ()  # a local move
    everyone = [(0, a, b, 0, "reduce") for a in range(4) for b in range(4) if a != b]
    assert len(ports(2, *everyone, N=4)) == len({(0, 3), (1, 3), (2, 3), (3, 2)}) + len({(3, 0), (3, 1)})
    assert ports(3, *everyone, N=4) == ()
    assert "ports" not in replay(*STAR).violations


def test_order() -> None:
    tree = [(0, 0, 1, 0, "reduce"), (1, 2, 1, 0, "reduce"), (2, 1, 0, 0, "copy"), (2, 1, 2, 0, "copy")]
    assert not judged("order", *tree)
    assert not judged("order", *STAR)  # one sum of several, but only one
    everyone = [(0, a, b, 0, "reduce") for a in range(3) for b in range(3) if a != b]
    assert judged("order", *everyone) == Violations(cells=((1, 0), (2, 0)), total=3)
    assert not judged("order", (0, 0, 1, 0, "reduce"), (0, 1, 0, 0, "reduce"), N=2)  # x + y is y + x
    hypercube = [(s, r, r ^ (1 << s), 0, "reduce") for s in (0, 1) for r in range(4)]
    assert not judged("order", *hypercube, N=4)
    chain = [
        (0, 0, 1, 0, "reduce", 0), (1, 1, 2, 0, "reduce", 0),  # rank 2: (x0 + x1) + x2
        (0, 2, 1, 1, "reduce", 1), (1, 1, 0, 1, "reduce", 1),  # rank 0: x0 + (x1 + x2)
    ]  # fmt: skip
    keep = [(0, r, r, 0, "copy", 1) for r in range(3)]
    later = [(s + 1, *rest) for s, *rest in chain]
    back = [(3, 0, 0, 1, "copy", 0), (3, 2, 1, 0, "copy", 0)]
    assert judged("order", *keep, *later, *back, scratch=1).cells == ((1, 0), (2, 0))


def test_no_swap() -> None:
    assert not judged("no-swap", *STAR)
    swap = [(0, 0, 1, 0, "reduce"), (0, 1, 0, 0, "reduce")]
    assert judged("no-swap", *swap, N=2) == Violations((0, 1), other=(1, 0), total=2)
    shift = [(0, r, (r + 1) % 3, 0, "copy") for r in range(3)]
    assert judged("no-swap", *shift).events == (0, 1, 2)
    assert judged("no-swap", *shift[:2]).events == (1,)
    assert not judged("no-swap", *((s, *rest) for s, (_, *rest) in enumerate(shift[::-1])))
    moved = [(0, 0, 1, 0, "copy"), (0, 0, 0, 1, "copy", 0)]  # a local move writes what a message reads
    assert judged("no-swap", *moved, chunks=2) == Violations((0,), other=(1,), total=1)
    assert not judged("no-swap", (0, 0, 0, 0, "copy", 1), (0, 0, 0, 1, "copy", 0), chunks=2)


# ---- counts -------------------------------------------------------------------------------------


def test_counts() -> None:
    assert replay(*STAR, (3, 0, 0, 0, "copy")).counts == Counts(
        steps=2, sends_per_rank=2, total_sends=4, traffic=Fraction(2), received=Fraction(2),
        idle_steps=(2,),
    )  # fmt: skip
    halves = replay((0, 0, 1, 0, "reduce"), (2, 0, 1, 1, "reduce"), (2, 0, 2, 1, "reduce"), chunks=2).counts
    assert (halves.steps, halves.traffic, halves.received) == (2, Fraction(3, 2), Fraction(1))
    assert halves.idle_steps == (1,)
    assert replay().counts == Counts(0, 0, 0, Fraction(0), Fraction(0), ())
    assert halves.of("total_sends") == Fraction(3)


def test_memory_is_refused_before_it_is_needed() -> None:
    events = expand(read_schedule(reference.load(SCHEDULES[0].parent / "naive.toml")), Size(64))
    with pytest.raises(ExpansionError) as caught:
        simulate(events, memory=1000)
    (problem,) = caught.value.problems
    assert problem.kind == "memory"
    assert problem.facts["need"] > 1000


def test_a_large_ring_is_replayed() -> None:
    events = expand(read_schedule(reference.load(SCHEDULES[0].parent / "ring.toml")), Size(64))
    outcome = simulate(events)
    assert broken(outcome) == {}
    assert outcome.counts.total_sends == 2 * 64 * 63
    assert isinstance(events.step, np.ndarray)


# ---- a naive second opinion ---------------------------------------------------------------------


def second_opinion(values: Values, N: int, params: Values) -> dict[str, bool] | None:
    try:
        found = reference.judge(values, N, params)
    except reference.TableError:
        return None
    found.pop("claims", None)  # `simulate` counts; what is claimed is judged elsewhere
    return found


def compare(values: Values, most: int = MOST) -> int:
    """Compare every property and count at every claimed size up to ``most`` ranks."""
    schedule = read_schedule(values)
    try:
        sizes = list(islice((s for s in schedule.claimed() if s.N <= most), 40))
    except Undefined:  # `where` or a parameter has no value: there is nothing to compare
        return 0
    for size in sizes:
        N, params = size.N, dict(size.params)
        expected = second_opinion(values, N, params)
        try:
            outcome = simulate(expand(schedule, size))
        except ExpansionError as error:
            unread = all("ensures" in problem.route for problem in error.problems)
            assert expected is None or (unread and "ensures" not in expected), size
            continue
        assert expected is not None, size
        got = {name: not found for name, found in outcome.violations.items() if name in ALWAYS}
        if "complete" in got:
            got["ensures"] = not any(v for n, v in outcome.violations.items() if n.startswith("ensures"))
        assert got == expected, size
        if expected["in-range"]:
            counts = reference.counts(values, N, params)
            assert {what: outcome.counts.of(what) for what in counts} == counts, size
    return len(sizes)


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_replay_agrees_with_the_reference(path: Path) -> None:
    values = reference.load(path)
    claimed = [(s.N, dict(s.params)) for s in read_schedule(values).claimed()]
    assert claimed == reference.sizes(values)
    assert compare(values) >= 1


RIGHT = [path for path in PLAIN if path in SCHEDULES]
SWEPT = sampled(RIGHT, 18, 4)


@pytest.mark.parametrize("path", SWEPT, ids=lambda path: path.stem)
def test_replay_agrees_on_every_single_mutant(path: Path) -> None:
    for mutant in mutants(reference.load(path)):
        compare(dict(mutant.values), most=4)


@SEARCH
@given(mutated(PLAIN))
def test_replay_agrees_on_mutants(mutant: Mutant) -> None:
    compare(dict(mutant.values), most=6)


@SEARCH
@given(tables())
def test_replay_agrees_on_random_tables(values: Values) -> None:
    compare(values)


# ---- optional properties, read literally --------------------------------------------------------


class Literal:
    """Slots that hold which events made their value and in which order it was added up."""

    def __init__(self, outcome: Outcome) -> None:
        self.events, self.made = outcome.events, outcome.events.contract
        self.by: dict[tuple[int, int], set[int]] = {}
        self.shape: dict[tuple[int, int], object] = {
            (r, c): (r, c) for r, c in zip(*(x.tolist() for x in np.nonzero(self.made.starts)), strict=True)
        }
        self.swapped: set[int] = set()
        self.partners: dict[tuple[int, str, int], set[int]] = {}
        for step in range(self.events.steps):
            self.run(step)

    def run(self, step: int) -> None:
        events, by, shape = self.events, dict(self.by), dict(self.shape)
        now = [int(e) for e in np.flatnonzero(events.step == step)]
        source = {e: (int(events.sender[e]), int(events.chunk[e])) for e in now}
        target = {e: (int(events.receiver[e]), int(events.into[e])) for e in now}
        for e in now:
            kept = by.get(target[e], set()) if events.reduce[e] else set()
            mine = [f for f in now if target[f] == target[e]]
            self.by[target[e]] = kept.union(set(mine), *(by.get(source[f], set()) for f in mine))
            if not events.reduce[e]:
                self.shape[target[e]] = shape[source[e]]
            elif len(mine) == 1:
                self.shape[target[e]] = frozenset([("sum", shape[source[e]]), ("sum", shape[target[e]])])
            else:
                self.shape[target[e]] = ("several", step, target[e])
            if events.message[e]:
                self.swapped |= {e} if source[e] in target.values() else set()
                self.partners.setdefault((step, "out", source[e][0]), set()).add(target[e][0])
                self.partners.setdefault((step, "in", target[e][0]), set()).add(source[e][0])

    def promised(self) -> list[tuple[int, int]]:
        return list(zip(*(x.tolist() for x in np.nonzero(self.made.ends)), strict=True))

    def unused(self) -> set[int]:
        used = set().union(*(self.by.get(cell, set()) for cell in self.promised()))
        return set(np.flatnonzero(self.events.message).tolist()) - used

    def ordered(self) -> bool:
        shapes: dict[int, set[object]] = {}
        for r, c in self.promised():
            shapes.setdefault(int(self.made.chunk[r, c]), set()).add(self.shape.get((r, c)))
        adds = self.made.collective not in ("all-to-all", "all-gather", "gather")
        return not adds or all(len(found) == 1 for found in shapes.values())


@SEARCH
@given(tables())
def test_optional_properties_agree_with_a_literal_reading(values: Values) -> None:
    schedule = read_schedule(values)
    for size in (s for s in schedule.claimed() if s.N <= 4):
        try:
            outcome = simulate(expand(schedule, size), Optional(("used", "order", "no-swap"), ports=1))
        except ExpansionError:
            continue
        if "complete" in outcome.violations:
            literal, found = Literal(outcome), outcome.violations
            assert set(found["used"].events) == literal.unused(), size
            assert set(found["no-swap"].events) == literal.swapped, size
            assert bool(found["ports"]) == any(len(x) > 1 for x in literal.partners.values()), size
            assert (not found["order"]) == literal.ordered(), size
