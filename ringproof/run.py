"""`check` over files and folders: find the tables, check them on all cores, print one report."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import click

from ringproof.assess import Settings
from ringproof.check import Options, check_file
from ringproof.codes import CODES, find
from ringproof.report import concise, json, text
from ringproof.simulate import Optional
from ringproof.verdict import Exit, Finding, Report, worst


def run_check(paths: Sequence[str], given: Mapping[str, Any]) -> Exit:
    """Check everything under ``paths`` and write the report; returns the worst exit code."""
    options = _options(given)
    files = list(tables(paths))
    jobs = min(given["jobs"] or os.cpu_count() or 1, len(files))
    reports = list(_checked(files, options, jobs))
    rendered = _render(reports, given)
    if given["output"] is None:
        click.echo(rendered, nl=False, color=True)
    else:
        _write(given["output"], rendered)
    return worst([report.exit for report in reports])


def _options(given: Mapping[str, Any]) -> Options:
    names = tuple(n for n in ("used", "order", "no_swap") if given[n])
    wanted = Optional(tuple(n.replace("_", "-") for n in names), given["ports"] or 0)
    symmetry = "none" if given["no_symmetry"] else "auto"
    settings = Settings(wanted, given["timeout"], given["memory"], symmetry)  # type: ignore[arg-type]
    return Options(settings, given["ranks"])


def tables(paths: Sequence[str]) -> Iterator[str | Report]:
    """The files to check, in order; a folder without tables is a report of its own."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        found = sorted(str(p) for p in Path(path).rglob("*.toml"))
        if not found:
            finding = Finding("RP004", "the folder has no tables (files named *.toml)")
            yield Report(path, "", "", "", findings=(finding,))
        yield from found


def _checked(files: Sequence[str | Report], options: Options, jobs: int) -> Iterator[Report]:
    progress = _Progress(len(files))
    try:
        if jobs <= 1:
            for i, file in enumerate(files):
                yield file if isinstance(file, Report) else check_file(
                    file, options, partial(progress.size, i)
                )
            return
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(jobs) as pool:
            waiting = [f if isinstance(f, Report) else pool.submit(check_file, f, options)
                       for f in files]  # fmt: skip
            for i, item in enumerate(waiting):
                progress.size(i, str(files[i]), 0, 1)
                yield item if isinstance(item, Report) else item.result()
    finally:
        progress.done()


class _Progress:
    """One line on a terminal's stderr, from the second second on."""

    def __init__(self, files: int) -> None:
        self.files = files
        self.shown = False
        self.next = monotonic() + 1.0
        self.live = sys.stderr.isatty()

    def size(self, file: int, path: str, done: int, total: int) -> None:
        if not self.live or (now := monotonic()) < self.next:
            return
        self.next, self.shown = now + 0.1, True
        part = f"[{file + 1}/{self.files}] " if self.files > 1 else ""
        width = 24
        filled = width * done // max(total, 1)
        bar = "#" * filled + "." * (width - filled)
        click.echo(f"\r\x1b[K{part}{path}  {bar}  {done}/{total} sizes", nl=False, err=True)

    def done(self) -> None:
        if self.shown:
            click.echo("\r\x1b[K", nl=False, err=True)


def _render(reports: Sequence[Report], given: Mapping[str, Any]) -> str:
    if given["form"] == "json":
        return json.render(reports)
    if given["form"] == "concise":
        return concise.render(reports)
    detail = "quiet" if given["quiet"] else "verbose" if given["verbose"] else "normal"
    return text.render(reports, style=style(given["color"], given["output"]), detail=detail)  # type: ignore[arg-type]


def style(color: str, output: str | None = None) -> text.Style:
    """Whether to colour: as asked, else on a terminal; NO_COLOR and FORCE_COLOR as usual."""
    if color != "auto":
        return "color" if color == "always" else "plain"
    if os.environ.get("NO_COLOR"):
        return "plain"
    if os.environ.get("FORCE_COLOR"):
        return "color"
    return "color" if output is None and sys.stdout.isatty() else "plain"


def _write(path: str, rendered: str) -> None:
    try:
        Path(path).write_text(rendered, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {(error.strerror or '').lower()}") from None


def run_explain(code: str | None) -> Exit:
    """Print what one code means, or all codes a line each."""
    if code is None:
        for entry in CODES.values():
            click.echo(f"{entry.code}  {entry.name:<24}  {entry.summary}")
        return Exit.PROVED
    found = find(code)
    if found is None:
        raise click.UsageError(f"unknown code {code!r}; `ringproof explain --all` lists them")
    click.echo(f"{found.code} {found.name}: {found.summary}\n\n{found.explanation.strip()}")
    return Exit.PROVED
