"""What a command line names: files, folders and standard input, each a table or a program."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from ringproof.assess import Options
from ringproof.table.source import Source, parse
from ringproof.textfile import LARGEST, LARGEST_PROGRAM, SourceError, read_text, too_large
from ringproof.verdict import Finding, Report

USUAL_FOLDER = "schedules"
TABLES, PROGRAMS = (".toml",), (".xml",)


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program that was read from standard input or another pipe; it begins as XML does."""

    path: str
    text: str


Item = str | Source | ProgramText | Report
Kind = Literal["table", "program"]


def usual() -> tuple[str]:
    """The folder to take where no path is given; errors: `UsageError` when it is not there."""
    if not os.path.isdir(USUAL_FOLDER):
        raise click.UsageError(f"give a FILE or a folder: there is no folder {USUAL_FOLDER}/ here")
    return (USUAL_FOLDER,)


def tables(paths: Sequence[str], endings: Sequence[str] = TABLES) -> Iterator[str | Report]:
    """The files to check, in order, each once; a folder without any is a report of its own."""
    told: set[str] = set()
    for path in paths:
        if not path:
            raise click.UsageError("a path is empty")
        found: list[str | Report] = [path]
        if path != "-" and os.path.isdir(path):
            found = _within(path, endings)
        for file in found:
            name = os.path.normpath(path_of(file))
            if name not in told:
                told.add(name)
                waits = isinstance(file, str) and file != path and _waits(file)
                yield _unread(name) if waits else file


def _within(folder: str, endings: Sequence[str]) -> list[str | Report]:
    """The files below a folder, in order; links to folders are not followed.

    A folder below it that cannot be read is a report: what is in it is not proved.
    """
    closed: list[OSError] = []
    found: list[str | Report] = []
    for where, _, names in os.walk(folder, onerror=closed.append):
        fitting = [name for name in names if os.path.splitext(name)[1].lower() in endings]
        found += [str(Path(where, name)) for name in fitting]
    found += [_closed(error) for error in closed]
    if not found:
        named = " or ".join(f"*{ending}" for ending in endings)
        finding = Finding("RP004", f"the folder has no tables (files named {named})")
        found = [Report(folder, "", "", "", findings=(finding,))]
    return sorted(found, key=path_of)


def _closed(error: OSError) -> Report:
    denied = isinstance(error, PermissionError)
    why = "you have no permission to read it" if denied else str(error.strerror).lower()
    finding = Finding("RP001", f"cannot read the folder: {why}")
    return Report(os.fsdecode(error.filename), "", "", "", findings=(finding,))


def _waits(path: str) -> bool:
    """Whether whoever opens this may wait for ever: a pipe or a device, which a folder has by mistake."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _unread(path: str) -> Report:
    finding = Finding("RP001", "cannot read the file: it is no regular file")
    return Report(path, "", "", "", findings=(finding,))


def is_program(path: str) -> bool:
    """Whether a file is read as a program."""
    return path.lower().endswith(PROGRAMS)


def path_of(item: Item) -> str:
    """What a file is called."""
    return item if isinstance(item, str) else item.path


def kind_of(item: Item) -> Kind:
    """Whether an input is read as a program or as a table."""
    if isinstance(item, Source):
        return "table"
    return "program" if isinstance(item, ProgramText) or is_program(path_of(item)) else "table"


def item(path: str) -> Item:
    """What a path names, to be checked by whichever process; what can be read only once is read here."""
    if path != "-" and not _waits(path):
        return path
    try:
        called, text = read_text(path, LARGEST_PROGRAM)
        if text.lstrip().startswith("<"):
            return ProgramText(called, text)
        if len(text) > LARGEST:
            raise SourceError(called, too_large(LARGEST))
        return parse(text, called)
    except SourceError as error:
        return Report(error.path, "", error.text, "", findings=error.findings)


def check_item(item: ProgramText | str, options: Options) -> Report:
    """Check one program; whatever is wrong with it is in the report."""
    from ringproof.check_program import check_program

    given = options.program, options.ranks, options.settings.memory
    if isinstance(item, ProgramText):
        return check_program(item.path, item.text, *given)
    try:
        called, text = read_text(item, LARGEST_PROGRAM)
    except SourceError as error:
        return Report(error.path, "", error.text, "", findings=error.findings, kind="program")
    return check_program(called, text, *given)
