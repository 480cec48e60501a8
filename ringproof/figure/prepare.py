"""From a table to a story that may be drawn: checked first, every time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ringproof.assess import Options, Settings
from ringproof.check import check
from ringproof.errors import RingproofError
from ringproof.events import expand
from ringproof.figure.fault import fault
from ringproof.figure.focus import Focus
from ringproof.figure.lettering import ascii_of
from ringproof.figure.story import Story, tell
from ringproof.problem import ExpansionError, Problem
from ringproof.simulate import simulate
from ringproof.table.integers import Undefined
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import Source, read
from ringproof.verdict import Exit, Refuted, Report, Size, TableError

Params = Sequence[tuple[str, int]]
FEW = 8


class CannotDrawError(Exception):
    """A question that no picture answers: a size outside the claim, a proved table's counterexample."""


class NotProvedError(RingproofError):
    """A table that is not drawn, for it is not proved: its ``report`` says why."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report.path} is not proved ({report.exit.name.lower().replace('_', ' ')})")
        self.report = report

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.report,)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A story, the texts it comes from, and its focus where it is a counterexample."""

    story: Story
    texts: tuple[str, ...]
    focus: Focus | None


def proved(table: str | Source, N: int, params: Params = ()) -> Prepared:
    """The story of a table, or of the one at a path, at one size, once it is proved there.

    Errors: `NotProvedError`, `CannotDrawError`.
    """
    report, source, schedule = _checked(table, N)
    size = _size(schedule, N, params)
    if report.exit is not Exit.PROVED:
        raise NotProvedError(report)
    return Prepared(tell(schedule, simulate(expand(schedule, size))), _texts(source, schedule), None)


def refuted(path: str, N: int | None, params: Params = ()) -> Prepared:
    """The story of a table at the smallest size where it is wrong, or at N, with the violation in focus.

    Errors: `CannotDrawError` when it is proved, `NotProvedError` when that is unknown.
    """
    report, source, schedule = _checked(path, N)
    broken = [r for r in report.results if isinstance(r.verdict, Refuted)]
    sizes = sorted({size for result in broken for size in result.refuted})
    if N is not None:
        asked = _size(schedule, N, params)
        sizes = [size for size in sizes if size == asked or not params]
    if not sizes and report.exit is Exit.PROVED:
        where = f"N = {N}" if N is not None else report.claim
        raise CannotDrawError(f"{path} is proved for {where}: it has no counterexample to draw")
    if not sizes:
        raise NotProvedError(report)
    found = simulate(expand(schedule, sizes[0]))
    title = next((f.title for f in report.findings if f.severity == "error"), "")
    made = fault(schedule, found, ascii_of(title))
    return Prepared(tell(schedule, made.outcome), _texts(source, schedule), made.focus)


def either(path: str, N: int, params: Params = ()) -> Prepared:
    """A table at N, proved or with its violation in focus; errors: `NotProvedError` when undecided."""
    try:
        return proved(path, N, params)
    except NotProvedError as error:
        if error.report.exit is not Exit.REFUTED:
            raise
    return refuted(path, N, params)


def _checked(table: str | Source, N: int | None) -> tuple[Report, Source, Schedule]:
    report = Report(table.path if isinstance(table, Source) else table, "", "", "")
    try:
        source = table if isinstance(table, Source) else read(table)
        report = replace(report, text=source.text)
        schedule = read_schedule(source.values, source.path)
    except TableError as error:
        text, used = getattr(error, "text", report.text), error.used or report.used
        raise NotProvedError(replace(report, text=text, findings=error.findings, used=used)) from None
    if N is not None and not schedule.ranks[0] <= N <= schedule.ranks[1]:
        lo, hi = schedule.ranks
        raise CannotDrawError(f"the table claims N = {lo}..{hi}, not N = {N}; give -N one of those")
    ranks = ((N, N),) if N is not None else ()
    # Few ranks are decided chunk by chunk sooner than it is asked whether one chunk stands for all.
    settings = Settings(symmetry="none" if N is not None and N <= FEW else "auto")
    told = check(source, Options(settings, ranks, suggest=0, induction="never"))
    if N is not None and not told.sizes and not any(f.severity == "error" for f in told.findings):
        raise CannotDrawError(f"the table claims nothing of N = {N}: its `where` or `params` leave it out")
    if not told.results:
        raise NotProvedError(told)
    return told, source, schedule


def _size(schedule: Schedule, N: int, params: Params) -> Size:
    """The first size with these values; errors: `CannotDrawError`."""
    try:
        sizes = list(schedule.at(N))
    except Undefined as error:
        raise ExpansionError((Problem.undefined(error, Size(N), {}),)) from None
    for name, value in params:
        values = sorted({dict(size.params)[name] for size in sizes if name in dict(size.params)})
        if value not in values:
            listed = ", ".join(map(str, values)) or "none: it is no parameter of the table"
            raise CannotDrawError(f"{name} is not {value} at N = {N}; its values: {listed}")
        sizes = [size for size in sizes if dict(size.params)[name] == value]
    if not sizes:
        raise CannotDrawError(f"the table claims nothing of N = {N}")
    return sizes[0]


def _texts(source: Source, schedule: Schedule) -> tuple[str, ...]:
    return (source.text, *(used.text for used in schedule.used))
