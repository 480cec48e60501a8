"""`check` over files and folders: find the tables, check them on all cores, print one report."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import click

from ringproof.assess import Options, Settings
from ringproof.check import Progress, check, check_file
from ringproof.codes import CODES, find
from ringproof.diagnose.problems import out_of_memory
from ringproof.inputs import PROGRAMS, TABLES, Item, ProgramText, check_item, is_program, stdin, tables, usual
from ringproof.output import reader_may_leave
from ringproof.program.asked import Asked
from ringproof.report import renderer, text
from ringproof.report.properties import Detail
from ringproof.simulate import Optional
from ringproof.table.misread import closest
from ringproof.table.source import Source, SourceError, read
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
    jobs = min(given["jobs"] or os.cpu_count() or 1, len(files))
    return _told(list(_checked(files, options, jobs)), given, output)


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


def _checked(items: Sequence[Item], options: Options, jobs: int) -> Iterator[Report]:
    progress = _Progress(len(items))
    try:
        if jobs <= 1:
            for i, item in enumerate(items):
                yield _one(item, options, partial(progress.size, i))
            return
        yield from _in_parallel(items, options, jobs, progress)
    finally:
        progress.done()


def _one(item: Item, options: Options, progress: Progress | None = None) -> Report:
    """Check one table; a machine without enough memory is no mistake of ringproof."""
    try:
        if isinstance(item, Report):
            return item
        if isinstance(item, Source):
            return check(item, options, progress)
        if isinstance(item, ProgramText) or is_program(item):
            return check_item(item, options)
        return check_file(item, options, progress)
    except MemoryError:
        path = getattr(item, "path", item)
        return Report(str(path), "", "", "", findings=(out_of_memory(options.settings.memory),))
    except Exception as error:
        error.add_note(f"while checking {getattr(item, 'path', item)}")
        raise


def _weight(item: Item, options: Options) -> float:
    from ringproof.weigh import weight

    if isinstance(item, Report | ProgramText):
        return 0.0
    if isinstance(item, str) and is_program(item):
        return os.path.getsize(item) / 100 if os.path.exists(item) else 0.0  # bytes a step
    return weight(item, options)


def _in_parallel(
    items: Sequence[Item], options: Options, jobs: int, progress: _Progress
) -> Iterator[Report]:
    """The same on several processes, none of which outlives an error or an interruption."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children

    done = False
    pool = ProcessPoolExecutor(jobs, initializer=signal.signal,
                               initargs=(signal.SIGINT, signal.SIG_DFL))  # fmt: skip
    try:
        # The heaviest first: a long table that starts last keeps one core busy and the others idle.
        heavy = sorted(range(len(items)), key=lambda i: -_weight(items[i], options))
        waiting = {i: pool.submit(_one, items[i], options) for i in heavy}
        for i, item in enumerate(items):
            progress.size(i, str(getattr(item, "path", item)), i, len(items))
            yield waiting[i].result()
        done = True
    except BrokenProcessPool as error:
        error.add_note("a process died, perhaps for want of memory: try -j 1")
        raise
    finally:
        for child in () if done else active_children():
            child.terminate()
        pool.shutdown(cancel_futures=True)


class _Progress:
    """One line on a terminal's stderr, from the second second on."""

    def __init__(self, files: int) -> None:
        self.files = files
        self.shown = False
        self.next = monotonic() + 1.0
        self.live = sys.stderr is not None and sys.stderr.isatty()

    def size(self, file: int, path: str, done: int, total: int) -> None:
        if not self.live or (now := monotonic()) < self.next:
            return
        self.next, self.shown = now + 0.1, True
        part = f"[{file + 1}/{self.files}] " if self.files > 1 else ""
        width = 24
        filled = width * done // max(total, 1)
        bar = "#" * filled + "." * (width - filled)
        click.echo(f"\r\x1b[K{part}{path}  {bar}  {done}/{total}", nl=False, err=True)

    def done(self) -> None:
        if self.shown:
            click.echo("\r\x1b[K", nl=False, err=True)


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
