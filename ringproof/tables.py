"""A table for Python: read from a file or a text, or built here, and printed as TOML again.

    >>> import ringproof
    >>> table = ringproof.load("schedules/ring.toml")
    >>> table.name, table.values["ranks"]
    ('ring all-reduce', '2..64')
    >>> ringproof.parse(table.to_toml()).values == table.values
    True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ringproof.arguments import ArgumentError, ArgumentTypeError, PathLike, path_of, text_of, whole
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import Source, read
from ringproof.table.source import parse as parsed
from ringproof.table.written import plain, written
from ringproof.verdict import Size, TableError

if TYPE_CHECKING:
    from ringproof.problem import ExpansionError

BUILT = "<python>"


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

    def _repr_pretty_(self, printer: Any, cycle: object) -> None:
        """What Hypothesis shows of a table that fails a test, and Jupyter: the call that gives it again."""
        toml = self.to_toml()
        quoted = f"'''\n{toml}'''" if "\\" not in toml and "'''" not in toml else repr(toml)
        where = "" if self.path == BUILT else f", {self.path!r}"
        printer.text(f"ringproof.parse({quoted}{where})")


def load(path: PathLike) -> Table:
    """Read a table from a file, or from standard input when the path is ``-``.

    Errors: `TableError`, whose ``findings`` say all that is wrong with the file, also that it is not
    there; `ArgumentError` for a text where its path belongs.

        >>> import ringproof
        >>> ringproof.load("schedules/ring.toml")
        Table(path='schedules/ring.toml')
        >>> ringproof.load("schedules/rang.toml")
        Traceback (most recent call last):
        ringproof.textfile.SourceError: RP001: cannot read the file: there is no such file
    """
    return _table(read(path_of(path)))


def parse(text: str, path: PathLike = BUILT) -> Table:
    """Read a table from its TOML text; ``path`` names it and is where tables that it uses are sought.

    Errors: `TableError`; `ArgumentTypeError`, `ArgumentError` for what is no text.
    """
    return _table(parsed(text_of(text), path_of(path)))


def build(values: Mapping[str, Any] | None = None, /, *, path: PathLike = BUILT, **keys: Any) -> Table:
    """Build a table in Python, of the same keys as in TOML; ``phase`` and ``send`` are lists of dicts.

    ``keys`` come after ``values`` and win.  An expression is text or a whole number.  Errors:
    `TableError` for a table that is not well-formed, with places in the TOML it stands for;
    `ArgumentTypeError` for a value that TOML has not.

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
    if not isinstance(values, Mapping | None):
        raise ArgumentTypeError(f"a table is built of a dict and of keywords, not of {type(values).__name__}")
    try:
        wanted = plain({**(values or {}), **keys})
        text = written(wanted)
    except TypeError as error:
        raise ArgumentTypeError(str(error)) from None
    except UnicodeError:
        raise ArgumentError("a text of the table is no Unicode: it has lone surrogates") from None
    except RecursionError:
        raise ArgumentError("the values are nested too deep, or hold themselves") from None
    return _table(Source(path_of(path), text, wanted))


def _table(source: Source) -> Table:
    schedule = read_schedule(source.values, source.path)
    return Table(source.path, source.text, source.values, schedule)


def table_of(table: Table | PathLike) -> Table:
    """A table, or the one at a path; errors: as `load`."""
    return table if isinstance(table, Table) else load(table)


def size_of(table: Table, N: int, params: Mapping[str, int]) -> Size:
    """The first claimed size with N ranks and these parameters; errors: `ArgumentError`, `TableError`."""
    from ringproof.cost.sizes import sizes_at, unclaimed
    from ringproof.problem import ExpansionError

    known = [loop.name for loop in table.schedule.params]
    for name in params:
        if name not in known:
            raise ArgumentError(f"the table has no parameter {name}; it has: {', '.join(known) or 'none'}")
    ranks = whole("N", N, 1)
    values = {name: whole(name, value, -(1 << 62)) for name, value in params.items()}
    try:
        sizes = sizes_at(table.schedule, ranks, values)
        if not sizes:
            why = unclaimed(table.schedule, ranks, values)
            raise ArgumentError(f"the table does not claim that size: {why}")
    except ExpansionError as error:
        raise unrolled(error, table) from None
    return sizes[0]


def unrolled(error: ExpansionError, table: Table) -> TableError:
    """What is wrong with a table that cannot be written out send by send."""
    from ringproof.diagnose.problems import problem

    return TableError(tuple(map(problem, error.problems)), table.schedule.used)
