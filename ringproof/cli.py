"""The command line: click commands -> calls -> an exit code.

Nothing heavy is imported here; every command imports what it needs.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from contextlib import suppress
from io import TextIOWrapper
from typing import Any

import click

from ringproof.bound.command import bound
from ringproof.certify.command import certify, verify
from ringproof.convert.command import convert
from ringproof.cost.command import cost
from ringproof.figure.command import draw
from ringproof.figure.upkeep import figures, verify_figure
from ringproof.lsp.command import lsp
from ringproof.options import (
    COLLECTIVES,
    COLOR,
    TABLE,
    BytesType,
    CodeType,
    ParameterType,
    RanksType,
    SecondsType,
    written_out,
)
from ringproof.output import aside, say
from ringproof.report import FORMATS
from ringproof.verdict import Exit

_FULL = {getattr(errno, name, 0) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO")}


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from ringproof.version import versions

        say("\n".join(versions()))
        ctx.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
              help="Say which ringproof this is, and with which solvers.")  # fmt: skip
def cli() -> None:
    """Prove schedules of collective communication right, or show where they are wrong.

    Exit codes: 0 proved, 1 refuted, 2 cannot check, 3 undecided or nothing to prove, 101 internal
    error, 130 interrupted.
    """


@cli.command()
@click.argument("paths", type=TABLE, nargs=-1, metavar="[FILE|DIR|-]...")
@click.option("-N", "ranks", type=RanksType(), multiple=True, metavar="N",
              help="Only these rank counts: 8, 2..8 or 4,64.")  # fmt: skip
@click.option("--timeout", type=SecondsType(), default=20.0, metavar="SECONDS",
              help="For each Z3 query (default: 20).")  # fmt: skip
@click.option("-j", "--jobs", type=click.IntRange(1), default=None, metavar="JOBS",
              help="Processes (default: one a core, as far as there are tables).")  # fmt: skip
@click.option("--executor", type=click.Choice(["local", "dask"]), default="local",
              help="Who checks: processes here, or the Dask cluster of --scheduler.")  # fmt: skip
@click.option("--scheduler", default=None, metavar="ADDRESS",
              help="Of a cluster that is there, such as tcp://10.0.0.1:8786.")  # fmt: skip
@click.option("--every-n", is_flag=True, help="Ask for a proof for every N: undecided is exit code 3.")
@click.option("--bounded", is_flag=True, help="Only the sizes that a table claims; no induction.")
@click.option("--induction", type=SecondsType(), default=10.0, metavar="SECONDS",
              help="For the proof for every N of a table (default: 10).")  # fmt: skip
@click.option("--no-symmetry", is_flag=True, help="Give every chunk to Z3, not one of each shape.")
@click.option("--used", is_flag=True, help="Also: every value sent reaches a promised slot.")
@click.option("--ports", type=click.IntRange(1), default=None, metavar="K",
              help="Also: at most K partners a step, each way.")  # fmt: skip
@click.option("--order", is_flag=True, help="Also: all ranks add in the same order.")
@click.option("--no-swap", is_flag=True, help="Also: no slot is written while a message reads it.")
@click.option("--collective", type=click.Choice(COLLECTIVES), default=None,
              help="What a program is for, whatever its file says.")  # fmt: skip
@click.option("--post", type=click.Path(dir_okay=False), default=None, metavar="FILE",
              help="The result that a custom program must end with.")  # fmt: skip
@click.option("--runtime", type=click.Choice(["msccl", "azure", "rccl"]), default=None,
              help="Also: this runtime loads a program.")  # fmt: skip
@click.option("--z3", is_flag=True, help="Z3 decides the sums of a program of any length.")
@click.option("--memory", type=BytesType(), default=float(4 << 30), metavar="SIZE",
              help="Refuse replays that need more (default: 4GiB).")  # fmt: skip
@click.option("--format", "form", type=click.Choice(FORMATS), default="text",
              help="Of the report.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False), default=None, metavar="FILE",
              help="Write the report here.")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Say only what is not proved, and no progress.")
@click.option("-v", "--verbose", is_flag=True, help="Add times and where to read on.")
@COLOR
def check(paths: tuple[str, ...], **given: Any) -> None:
    """Prove every table and program, or show where it is wrong.

    A table is a .toml file, a program of GPU threadblocks an .xml file (MSCCL). Checks what is in
    schedules/ when no FILE or DIR is given; - is standard input. Reports come in the order of the
    files, how far the check is goes to stderr.
    """
    from ringproof.applies import ONLY
    from ringproof.run import run_check

    if given["quiet"] and given["verbose"]:
        raise click.UsageError("--quiet and --verbose exclude each other")
    if given["collective"] and given["post"]:
        raise click.UsageError("--collective and --post exclude each other")
    if given["every_n"] and given["bounded"]:
        raise click.UsageError("--every-n and --bounded exclude each other")
    if (given["executor"] == "dask") != (given["scheduler"] is not None):
        raise click.UsageError("--executor dask and --scheduler ADDRESS go together")
    if given["executor"] == "dask" and given["jobs"]:
        raise click.UsageError("--jobs is for processes here: a cluster has the workers it has")
    raise click.exceptions.Exit(run_check(paths, {**given, "given": written_out(ONLY)}))


@cli.command()
@click.argument("path", type=TABLE, metavar="FILE|-")
@click.option("-N", "ranks", type=click.IntRange(1), required=True, metavar="N", help="Rank count.")
@click.option("-p", "--param", "params", type=ParameterType(), multiple=True, metavar="NAME=VALUE",
              help="Value of a parameter (default: its first).")  # fmt: skip
@click.option("--chunk", type=click.IntRange(0), default=None, help="Only this chunk.")
@click.option("--rank", type=click.IntRange(0), default=None, help="Only this rank's sends and slots.")
def trace(
    path: str, ranks: int, params: tuple[tuple[str, int], ...], chunk: int | None, rank: int | None
) -> None:
    """Print every step in words, and what each slot then holds."""
    from ringproof.trace import run_trace

    raise click.exceptions.Exit(run_trace(path, ranks, params, chunk, rank))


@cli.command()
@click.argument("code", type=CodeType(), required=False)
@click.option("--all", "everything", is_flag=True, help="List every code.")
def explain(code: str | None, everything: bool) -> None:
    """Say what a code such as RP301 means, with an example."""
    from ringproof.run import run_explain

    if (code is None) == (not everything):
        raise click.UsageError("give one CODE, or --all")
    raise click.exceptions.Exit(run_explain(code))


@cli.command()
@click.argument("path", type=TABLE, metavar="FILE|-")
@click.option("--mutants", type=click.IntRange(1), default=500, help="How many (default: 500).")
@click.option("--seed", type=int, default=0, help="Of the choice (default: 0).")
@click.option("-v", "--verbose", is_flag=True, help="List every survivor.")
def fuzz(path: str, mutants: int, seed: int, verbose: bool) -> None:
    """Change a right table in many small ways: every change must be refuted, or proved harmless."""
    from ringproof.fuzz import run_fuzz

    raise click.exceptions.Exit(run_fuzz(path, mutants, seed, "verbose" if verbose else "normal"))


@cli.command()
@click.option("--report", is_flag=True, help="Not of a table, but of what --format json writes.")
def schema(report: bool) -> None:
    """Print the JSON Schema of a table, for editors.

    Write it beside your tables (ringproof schema > schema.json), and let their first line be
    #:schema schema.json
    """
    from ringproof.published import run_schema

    raise click.exceptions.Exit(run_schema("report" if report else "table"))


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes a shell complete commands, options, codes and files.

    \b
    bash, in ~/.bashrc:                  eval "$(ringproof completion bash)"
    zsh, in ~/.zshrc after compinit:     eval "$(ringproof completion zsh)"
    fish, in ~/.config/fish/config.fish: ringproof completion fish | source
    """
    from ringproof.published import run_completion

    raise click.exceptions.Exit(run_completion(shell, cli))


