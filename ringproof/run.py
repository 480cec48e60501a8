"""`check` over files and folders: find the tables, check them on all cores, print one report."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ringproof.applies import fitting, noted
from ringproof.assess import Options, Settings
from ringproof.codes import CODES, find
from ringproof.diagnose.problems import not_reached
from ringproof.executors.progress import Progress
from ringproof.executors.task import check_one, path_of
from ringproof.inputs import PROGRAMS, TABLES, Item, stdin, tables, usual
from ringproof.interrupt import last_words
from ringproof.output import reader_may_leave
from ringproof.program.asked import Asked
from ringproof.report import renderer, text
from ringproof.report.properties import Detail
from ringproof.simulate import Optional
from ringproof.table.misread import closest
from ringproof.table.source import SourceError, read
from ringproof.verdict import Exit, Report, TableError, worst


def run_check(paths: Sequence[str], given: Mapping[str, Any]) -> Exit:
    """Check everything under ``paths`` and write the report; returns the worst exit code."""
    try:
        options = _options(given)
    except TableError as error:
        called, text = getattr(error, "path", given["post"]), getattr(error, "text", "")
        return _told([Report(called, "", text, "", findings=error.findings)], given, None)
    output = None if given["output"] == "-" else given["output"]
    found = list(tables(paths or usual(), (*TABLES, *PROGRAMS)))
    if output is not None:
        _writable(output, found)
    files: list[Item] = [stdin() if file == "-" else file for file in found]
    fitting(files, given["given"])
    done: dict[int, Report] = {}
    with last_words(lambda: _tell_done(files, dict(done), given, output)):
        _check_all(files, options, given, done)
    return _told([done[i] for i in range(len(files))], given, output)


def _check_all(
    files: Sequence[Item], options: Options, given: Mapping[str, Any], done: dict[int, Report]
) -> None:
    """Check all files, by whom it is asked; every report is put into ``done`` when it is there."""
    progress = Progress(len(files))
    try:
        for i, report in _checked(files, options, given, progress):
            done[i] = noted(report, given["given"])
            progress.file(report.path)
    finally:
        progress.clear()


def _checked(
    files: Sequence[Item], options: Options, given: Mapping[str, Any], progress: Progress
) -> Iterator[tuple[int, Report]]:
    if given["executor"] == "dask":
        from ringproof.executors.cluster import NoCluster, on_cluster

        try:
            yield from on_cluster(files, options, given["scheduler"])
        except NoCluster as error:
            raise click.ClickException(str(error)) from None
        return
    jobs = min(given["jobs"] or os.cpu_count() or 1, len(files))
    if jobs > 1:
        from ringproof.executors.pool import in_processes

        yield from in_processes(files, options, jobs)
        return
    for i, file in enumerate(files):
        yield i, check_one(file, options, progress.size)


def _tell_done(
    files: Sequence[Item], done: Mapping[int, Report], given: Mapping[str, Any], output: str | None
) -> None:
    """Tell what is done when an interruption comes, and of the rest that it is not."""
    if not done and given["form"] == "text" and output is None:
        return
    left = {i: Report(path_of(file), "", "", "", findings=(not_reached(),))
            for i, file in enumerate(files) if i not in done}  # fmt: skip
    try:
        _told([{**left, **done}[i] for i in range(len(files))], given, output)
    except click.ClickException as error:
        error.show()


def _told(reports: Sequence[Report], given: Mapping[str, Any], output: str | None) -> Exit:
    """Write the report, and return the worst exit code."""
    rendered = _render(reports, given, output)
    if output is None:
        with reader_may_leave():
            click.echo(rendered, nl=False, color=True)
    else:
        _write(output, rendered)
    return worst([report.exit for report in reports])


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


def _render(reports: Sequence[Report], given: Mapping[str, Any], output: str | None) -> str:
    detail: Detail = "quiet" if given["quiet"] else "verbose" if given["verbose"] else "normal"
    if given["form"] == "sarif":
        from ringproof.report import sarif

        return sarif.render(reports, detail=detail)
    if given["form"] != "text":
        return renderer(given["form"])(reports)
    return text.render(reports, style=style(given["color"], output), detail=detail)


def style(color: str, output: str | None = None) -> text.Style:
    """Whether to colour: as asked, else on a terminal; NO_COLOR and FORCE_COLOR as usual."""
    if color != "auto":
        return "color" if color == "always" else "plain"
    if output is not None or os.environ.get("NO_COLOR"):
        return "plain"
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return "color"
    terminal = output is None and sys.stdout is not None and sys.stdout.isatty()
    return "color" if terminal and os.environ.get("TERM") != "dumb" else "plain"


def _writable(path: str, tables: Sequence[str | Report]) -> None:
    """Say at once, not after the work, that a report could not or should not be written there."""
    if any(isinstance(t, str) and os.path.realpath(t) == os.path.realpath(path) for t in tables):
        raise click.UsageError(f"the report would overwrite the table {path}")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise click.UsageError(f"cannot write {path}: there is no folder {folder}")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise click.UsageError(f"cannot write {path}: you have no permission to")


def _write(path: str, rendered: str) -> None:
    try:
        Path(path).write_text(rendered, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {(error.strerror or '').lower()}") from None


def run_explain(code: str | None) -> Exit:
    """Print what one code means, or all codes a line each."""
    with reader_may_leave():
        if code is None:
            for entry in CODES.values():
                click.echo(f"{entry.code}  {entry.name:<24}  {entry.summary}")
            return Exit.PROVED
        found = find(code)
        if found is None:
            near = closest(code, [entry.name for entry in CODES.values()])
            hint = f"{near} " if near else ""
            raise click.UsageError(f"unknown code {code!r}; {hint}`ringproof explain --all` lists them")
        click.echo(f"{found.code} {found.name}: {found.summary}\n\n{found.explanation.strip()}")
    return Exit.PROVED
