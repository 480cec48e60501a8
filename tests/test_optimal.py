"""`optimal`: a table may claim that no schedule does better; what it counts must reach the bound."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ringproof import counted
from ringproof.assess import Options
from ringproof.check import check
from ringproof.cost.optimal import best, largest_message
from ringproof.events import expand
from ringproof.report import text
from ringproof.table.reader import read_schedule
from ringproof.table.source import parse
from ringproof.verdict import Exit, Report, Size, Undecided

SCHEDULES = Path(__file__).parent.parent / "schedules"
FEW = Options(ranks=((2, 9),), suggest=0)


def claimed(name: str, optimal: str) -> Report:
    lines = (SCHEDULES / f"{name}.toml").read_text(encoding="utf-8").splitlines(keepends=True)
    content = "".join(line for line in lines if not line.startswith("optimal"))
    return check(parse(f"optimal = {optimal}\n{content}", f"{name}.toml"), FEW)


def events(name: str, N: int) -> Any:
    values = tomllib.loads((SCHEDULES / f"{name}.toml").read_text(encoding="utf-8"))
    schedule = read_schedule(values)
    return expand(schedule, next(iter(schedule.at(N))))


@pytest.mark.parametrize(
    ("name", "optimal"),
    [
        ("ring", '["steps", "traffic"]'),  # one chunk a message: 2(N - 1) chunks must pass one port
        ("ring_all_gather", '"steps"'),
        ("halving_doubling", '"traffic"'),
        ("recursive_doubling", '"steps"'),
        ("bruck_all_gather", '["steps", "traffic"]'),
        ("binomial_broadcast", '"steps"'),
        ("circulant_reduce_scatter", '["steps", "traffic"]'),
    ],
)
def test_tables_that_nothing_beats(name: str, optimal: str) -> None:
    report = claimed(name, optimal)
    assert report.exit is Exit.PROVED, text.render([report])
    assert report.results[-1].name == "optimal"


@pytest.mark.parametrize(
    ("name", "optimal", "why"),
    [
        ("naive", '"traffic"', "traffic 2D at N = 3; the closed form only says at least 4/3D"),
        ("binomial_broadcast", '"traffic"', "at least 1D"),
        ("recursive_doubling", '"traffic"', "at least"),
    ],
)
def test_what_falls_short_is_never_proved(name: str, optimal: str, why: str) -> None:
    report = claimed(name, optimal)
    verdict = report.results[-1].verdict
    assert report.exit is Exit.UNDECIDED
    assert isinstance(verdict, Undecided)
    assert why in verdict.reason


@pytest.mark.parametrize(("name", "fewest"), [("chain_broadcast", 2), ("halving_doubling", 3)])
def test_the_solver_finds_a_better_schedule(name: str, fewest: int) -> None:
    """At 4 ranks a tree beats the chain, and two chunks a message allow an all-reduce in 3 steps."""
    report = claimed(name, '"steps"')
    assert report.exit is Exit.REFUTED
    (finding,) = (f for f in report.findings if f.code == "RP403")
    assert (finding.details["N"], finding.details["fewest"]) == (4, fewest)


def test_a_wrong_table_is_no_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Z3 is not asked for a better schedule than one that does not even work."""
    monkeypatch.setattr(counted, "_fewest", lambda *arguments: pytest.fail("asked"))
    content = (SCHEDULES / "halving_doubling.toml").read_text(encoding="utf-8")
    wrong = content.replace('"traffic"', '"steps"', 1).replace('op    = "copy"', 'op    = "reduce"', 1)
    report = check(parse(wrong, "wrong.toml"), FEW)
    assert report.exit is Exit.REFUTED
    verdict = report.results[-1].verdict
    assert isinstance(verdict, Undecided)
    assert verdict.reason == "the schedule is refuted there, so it cannot be asked"


def test_the_bound_speaks_of_the_ports_and_messages_that_the_table_uses() -> None:
    ring = best(events("ring", 8), "steps")
    assert ring is not None
    assert (ring.counted, ring.least, ring.ports, ring.message) == (14, 14, 1, 1)
    halving = best(events("halving_doubling", 8), "steps")
    assert halving is not None
    assert (halving.counted, halving.least, halving.message) == (6, 4, 4)
    both_ways = best(events("bidirectional_ring_all_gather", 9), "steps")
    assert both_ways is not None
    assert (both_ways.counted, both_ways.least, both_ways.ports) == (4, 4, 2)
    traffic = best(events("ring", 8), "traffic")
    assert traffic is not None
    assert (traffic.counted, traffic.least) == (Fraction(7, 4), Fraction(7, 4))


def test_the_largest_message() -> None:
    assert largest_message(events("ring", 5)) == 1
    assert largest_message(events("bruck_all_gather", 6)) == 2
    assert largest_message(events("halving_doubling", 16)) == 8


def test_no_table_of_the_library_beats_a_bound() -> None:
    """A count below a lower bound would show the bound wrong."""
    for path in sorted(SCHEDULES.glob("*.toml")):
        schedule = read_schedule(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
        for N in (2, 3, 4, 6, 8):
            for size in list(schedule.at(N))[:2] if schedule.ranks[0] <= N <= schedule.ranks[1] else ():
                for what in ("steps", "traffic"):
                    found = best(expand(schedule, Size(size.N, size.params)), what)
                    assert found is None or found.counted >= found.least, (path.stem, size, what)
