"""The whole pipeline on one page: a table goes in, a report comes out.

    text -> values -> schedule -> (for every size) events -> replay and Z3 -> results -> findings
                               -> (for every N at once) induction

Read this first.  Every arrow is one module; nothing here prints, exits or keeps state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
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


def check(source: Source, options: Options, progress: Progress | None = None) -> Report:
    """Check one table."""
    report = Report(source.path, str(source.values.get("name", "")), source.text, "")
    try:
        schedule = read_schedule(source.values, source.path)
        report = replace(report, used=schedule.used)
        claim, sizes = choose(schedule, options.ranks)
        report = replace(report, claim=claim, sizes=sizes)
        if not sizes:
            return replace(report, findings=(_vacuous(schedule, options),))
        return _checked(report, schedule, source, options, progress)
    except TableError as error:
        return replace(report, sizes=(), findings=error.findings, used=error.used or report.used)
    except ExpansionError as error:
        return replace(report, sizes=(), findings=tuple(map(problems.problem, error.problems)))
    except EnginesDisagree as error:
        return replace(report, findings=(problems.disagreement(str(error), {}),))


def _checked(
    report: Report, schedule: Schedule, source: Source, options: Options,
    progress: Progress | None,
) -> Report:  # fmt: skip
    began = perf_counter()
    symmetry = symmetry_of(schedule, options.settings)
    assessed = list(_assess_all(report, schedule, options, symmetry, progress))
    ended = perf_counter()
    found = results.collect(schedule, source, assessed, options, symmetry)
    narrowed = _narrowed(schedule, report, options)
    told = perf_counter()
    every_n = _every_n(schedule, report.sizes, found.results, options)
    remarks = beyond.remarks(every_n) if every_n else ()
    return replace(
        report, results=found.results, findings=(*found.findings, *narrowed, *remarks), facts=found.facts,
        seconds=(("sweep", ended - began), ("report", told - ended), ("every N", perf_counter() - told)),
        every_n=every_n,
    )  # fmt: skip


def _every_n(
    schedule: Schedule, sizes: Sequence[Size], found: Sequence[Result], options: Options
) -> Beyond | None:
    """What induction says beyond the sweep, where it is asked."""
    if not beyond.wanted(schedule, found, options):
        return None
    return beyond.beyond(schedule, sizes, found, options)


def _assess_all(
    report: Report, schedule: Schedule, options: Options, symmetry: Symmetry,
    progress: Progress | None,
) -> Iterator[Assessment]:  # fmt: skip
    from ringproof.events import reserve

    reserve(schedule, report.sizes[-1], options.settings.memory)
    for i, size in enumerate(report.sizes):
        if progress:
            progress(report.path, i, len(report.sizes))
        try:
            yield assess(schedule, size, options.settings, symmetry)
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
