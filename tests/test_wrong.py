"""Every table in tests/wrong/ is refuted, with the report beside it, for the right reason.

What the right reason is comes from `reference`, which shares no code with ringproof: which
properties fail, and from which N on.  That no earlier step is at fault is shown by cutting the
schedule off before it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ringproof.assess import Options
from ringproof.check import check_file
from ringproof.events import Events, expand
from ringproof.simulate import Violations, simulate
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read
from ringproof.verdict import Exit, Finding, Report, Size
from tests import reference
from tests.conftest import HOME, Blessed, Run

TABLES = sorted((HOME / "tests" / "wrong").glob("*.toml"))
SMALL = 8  # reference is slow; every wrong table shows all its mistakes up to here
CODES = {
    "in-range": "RP202", "conflict-free": "RP203", "defined": "RP305", "complete": "RP301",
    "once": "RP302", "no-resend": "RP303", "ensures": "RP304", "claims": "RP401",
}  # fmt: skip
COLUMNS = ("step", "sender", "receiver", "chunk", "into", "reduce", "row")

every_table = pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)


@cache
def report_of(path: Path) -> Report:
    return check_file(str(path), Options(suggest=0))


@cache
def schedule_of(path: Path) -> Schedule:
    source = read(str(path))
    return read_schedule(source.values, source.path)


def first_failures(path: Path) -> dict[str, int]:
    """The smallest N at which each property fails, as `reference` sees it."""
    values = reference.load(path)
    found: dict[str, int] = {}
    for N, params in reference.sizes(values):
        if N <= SMALL:
            judged = reference.judge(values, N, params)
            if judged["in-range"]:  # counts need no meaning
                judged["claims"] = reference.claims_hold(reference.Table(values, N, params))
            for name, holds in judged.items():
                if not holds:
                    found.setdefault(name, N)
    return found


def errors(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.severity == "error"]


def size_of(finding: Finding) -> Size:
    return Size(finding.details["N"], tuple(finding.details["params"].items()))


def failing(events: Events) -> dict[str, Violations]:
    """The properties that replay refutes, and where; of several `ensures` the first."""
    found: dict[str, Violations] = {}
    for name, violations in simulate(events).violations.items():
        if violations:
            found.setdefault(name.partition("[")[0], violations)
    return found


def before(events: Events, step: int) -> Events:
    """The same schedule with every send left out from ``step`` on."""
    early = events.step < step
    columns: dict[str, Any] = {name: getattr(events, name)[early] for name in COLUMNS}
    bounds = np.searchsorted(columns["step"], np.arange(events.steps + 1))
    return replace(events, bounds=bounds, **columns)


def test_there_are_wrong_tables() -> None:
    assert len(TABLES) >= 12


def test_no_report_is_left_without_its_table() -> None:
    assert {p.stem for p in (HOME / "tests" / "wrong").glob("*.txt")} <= {p.stem for p in TABLES}


@every_table
def test_the_report_reads_as_blessed(path: Path, run: Run, blessed: Blessed) -> None:
    code, text = run("check", str(path.relative_to(HOME)))
    assert code == Exit.REFUTED
    assert str(HOME) not in text
    blessed(path.with_suffix(".txt"), text)


@every_table
def test_just_the_properties_that_fail_are_refuted_from_the_first_size_on(path: Path) -> None:
    report = report_of(path)
    assert report.exit == Exit.REFUTED
    told = {f.code: f.details["N"] for f in errors(report)}
    assert told == {CODES[name]: N for name, N in first_failures(path).items()}
    assert len(told) == len(errors(report))


@every_table
def test_every_smaller_size_replays_without_that_fault(path: Path) -> None:
    schedule = schedule_of(path)
    for finding in errors(report_of(path)):
        name, found = finding.details["property"], size_of(finding)
        smaller = [size for size in schedule.claimed() if size < found]
        if name == "claims":
            values = reference.load(path)
            assert all(reference.judge(values, s.N, dict(s.params))["claims"] for s in smaller)
        else:
            assert not any(name in failing(expand(schedule, size)) for size in smaller)
            assert name in failing(expand(schedule, found))


@every_table
def test_no_earlier_step_is_at_fault(path: Path) -> None:
    schedule = schedule_of(path)
    for finding in errors(report_of(path)):
        name, details = finding.details["property"], finding.details
        if name == "claims":  # about the whole schedule, at no step
            continue
        events = expand(schedule, size_of(finding))
        if name in ("complete", "ensures"):  # due at a fixed step, so the first place counts
            assert (details["rank"], details["slot"]) == min(failing(events)[name].cells)
        else:
            assert name not in failing(before(events, details["step"]))
            assert name in failing(before(events, details["step"] + 1))


@every_table
def test_the_table_says_what_is_wrong_with_it(path: Path) -> None:
    schedule = schedule_of(path)
    assert schedule.name
    assert schedule.notes