cli.add_command(convert)
cli.add_command(cost)
cli.add_command(bound)
cli.add_command(certify)
cli.add_command(verify)
cli.add_command(draw)
cli.add_command(figures)
cli.add_command(lsp)
cli.add_command(verify_figure)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; no exception leaves it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return int(cli.main(arguments, prog_name="ringproof", standalone_mode=False) or 0)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        with suppress(OSError):  # nobody is there to read it
            error.show()
        return Exit.CANNOT_CHECK
    except (KeyboardInterrupt, click.Abort):
        aside("interrupted")
        return Exit.INTERRUPTED
    except MemoryError:
        aside("out of memory: nothing is claimed; narrow the sizes with -N")
        return Exit.CANNOT_CHECK
    except SystemExit:  # click ends so where it prints by itself and the reader has left: 1 is refuted
        helped = {"-h", "--help"} & {*(sys.argv[1:] if arguments is None else arguments)}
        return Exit.PROVED if helped else Exit.CANNOT_CHECK
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            aside(f"Error: cannot write: {(error.strerror or '').lower()}")
            return Exit.CANNOT_CHECK
        return _internal(error)


def _internal(error: Exception) -> Exit:
    """A bug of ours: one short report, never a traceback unless RINGPROOF_DEBUG is set."""
    if os.environ.get("RINGPROOF_DEBUG"):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    told = " ".join(str(error).split())[:300]
    lines = [f"internal error: {type(error).__name__}: {told}{place}", *getattr(error, "__notes__", ())]
    aside("\n".join([*lines, "nothing is claimed; please report this with the table"]))
    return Exit.INTERNAL
