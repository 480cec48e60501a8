"""No wrong table is proved for every N, whatever Hypothesis draws.

The induction is told that every size has been judged that can be run at all, so it is not its replays
that refute: the questions alone must refuse a table that is wrong at some N up to 12.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, example, given, settings
from hypothesis import strategies as st

from ringproof.events import expand
from ringproof.problem import ExpansionError
from ringproof.proof.every_n import Proved, prove_every_n
from ringproof.proof.every_n.nodes import plain, show
from ringproof.proof.every_n.rewriting import folded
from ringproof.simulate import simulate
from ringproof.strategies import rows, values_of_tables
from ringproof.table.expr import Node, parse
from ringproof.table.integers import Environment, Undefined, evaluate
from ringproof.table.mutate import Mutant
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.verdict import Size, TableError
from tests.conftest import HOME
from tests.judged import is_wrong
from tests.strategies import expressions, mutated, one_phase

MOST, SECONDS = 12, 0.5
QUICK = ("ring", "ring_shifted", "naive", "chain_broadcast", "recursive_doubling", "bruck_all_gather",
         "binomial_broadcast", "direct_all_to_all", "two_shot_all_reduce", "swing_latency",
         "pairwise_reduce_scatter", "bidirectional_ring_all_gather", "hierarchical_ring")  # fmt: skip
PATHS = [HOME / "schedules" / f"{name}.toml" for name in QUICK]
DRAWN = settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
SWEPT = settings(DRAWN, max_examples=2000)


def read(values: dict[str, Any]) -> Schedule:
    """A table that claims more than one N; anything else is no example."""
    try:
        return read_schedule({**values, "ranks": "2..64"})
    except TableError:
        assume(False)
        raise


def sizes(schedule: Schedule, most: int) -> list[Size]:
    found: list[Size] = []
    for N in range(2, most + 1):
        try:
            found += schedule.at(N)
        except (Undefined, ExpansionError):
            assume(False)
    return found


def runs(schedule: Schedule, size: Size) -> bool:
    """Whether it can be replayed to its end, right or wrong."""
    try:
        return simulate(expand(schedule, size)).trail is not None
    except ExpansionError:
        return False


def unseen(schedule: Schedule) -> frozenset[Size]:
    """The sizes up to 100 that an induction is not to judge; it learns from no N above 32."""
    return frozenset(size for size in sizes(schedule, 100) if size.N > 32 or runs(schedule, size))


def refused(schedule: Schedule) -> None:
    """A table that is wrong at a small N is not proved, though nobody replays it."""
    assume(is_wrong(schedule, sizes(schedule, MOST)))
    found = prove_every_n(schedule, SECONDS, judged=unseen(schedule))
    event(f"{type(found.verdict).__name__}: {getattr(found.verdict, 'reason', '')[:30]}")
    assert found.verdict != Proved()
    assert Proved() not in found.properties.values()


@DRAWN
@given(values_of_tables())
def test_no_random_table_that_is_wrong_is_proved(values: dict[str, Any]) -> None:
    refused(read(values))


@DRAWN
@given(mutated(PATHS))
def test_no_wrong_neighbour_of_a_right_table_is_proved(mutant: Mutant) -> None:
    refused(read(mutant.values))


@DRAWN
@given(rows("chunks"), st.sampled_from(("all-gather", "reduce-scatter", "all-reduce")))
def test_no_wrong_row_is_proved(row: dict[str, Any], collective: str) -> None:
    owner = {} if collective == "all-reduce" else {"owner": "c"}
    refused(read(one_phase(row, steps="N - 1", collective=collective, **owner)))


@pytest.mark.sweep
@SWEPT
@given(mutated(PATHS))
def test_no_wrong_neighbour_is_proved_among_many(mutant: Mutant) -> None:
    refused(read(mutant.values))


def test_right_tables_are_proved_though_nobody_replays_them() -> None:
    """What is refused above is refused for being wrong: judged sizes are no obstacle."""
    ring = read_schedule(dict(_values("ring")))
    assert prove_every_n(ring, 10.0, judged=unseen(ring)).verdict == Proved()


def _values(name: str) -> dict[str, Any]:
    from tests.reference import load

    return load(HOME / "schedules" / f"{name}.toml")


NUMBERS, _ = expressions(("r", "s", "N"), large=("-2", "(-3)"))


@settings(DRAWN, max_examples=150)
@given(NUMBERS, st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(1, 7)))
@example("(1 - (-2) ** (s + 1)) // 3", (0, 1, 4))
def test_what_a_guess_is_written_as_is_what_it_is(text: str, at: tuple[int, int, int]) -> None:
    """Invariants and senders are read again from their text: a certificate holds nothing else."""
    tree = folded(parse(text).node)
    names = dict(zip(("r", "s", "N"), at, strict=True))
    for written in (show(tree), plain(show(tree))):
        assert value(parse(written).node, names) == value(tree, names), written


def value(tree: Node, names: dict[str, int]) -> object:
    try:
        return evaluate(tree, Environment(names, {}))
    except Undefined:
        return None
