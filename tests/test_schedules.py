"""Every table in schedules/ is proved over its whole claim, with and without symmetry."""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from ringproof.assess import Options, Settings
from ringproof.check import check_file
from ringproof.events import expand
from ringproof.simulate import Optional, simulate
from ringproof.simulate.traffic import Counts
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read
from ringproof.verdict import Exit, Proved, Report
from ringproof.wording import counted_sizes_text
from tests import reference
from tests.conftest import HOME, Run

TABLES = sorted((HOME / "schedules").rglob("*.toml"))
QUOTED = "ring.toml"  # stands in the README, as short as a table can be
SMALL = 6  # as far as `reference` goes here
FEW = 6  # sizes that are also proved without symmetry

every_table = pytest.mark.parametrize(
    "path", TABLES, ids=lambda path: str(path.relative_to(HOME / "schedules").with_suffix(""))
)


@cache
def schedule_of(path: Path) -> Schedule:
    source = read(str(path))
    return read_schedule(source.values, source.path)


@cache
def report_of(path: Path) -> Report:
    return check_file(str(path), Options(induction="never"))


def test_there_are_schedules() -> None:
    assert len(TABLES) >= 12


@every_table
def test_it_is_proved_over_its_whole_claim(path: Path) -> None:
    report, claimed = report_of(path), tuple(schedule_of(path).claimed())
    assert report.exit == Exit.PROVED
    assert not [finding for finding in report.findings if finding.severity != "note"]
    assert report.sizes == claimed
    for result in report.results:
        assert isinstance(result.verdict, Proved)
        assert tuple(sorted((*result.proved, *result.waived))) == claimed


@every_table
def test_the_command_says_so(path: Path, run: Run) -> None:
    first = next(iter(schedule_of(path).claimed())).N
    code, text = run("check", "-N", str(first), "-q", "-j", "1", str(path.relative_to(HOME)))
    assert code == Exit.PROVED
    assert not text or text.startswith("note[RP504]: partial")


@every_table
def test_it_says_where_it_comes_from_how_it_works_and_what_it_costs(path: Path) -> None:
    schedule = schedule_of(path)
    assert schedule.name
    assert {claim.what for claim in schedule.claims} >= {"steps", "total_sends", "traffic"}
    assert path.name == QUOTED or (schedule.reference and schedule.notes)


def test_no_two_schedules_have_the_same_name() -> None:
    names = [schedule_of(path).name for path in TABLES]
    assert len(names) == len(set(names))


@every_table
def test_without_symmetry_the_verdict_is_the_same(path: Path) -> None:
    first = {size.N for size in islice(schedule_of(path).claimed(), FEW)}
    ranks = tuple((N, N) for N in sorted(first))
    report, other = (
        check_file(str(path), Options(Settings(symmetry=symmetry), ranks, induction="never"))
        for symmetry in ("none", "auto")
    )
    assert report.exit == other.exit == Exit.PROVED
    assert [(r.name, r.verdict) for r in report.results] == [(r.name, r.verdict) for r in other.results]
    assert any("every independent part" in fact for fact in report.facts)
    assert not any("every independent part" in fact for fact in other.facts)


@every_table
def test_the_reference_agrees_at_small_sizes(path: Path) -> None:
    values, schedule = reference.load(path), schedule_of(path)
    if any("use" in phase for phase in values["phase"]):
        pytest.skip("the reference reads one file; what a used table expands to is tested with it")
    assert [(s.N, dict(s.params)) for s in schedule.claimed()] == reference.sizes(values)
    for size in schedule.claimed():
        if size.N <= SMALL:
            judged = reference.judge(values, size.N, dict(size.params))
            assert {name for name, holds in judged.items() if not holds} <= set(schedule.waive)
            outcome = simulate(expand(schedule, size))
            refuted = {n.partition("[")[0] for n, found in outcome.violations.items() if found}
            assert refuted <= set(schedule.waive)
            assert told(outcome.counts) == reference.counts(values, size.N, dict(size.params))


def told(counts: Counts) -> dict[str, object]:
    names = ("steps", "sends_per_rank", "total_sends", "traffic", "received")
    return {name: counts.of(name) for name in names}


@every_table
def test_the_optional_properties_can_be_asked(path: Path) -> None:
    first = next(iter(schedule_of(path).claimed()))
    wanted = Optional(("used", "order", "no-swap"), ports=1)
    report = check_file(str(path), Options(Settings(wanted), ((first.N, first.N),)))
    assert report.exit in (Exit.PROVED, Exit.REFUTED)
    assert {"used", "order", "no-swap", "ports"} <= {result.name for result in report.results}


def test_without_an_argument_check_proves_them_all(run: Run) -> None:
    code, text = run("check", "-j", "1", "-N", "2..8", "--format", "concise")
    assert code == Exit.PROVED
    for path in TABLES:
        assert str(path.relative_to(HOME)) in text


def test_the_sizes_of_a_claim_are_told(run: Run) -> None:
    _, text = run("check", f"schedules/{QUOTED}")
    assert counted_sizes_text(list(schedule_of(HOME / "schedules" / QUOTED).claimed())) in text
