"""The whole pipeline on one page: a table goes in, a report comes out.

    text -> values -> schedule -> (for every size) events -> replay and Z3 -> results -> findings
                               -> (for every N at once) induction

Read this first.  Every arrow is one module; nothing here prints, exits or keeps state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter

from ringproof import beyond, results
from ringproof.assess import Assessment, Options, Symmetry, assess, symmetry_of
from ringproof.diagnose import problems
from ringproof.problem import EnginesDisagree, ExpansionError, Problem
from ringproof.table.integers import Undefined
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import Source, read
from ringproof.turn import in_turn
from ringproof.verdict import Beyond, Finding, Report, Result, Size, TableError
from ringproof.wording import sizes_text

Progress = Callable[[str, int, int], None]


def check_file(path: str, options: Options, progress: Progress | None = None) -> Report:
    """Check one file; whatever is wrong with it is in the report, never an exception."""
    try:
        source = read(path)
    except TableError as error:
        called, text = getattr(error, "path", path), getattr(error, "text", "")
        return Report(called, "", text, "", findings=error.findings)
    return check(source, options, progress)


@in_turn
def check(source: Source, options: Options, progress: Progress | None = None) -> Report:
    """Check one table."""
    begun = prepare(source, options)
    if isinstance(begun, Report):
        return begun
    began = perf_counter()
    try:
        symmetry = symmetry_of(begun.schedule, options.settings)
        assessed = list(_assess_all(begun, options, symmetry, progress))
    except (ExpansionError, EnginesDisagree) as error:
        return wrong(begun.report, error)
    return finish(begun, assessed, symmetry, options, perf_counter() - began)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A table that has been read, and the report on it as far as it goes without any size."""

    source: Source
    schedule: Schedule
    report: Report


def prepare(source: Source, options: Options) -> Prepared | Report:
    """Read a table and choose its sizes; a report when there is nothing to check then."""
    report = Report(source.path, str(source.values.get("name", "")), source.text, "")
    try:
        schedule = read_schedule(source.values, source.path)
        report = replace(report, used=schedule.used)
        claim, sizes = choose(schedule, options.ranks)
        report = replace(report, claim=claim, sizes=sizes)
        if not sizes:
            return replace(report, findings=(_vacuous(schedule, options),))
        return Prepared(source, schedule, report)
    except (TableError, ExpansionError) as error:
        return wrong(report, error)


def finish(
    begun: Prepared, assessed: Sequence[Assessment], symmetry: Symmetry, options: Options, seconds: float
) -> Report:
    """The report on a table of which every size is assessed, ascending; ``seconds`` that took."""
    schedule, source, report = begun.schedule, begun.source, begun.report
    began = perf_counter()
    try:
        found = results.collect(schedule, source, assessed, options, symmetry)
        narrowed = _narrowed(schedule, report, options)
        told = perf_counter()
        every_n = _every_n(schedule, report.sizes, found.results, options)
    except (TableError, ExpansionError, EnginesDisagree) as error:
        return wrong(report, error)
    remarks = beyond.remarks(every_n) if every_n else ()
    return replace(
        report, results=found.results, findings=(*found.findings, *narrowed, *remarks), facts=found.facts,
        seconds=(("sweep", seconds), ("report", told - began), ("every N", perf_counter() - told)),
        every_n=every_n,
    )  # fmt: skip


def wrong(report: Report, error: TableError | ExpansionError | EnginesDisagree) -> Report:
    """The report on a table that cannot be checked."""
    if isinstance(error, TableError):
        return replace(report, sizes=(), findings=error.findings, used=error.used or report.used)
    if isinstance(error, ExpansionError):
        return replace(report, sizes=(), findings=tuple(map(problems.problem, error.problems)))
    return replace(report, findings=(problems.disagreement(str(error), {}),))


def _every_n(
    schedule: Schedule, sizes: Sequence[Size], found: Sequence[Result], options: Options
) -> Beyond | None:
    """What induction says beyond the sweep, where it is asked."""
    if not beyond.wanted(schedule, found, options):
        return None
    return beyond.beyond(schedule, sizes, found, options)


def _assess_all(
    begun: Prepared, options: Options, symmetry: Symmetry, progress: Progress | None
) -> Iterator[Assessment]:
    report = begun.report
    reserve(begun, options)
    settled: set[bytes] = set()
    for i, size in enumerate(report.sizes):
        if progress:
            progress(report.path, i, len(report.sizes))
        yield assess_size(begun, size, options, symmetry, settled)


def reserve(begun: Prepared, options: Options) -> None:
    """Refuse a table too large to write out; errors: `ExpansionError`."""
    from ringproof.events import reserve

    reserve(begun.schedule, begun.report.sizes[-1], options.settings.memory)


def assess_size(
    begun: Prepared, size: Size, options: Options, symmetry: Symmetry, settled: set[bytes]
) -> Assessment:
    """Ask both engines about one size; errors: `ExpansionError`, `EnginesDisagree`."""
    try:
        return assess(begun.schedule, size, options.settings, symmetry, settled)
    except Undefined as error:
        raise ExpansionError((Problem.undefined(error, size, {}),)) from None


def choose(schedule: Schedule, ranks: Sequence[tuple[int, int]]) -> tuple[str, tuple[Size, ...]]:
    """What a table claims, in words, and the sizes of it to check.

    Errors: `ExpansionError` when ``where`` or a parameter has no value at some N.
    """
    lo, hi = schedule.ranks
    numbers = range(lo, hi + 1)
    if ranks:
        numbers_set = {N for a, b in ranks for N in range(max(a, lo), min(b, hi) + 1)}
        chosen = sorted(numbers_set)
    else:
        chosen = list(numbers)
    sizes: list[Size] = []
    for N in chosen:
        try:
            sizes += schedule.at(N)
        except Undefined as error:
            raise ExpansionError((Problem.undefined(error, Size(N), {}),)) from None
    plain = sizes and not ranks and schedule.where.text == "True"
    told = sizes_text(sizes) if plain else _claim(schedule)
    return f"{schedule.promise.collective} for {told}", tuple(sizes)


def _claim(schedule: Schedule) -> str:
    """What a table says of its sizes."""
    lo, hi = schedule.ranks
    span = f"N = {lo}" if lo == hi else f"N = {lo}..{hi}"
    return span if schedule.where.text == "True" else f"{span} where {schedule.where.text}"


def _vacuous(schedule: Schedule, options: Options) -> Finding:
    why = "`where` leaves no size of the range"
    if schedule.params and schedule.where.text == "True":
        why = "the parameters have no values"
    if options.ranks:
        asked = ", ".join(f"{a}" if a == b else f"{a}..{b}" for a, b in options.ranks)
        why = f"-N {asked} leaves no size of the claim"
    return problems.nothing(_claim(schedule), why)


def _narrowed(schedule: Schedule, report: Report, options: Options) -> tuple[Finding, ...]:
    """Say so when less than the whole claim was checked."""
    if not options.ranks:
        return ()
    count = len(report.sizes)
    if sum(1 for _ in islice(schedule.claimed(), count + 1)) == count:
        return ()
    return (problems.partial(_claim(schedule), sizes_text(report.sizes)),)
