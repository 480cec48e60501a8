"""The command line: click commands -> calls -> an exit code.

Nothing heavy is imported here; every command imports what it needs.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any, ClassVar

import click

from ringproof.verdict import Exit

Ranks = tuple[tuple[int, int], ...]


class RanksType(click.ParamType[Ranks]):
    """``8``, ``2..8`` or ``4,64``: inclusive ranges of N."""

    name = "N"

    def convert(self, value: Any, param: Any, ctx: Any) -> Ranks:
        if isinstance(value, tuple):
            return value
        ranges = []
        for piece in str(value).split(","):
            lo, dots, hi = piece.strip().partition("..")
            try:
                ends = int(lo), int(hi if dots else lo)
            except ValueError:
                self.fail(f"{piece!r} is not a number or a range such as 2..8", param, ctx)
            if ends[0] < 1 or ends[1] < ends[0]:
                self.fail(f"{piece!r} is an empty range of ranks", param, ctx)
            ranges.append(ends)
        return tuple(ranges)


class BytesType(click.ParamType[float]):
    """A number of bytes: ``4GiB``, ``512MiB``, ``1000000``."""

    name = "SIZE"
    units: ClassVar[dict[str, int]] = {
        "": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
    }  # fmt: skip

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        if isinstance(value, float):
            return value
        text = str(value).strip()
        number = text.rstrip("BKMGTi")
        unit = text[len(number) :]
        try:
            count = float(number) * self.units[unit]
        except (ValueError, KeyError):
            self.fail(f"{text!r} is not a size such as 4GiB", param, ctx)
        if not 0 < count < 1 << 60:
            self.fail(f"{text!r} is out of range", param, ctx)
        return count


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(None, "--version", package_name="ringproof", message="%(prog)s %(version)s")
def cli() -> None:
    """Prove schedules of collective communication right, or show where they are wrong.

    Exit codes: 0 proved, 1 refuted, 2 cannot check, 3 undecided or nothing to prove, 101 internal
    error, 130 interrupted.
    """


_COLOR = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto",
                      help="Colour the report (default: on a terminal, unless NO_COLOR is set).")  # fmt: skip


@cli.command()
@click.argument("paths", nargs=-1, metavar="[FILE|DIR|-]...")
@click.option("-N", "ranks", type=RanksType(), default=(), metavar="N",
              help="Only these rank counts: 8, 2..8 or 4,64.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=20.0, metavar="SECONDS",
              help="For each Z3 query (default: 20).")  # fmt: skip
@click.option("-j", "--jobs", type=click.IntRange(1), default=None, metavar="JOBS",
              help="Processes (default: one a core, as far as there are tables).")  # fmt: skip
@click.option("--no-symmetry", is_flag=True, help="Give every chunk to Z3, not one of each shape.")
@click.option("--used", is_flag=True, help="Also: every value sent reaches a promised slot.")
@click.option("--ports", type=click.IntRange(1), default=None, metavar="K",
              help="Also: at most K partners a step, each way.")  # fmt: skip
@click.option("--order", is_flag=True, help="Also: all ranks add in the same order.")
@click.option("--no-swap", is_flag=True, help="Also: no slot is written while a message reads it.")
@click.option("--memory", type=BytesType(), default=float(4 << 30), metavar="SIZE",
              help="Refuse replays that need more (default: 4GiB).")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "concise", "json"]), default="text",
              help="Of the report.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False), default=None, metavar="FILE",
              help="Write the report here.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Say only what is not proved.")
@click.option("-v", "--verbose", is_flag=True, help="Add times and where to read on.")
@_COLOR
def check(paths: tuple[str, ...], **given: Any) -> None:
    """Prove every table, or show where it is wrong.

    Checks the tables in schedules/ when no FILE or DIR is given; - is standard input.
    """
    from ringproof.run import run_check

    if given["quiet"] and given["verbose"]:
        raise click.UsageError("--quiet and --verbose exclude each other")
    raise click.exceptions.Exit(run_check(paths or ("schedules",), given))


@cli.command()
@click.argument("path", metavar="FILE|-")
@click.option("-N", "ranks", type=click.IntRange(1), required=True, metavar="N", help="Rank count.")
@click.option("-p", "--param", "params", multiple=True, metavar="NAME=VALUE",
              help="Value of a parameter (default: its first).")  # fmt: skip
@click.option("--chunk", type=click.IntRange(0), default=None, help="Only this chunk.")
@click.option("--rank", type=click.IntRange(0), default=None, help="Only this rank's sends and slots.")
def trace(path: str, ranks: int, params: tuple[str, ...], chunk: int | None, rank: int | None) -> None:
    """Print every step in words, and what each slot then holds."""
    from ringproof.trace import run_trace

    raise click.exceptions.Exit(run_trace(path, ranks, params, chunk, rank))


@cli.command()
@click.argument("code", required=False)
@click.option("--all", "everything", is_flag=True, help="List every code.")
def explain(code: str | None, everything: bool) -> None:
    """Say what a code such as RP301 means, with an example."""
    from ringproof.run import run_explain

    if (code is None) == (not everything):
        raise click.UsageError("give one CODE, or --all")
    raise click.exceptions.Exit(run_explain(code))


@cli.command()
@click.argument("path", metavar="FILE|-")
@click.option("--mutants", type=click.IntRange(1), default=500, help="How many (default: 500).")
@click.option("--seed", type=int, default=0, help="Of the choice (default: 0).")
@click.option("-v", "--verbose", is_flag=True, help="List every survivor.")
def fuzz(path: str, mutants: int, seed: int, verbose: bool) -> None:
    """Change a right table in many small ways: every change must be refuted, or proved harmless."""
    from ringproof.fuzz import run_fuzz

    raise click.exceptions.Exit(run_fuzz(path, mutants, seed, "verbose" if verbose else "normal"))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; no exception leaves it."""
    try:
        code = cli.main(arguments, prog_name="ringproof", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return Exit.CANNOT_CHECK
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return Exit.INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.INTERNAL
    except Exception as error:
        return _internal(error)


def _internal(error: Exception) -> Exit:
    """A bug of ours: one short report, never a traceback unless RINGPROOF_DEBUG is set."""
    if os.environ.get("RINGPROOF_DEBUG"):
        traceback.print_exception(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(where.filename)}:{where.lineno}"
    click.echo(f"internal error: {type(error).__name__}: {error} ({place})", err=True)
    click.echo("nothing is claimed; please report this with the table", err=True)
    return Exit.INTERNAL
