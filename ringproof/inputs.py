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
        found = [path]
        if path != "-" and os.path.isdir(path):
            found = sorted(str(p) for p in Path(path).rglob("*") if p.suffix.lower() in endings)
            if not found:
                named = " or ".join(f"*{ending}" for ending in endings)
                finding = Finding("RP004", f"the folder has no tables (files named {named})")
                yield Report(path, "", "", "", findings=(finding,))
        for file in found:
            if os.path.normpath(file) not in told:
                told.add(os.path.normpath(file))
                yield file if file == path or not _waits(file) else _unread(file)


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
