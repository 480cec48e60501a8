"""What an open document is: a table, a program, or a file of somebody else that is left alone."""

from __future__ import annotations

import re
from typing import Literal

from ringproof.inputs import PROGRAMS, TABLES, ProgramText
from ringproof.table.reader import read_schedule
from ringproof.table.scope import KEYS
from ringproof.table.source import Source, parse
from ringproof.textfile import LARGEST, LARGEST_PROGRAM, too_large
from ringproof.verdict import Finding, Report, TableError

Kind = Literal["table", "program", ""]
AT_ONCE = 1 << 16  # characters of a table that is read at every letter; a longer one waits for a pause
# Blanks, not all white space: many empty lines would be read once for each of them.
_TABLE = re.compile(r"^[ \t]*(?:collective[ \t]*=|\[\[[ \t]*phase\b)", re.MULTILINE)
_BEGUN = re.compile(r"^[ \t]*(?:\[\[?[ \t]*)?([A-Za-z_][\w-]*)[ \t]*[]=.]", re.MULTILINE)
_PROGRAM = re.compile(r"<algo\b")


def kind_of(text: str, path: str, language: str) -> Kind:
    """What a document is, by its name, else by what the editor takes it for, and by its text."""
    ending = next((e for e in (*TABLES, *PROGRAMS) if path.lower().endswith(e)), f".{language}")
    if ending in PROGRAMS:
        return "program" if _PROGRAM.search(text) else ""
    return "table" if _TABLE.search(text) else ""


def may_become_table(text: str, path: str, language: str) -> bool:
    """Whether this is a table, or TOML that so far has nothing but keys and headers of one."""
    kind = kind_of(text, path, language)
    if kind or (path.lower().endswith(PROGRAMS)) or not (path.lower().endswith(TABLES) or language == "toml"):
        return kind == "table"
    begun = {found[1] for found in _BEGUN.finditer(text)}
    return begun <= set(KEYS["table"])


def plain(text: str) -> str:
    """A text as `parse` keeps it: places count its lines."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def item_of(text: str, path: str, kind: Kind) -> Source | ProgramText | Report:
    """What there is to check in a table or program, or the report on it where it cannot be read.

    A program is read with care where it is checked: it may be long.
    """
    largest = LARGEST_PROGRAM if kind == "program" else LARGEST
    if len(text) > largest or len(text.encode("utf-8", "surrogatepass")) > largest:
        return _unread(path, "", kind, (too_large(largest),))
    if kind == "program":
        return ProgramText(path, text.removeprefix("\ufeff"))
    try:
        source = parse(text, path)
        read_schedule(source.values, path)
    except TableError as error:
        return _unread(path, plain(text), kind, error.findings, error)
    return source


def _unread(
    path: str, text: str, kind: Kind, findings: tuple[Finding, ...], error: TableError | None = None
) -> Report:
    used = error.used if error else ()
    return Report(path, "", text, "", findings=findings, used=used, kind=kind or "table")
