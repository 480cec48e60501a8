"""A table for Python: read from a file or a text, or built here, and printed as TOML again.

    >>> import ringproof
    >>> table = ringproof.load("schedules/ring.toml")
    >>> table.name, table.values["ranks"]
    ('ring all-reduce', '2..64')
    >>> ringproof.parse(table.to_toml()).values == table.values
    True
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import Source, read
from ringproof.table.source import parse as parsed
from ringproof.table.written import plain, written

BUILT = "<python>"
PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Table:
    """A well-formed table: every key, expression and name of it has been read, nothing is proved yet.

    ``path`` names it in reports; tables that it uses are found from there.  ``text`` is its TOML,
    ``values`` the same as plain Python, and ``schedule`` the same with every expression parsed.
    """

    path: str
    text: str = field(repr=False)
    values: Mapping[str, Any] = field(repr=False)
    schedule: Schedule = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """What the table calls itself."""
        return self.schedule.name

    @property
    def source(self) -> Source:
        """What `ringproof.check.check` reads."""
        return Source(self.path, self.text, dict(self.values))

    def to_toml(self) -> str:
        """The table as TOML that reads back as the same ``values``; comments are not kept."""
        return written(self.values)

    def __str__(self) -> str:
        return self.to_toml()


def load(path: PathLike) -> Table:
    """Read a table from a file, or from standard input when the path is ``-``.

    Errors: `TableError`, whose ``findings`` say all that is wrong with the file.

        >>> import ringproof
        >>> ringproof.load("schedules/ring.toml")
        Table(path='schedules/ring.toml')
        >>> ringproof.load("schedules/rang.toml")
        Traceback (most recent call last):
        ringproof.textfile.SourceError: RP001: cannot read the file: there is no such file
    """
    return _table(read(os.fspath(path)))


def parse(text: str, path: str = BUILT) -> Table:
    """Read a table from its TOML text; ``path`` names it and is where tables that it uses are sought.

    Errors: `TableError`.
    """
    return _table(parsed(text, path))


def build(values: Mapping[str, Any] | None = None, /, *, path: str = BUILT, **keys: Any) -> Table:
    """Build a table in Python, of the same keys as in TOML; ``phase`` and ``send`` are lists of dicts.

    ``keys`` come after ``values`` and win.  An expression is text or a whole number.  Errors:
    `TableError` for a table that is not well-formed, with places in the TOML it stands for;
    `TypeError` for a value that TOML has not.

        >>> import ringproof
        >>> push = {"to": "(r + 1) % N", "chunk": "(r - s) % N", "op": "copy"}
        >>> table = ringproof.build(
        ...     name="ring all-gather", collective="all-gather", ranks="2..8", chunks="N",
        ...     phase=[{"name": "all-gather", "steps": "N - 1", "send": [push]}],
        ... )
        >>> print(table.to_toml())
        name       = "ring all-gather"
        collective = "all-gather"
        ranks      = "2..8"
        chunks     = "N"
        <BLANKLINE>
        [[phase]]
        name  = "all-gather"
        steps = "N - 1"
        <BLANKLINE>
          [[phase.send]]
          to    = "(r + 1) % N"
          chunk = "(r - s) % N"
          op    = "copy"
        <BLANKLINE>
        >>> ringproof.build(table.values, chunks="M")
        Traceback (most recent call last):
        ringproof.verdict.TableError: RP106: unknown name `M`
    """
    wanted = plain({**(values or {}), **keys})
    return _table(Source(path, written(wanted), wanted))


def _table(source: Source) -> Table:
    schedule = read_schedule(source.values, source.path)
    return Table(source.path, source.text, source.values, schedule)
