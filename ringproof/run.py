"""`check` over files and folders: find the tables, check them on all cores, print one report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from ringproof.applies import fitting, noted
from ringproof.assess import Options, Settings
from ringproof.codes import CODES, find
from ringproof.executors.progress import Progress, form_here
from ringproof.executors.task import check_one, check_one_of_many
from ringproof.inputs import PROGRAMS, TABLES, Item, item, tables, usual
from ringproof.interrupt import last_words
from ringproof.outfile import TargetError, writable
from ringproof.output import aside, say
from ringproof.program.asked import Asked
from ringproof.simulate import Optional
from ringproof.table.misread import closest
from ringproof.table.source import SourceError, read
from ringproof.tell import Teller
from ringproof.verdict import Exit, Report, TableError


def run_check(paths: Sequence[str], given: Mapping[str, Any]) -> Exit:
    """Check everything under ``paths`` and write the report; returns the worst exit code."""
    try:
        options = _options(given)
    except TableError as error:
        called, text = getattr(error, "path", given["post"]), getattr(error, "text", "")
        return _refused(Report(called, "", text, "", findings=error.findings), given)
    output = None if given["output"] == "-" else given["output"]
    found = list(tables(paths or usual(), (*TABLES, *PROGRAMS)))
    if output is not None:
        _writable(output, found)
    files = [item(file) if isinstance(file, str) else file for file in found]
    fitting(files, given["given"])
    progress = Progress(len(files), "none" if given["quiet"] else form_here())
    teller = Teller(files, given, output, progress)
    try:
        with last_words(teller.interrupted):
            for i, report in _checked(files, options, given, progress):
                teller.add(i, noted(report, given["given"]))
            return teller.end()
    finally:
        progress.close()


def _refused(report: Report, given: Mapping[str, Any]) -> Exit:
    """Tell what is wrong with a file that says what to check."""
    teller = Teller([report], given, None, Progress(1, "none"))
    teller.add(0, report)
    return teller.end()


def _checked(
    files: Sequence[Item], options: Options, given: Mapping[str, Any], progress: Progress
) -> Iterator[tuple[int, Report]]:
    """The report on each file as it is done, by whoever is asked to check."""
    if given["executor"] == "dask":
        from ringproof.executors.cluster import on_cluster
        from ringproof.executors.connection import LostCluster, NoCluster

        try:
            yield from on_cluster(files, options, given["scheduler"])
        except NoCluster as error:
            raise click.ClickException(str(error)) from None
        except LostCluster as error:  # every file has a report
            with progress.aside():
                aside(f"Error: {error}")
        return
    jobs = min(given["jobs"] or os.cpu_count() or 1, len(files))
    if jobs > 1:
        from ringproof.executors.pool import in_processes

        yield from in_processes(files, options, jobs)
        return
    one = check_one if len(files) == 1 else check_one_of_many
    for i, file in enumerate(files):
        yield i, one(file, options, progress.size)


def _options(given: Mapping[str, Any]) -> Options:
    names = tuple(n for n in ("used", "order", "no_swap") if given[n])
    wanted = Optional(tuple(n.replace("_", "-") for n in names), given["ports"] or 0)
    symmetry = "none" if given["no_symmetry"] else "auto"
    settings = Settings(wanted, given["timeout"], given["memory"], symmetry)  # type: ignore[arg-type]
    ranks = tuple(span for spans in given["ranks"] for span in spans)
    induction = "demanded" if given["every_n"] else "never" if given["bounded"] else "auto"
    return Options(
        settings, ranks, induction=induction, seconds=given["induction"], program=_asked(given)  # type: ignore[arg-type]
    )


def _asked(given: Mapping[str, Any]) -> Asked:
    """What is asked of programs; errors: `TableError` about the file of the wanted result."""
    wanted = None
    if given["post"] is not None:
        from ringproof.program.post import read_post

        source = read(given["post"])
        try:
            wanted = read_post(source.values)
        except TableError as error:
            raise SourceError(source.path, error.findings[0], source.text) from error
    z3 = "always" if given["z3"] else "auto"
    return Asked(given["collective"] or "", wanted, given["runtime"], z3, given["timeout"])  # type: ignore[arg-type]


def _writable(path: str, found: Sequence[str | Report]) -> None:
    """Say at once, not after the work, that a report could not or should not be written there."""
    try:
        writable(path, [file for file in found if isinstance(file, str)],
                 f"the report would overwrite the table {path}")  # fmt: skip
    except TargetError as error:
        raise click.UsageError(str(error)) from None


def run_explain(code: str | None) -> Exit:
    """Print what one code means, or all codes a line each."""
    if code is None:
        say("\n".join(f"{entry.code}  {entry.name:<24}  {entry.summary}" for entry in CODES.values()))
        return Exit.PROVED
    found = find(code)
    if found is None:
        near = closest(code, [entry.name for entry in CODES.values()])
        hint = f"{near} " if near else ""
        raise click.UsageError(f"unknown code {code!r}; {hint}`ringproof explain --all` lists them")
    say(f"{found.code} {found.name}: {found.summary}\n\n{found.explanation.strip()}")
    return Exit.PROVED
