"""`ringproof figures` and `verify-figure`: the kept pictures are drawn again, and read back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ringproof.options import TABLE
from ringproof.output import aside, reader_may_leave, say
from ringproof.verdict import Exit, Finding

LARGEST = 32 << 20  # bytes of a picture


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-o", "--output", "folder", default="figures", metavar="DIR",
              help="Where to write them (default: figures).")  # fmt: skip
def figures(names: tuple[str, ...], folder: str) -> None:
    """Draw the figures of this repository again, as SVG and DOT: all, or those named.  Run it at its root."""
    raise click.exceptions.Exit(run_figures(names, folder))


@click.command("verify-figure")
@click.argument("paths", type=TABLE, nargs=-1, required=True, metavar="FILE.svg...")
@click.option("--table", "tables", multiple=True, metavar="FILE",
              help="Also: they are of this table, proved again; twice for a comparison.")  # fmt: skip
def verify_figure(paths: tuple[str, ...], tables: tuple[str, ...]) -> None:
    """Read pictures back: the sends and slots of the ink are run again and compared with the file's claim.

    Exit code 0: as drawn; 1: something was changed; 2: no picture of ringproof's.
    """
    raise click.exceptions.Exit(run_verify_figure(paths, tables))


def run_figures(names: Sequence[str], folder: str) -> Exit:
    """Write every figure that is asked for, or none."""
    import os
    from importlib.metadata import version

    from ringproof.figure.gallery import gallery
    from ringproof.figure.prepare import CannotDrawError, NotProvedError
    from ringproof.figure.render import RenderError
    from ringproof.outfile import TargetError, writable, write

    if not os.path.isdir("schedules") or not os.path.isdir("tests"):
        raise click.UsageError("the tables are not here: run it at the root of the repository")
    try:
        writable(os.path.join(folder, "x.svg"), (), "")
        drawn = gallery(names, version("ringproof"))
        made = [(os.path.join(folder, name), content, shows) for name, content, shows in drawn]
        write({path: content for path, content, _ in made})
    except NotProvedError as error:
        return not_drawn(error)
    except (CannotDrawError, TargetError, RenderError) as error:
        raise click.UsageError(str(error)) from None
    for path, _, shows in made:
        say(f"{path}: {shows}")
    return Exit.PROVED


def run_verify_figure(paths: Sequence[str], tables: Sequence[str]) -> Exit:
    """Read every picture back; the worst exit code."""
    from ringproof.verdict import worst

    return worst([_verified(path, tables) for path in paths])


def _verified(path: str, tables: Sequence[str]) -> Exit:
    """Read one picture back, and say what is wrong with it."""
    from ringproof.figure.origin import strangers
    from ringproof.figure.prepare import CannotDrawError, NotProvedError
    from ringproof.figure.verify import verify
    from ringproof.textfile import SourceError, read_text

    try:
        found = verify(read_text(path, LARGEST)[1])
        wrong = list(found.wrong)
        if tables and not wrong:
            wrong += strangers(found.metadata, tables)
        unknown, place = found.foreign, "{}:{}".format(*found.place)
    except NotProvedError as error:
        return not_drawn(error)
    except CannotDrawError as error:
        unknown, wrong, place = str(error), [], ""
    except SourceError as error:
        unknown, wrong, place = error.findings[0].title, [], _place(error.findings[0])
    if unknown:
        say(f"{path}{place and ':'}{place}: cannot check: {unknown}")
        return Exit.CANNOT_CHECK
    for why in wrong:
        say(f"{path}: WRONG: {why}")
    if not wrong:
        say(f"{path}: as drawn: {found.told}" + (f"; of {' and '.join(tables)}" if tables else ""))
    return Exit.REFUTED if wrong else Exit.PROVED


def _place(finding: Finding) -> str:
    """Line and column of a finding about a file that could not be read as text."""
    from ringproof.verdict import Spot

    spot = finding.primary.place if finding.primary else None
    return f"{spot.line}:{spot.column}" if isinstance(spot, Spot) else ""


def not_drawn(error: Any) -> Exit:
    """Print why a table is not drawn, and its exit code."""
    from ringproof.report import text

    with reader_may_leave():
        click.echo(text.render([error.report]), nl=False)
    if error.report.exit is Exit.REFUTED:
        aside("nothing is drawn: the table is refuted; --counterexample draws where")
    code: Exit = error.report.exit
    return code
