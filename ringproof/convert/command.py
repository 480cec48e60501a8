"""`ringproof convert`: a table becomes a program, a program a table; what was written has been checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringproof.options import COLLECTIVES, TABLE, ParameterType
from ringproof.verdict import Exit

if TYPE_CHECKING:
    from ringproof.program.model import Case
    from ringproof.table.schedule import Schedule
    from ringproof.table.source import Source
    from ringproof.verdict import Report, Size

_ONLY = {"table": ("ranks", "params", "instances", "proto", "runtime"), "program": ("collective",)}
_OPTIONS = {"ranks": "-N", "params": "-p", "instances": "--instances", "proto": "--proto",
            "runtime": "--runtime", "collective": "--collective"}  # fmt: skip
_ENDS = {"table": ".xml", "program": ".toml"}


@click.command()
@click.argument("path", type=TABLE, metavar="FILE|-")
@click.option("-o", "--output", type=click.Path(), required=True, metavar="FILE",
              help="The .xml of a table, the .toml of a program; - is standard output.")  # fmt: skip
@click.option("-N", "ranks", type=click.IntRange(1), metavar="N", help="Of a table: its rank count.")
@click.option("-p", "--param", "params", type=ParameterType(), multiple=True, metavar="NAME=VALUE",
              help="Of a table: value of a parameter (default: its first).")  # fmt: skip
@click.option("--inplace/--out-of-place", "inplace", default=None,
              help="Which way of calling it (default: in place, or what a program allows).")  # fmt: skip
@click.option("--instances", type=click.IntRange(1), metavar="K",
              help="Cut every chunk into K, with threadblocks and channels of their own.")  # fmt: skip
@click.option("--proto", type=click.Choice(["Simple", "LL", "LL128"]),
              help="Protocol of the program (default: Simple).")  # fmt: skip
@click.option("--runtime", type=click.Choice(["msccl", "azure", "rccl"]),
              help="Whose limits the program keeps (default: msccl).")  # fmt: skip
@click.option("--collective", type=click.Choice(COLLECTIVES[:-1]),
              help="What a program is for, whatever its file says.")  # fmt: skip
def convert(path: str, output: str, **given: Any) -> None:
    """Turn a proved table into an MSCCL program, or a program into a table for its one size.

    A program is checked for every interleaving, a table is proved, before it is written; what is
    refuted is not converted.
    """
    raise click.exceptions.Exit(run_convert(path, output, given))


def run_convert(path: str, output: str, given: Mapping[str, Any]) -> Exit:
    """Read, check, convert, check again, write; nothing is written unless all of it succeeds."""
    from ringproof.convert.layout import NotConvertible
    from ringproof.outfile import TargetError, writable, write
    from ringproof.output import reader_may_leave

    try:
        kind, item = _read(path)
        _fits(kind, path, output, given)
        if output != "-":
            writable(output, (path,), f"the result would overwrite {output} itself")
        made = _program(item, given) if kind == "table" else _table(item, given)
        if isinstance(made, Exit):
            return made
        text, told = made
        if output != "-":
            write({output: text.encode("utf-8")})
    except (NotConvertible, TargetError) as error:
        raise click.UsageError(str(error)) from None
    with reader_may_leave():
        click.echo(text if output == "-" else f"{output}: {told}", nl=output != "-")
    return Exit.PROVED


def _read(path: str) -> tuple[str, Any]:
    """What the input is, by its suffix or, from standard input, by how it begins."""
    from ringproof.inputs import ProgramText, is_program, item

    if path == "-":
        given = item(path)
        return ("program" if isinstance(given, ProgramText) else "table"), given
    if Path(path).suffix.lower() not in (".toml", ".xml"):
        raise click.UsageError(f"{path}: a table is a .toml file and a program an .xml file; this is neither")
    return ("program" if is_program(path) else "table"), path


def _fits(kind: str, path: str, output: str, given: Mapping[str, Any]) -> None:
    """Options that are for this direction, and the suffix of what comes out."""
    if output != "-" and Path(output).suffix.lower() != _ENDS[kind]:
        raise click.UsageError(f"{output}: what becomes of a {kind} is named *{_ENDS[kind]}")
    if kind == "table" and given["ranks"] is None:
        raise click.UsageError("give -N: a program is for one rank count")
    for other, names in _ONLY.items():
        for name in names:
            if other != kind and given[name] not in (None, ()):
                raise click.UsageError(f"{_OPTIONS[name]} is for a {other}, and {path} is a {kind}")


def _refused(report: Report, path: str) -> Exit:
    from ringproof.output import aside, reader_may_leave
    from ringproof.report import text

    with reader_may_leave():
        click.echo(text.render([report], detail="quiet"), nl=False)
    aside(f"nothing is written: {path} is not proved")
    return report.exit


def _program(item: Any, given: Mapping[str, Any]) -> tuple[str, str] | Exit:
    """The text of a table's program, and what to say of it; or how the table was refused."""
    from ringproof.convert.blocks import Target
    from ringproof.convert.to_program import make_program
    from ringproof.events import expand
    from ringproof.wording import count_text

    found = _proved(item, given)
    if isinstance(found, Exit):
        return found
    source, schedule, size = found
    case: Case = "out of place" if given["inplace"] is False else "in place"
    target = Target(schedule.name, given["proto"] or "Simple", given["runtime"] or "msccl")
    instances = given["instances"] or 1
    twice = f", {instances} instances" if instances > 1 else ""
    remark = f"{Path(source.path).name}, {size}, {case}{twice}: written by ringproof convert"
    made = make_program(expand(schedule, size), case, instances, target, remark)
    program = made.program
    blocks = max(len(gpu.tbs) for gpu in program.gpus)
    told = (f"{schedule.name}, {size}, {case}: {count_text(program.size, 'step')}, at most "
            f"{count_text(blocks, 'threadblock')} a GPU on {count_text(program.nchannels, 'channel')}; "
            "proved for every interleaving where a connection has room for "
            f"{count_text(made.window, 'message')} or more")  # fmt: skip
    if made.note:
        told = f"{told}; {made.note}"
    if program.size == 0:
        told = f"{schedule.name}, {size}, {case}: it has nothing to do"
    return made.text, told


def _proved(item: Any, given: Mapping[str, Any]) -> tuple[Source, Schedule, Size] | Exit:
    """A table at the size that is asked for, proved there; or how it was refused."""
    from ringproof.assess import Options, Settings, assess, claim_holds, symmetry_of
    from ringproof.check import check
    from ringproof.problem import ExpansionError
    from ringproof.table.integers import Undefined
    from ringproof.table.reader import read_schedule
    from ringproof.table.source import read
    from ringproof.trace import size_of
    from ringproof.verdict import Report, TableError

    if isinstance(item, Report):
        return _refused(item, item.path)
    try:
        source = read(item) if isinstance(item, str) else item
    except TableError as error:
        called, shown = getattr(error, "path", str(item)), getattr(error, "text", "")
        return _refused(Report(called, "", shown, "", findings=error.findings), called)
    asked = Options(ranks=((given["ranks"], given["ranks"]),), induction="never")
    try:
        schedule = read_schedule(source.values, source.path)
        size = size_of(schedule, given["ranks"], given["params"])
        settings = Settings()
        found = assess(schedule, size, settings, symmetry_of(schedule, settings))
    except (TableError, ExpansionError, Undefined):
        return _refused(check(source, asked), source.path)
    right = not found.unknown and set(found.failing) <= set(schedule.waive) and all(
        claim_holds(claim.relation, *pair)
        for claim, pair in zip(schedule.claims, found.claims, strict=True)
    )  # fmt: skip
    if right:
        return source, schedule, size
    report = check(source, asked)
    if report.exit is Exit.PROVED:
        raise ValueError(f"{source.path} is refuted at {size}, and its report is not")
    return _refused(report, source.path)


def _table(item: Any, given: Mapping[str, Any]) -> tuple[str, str] | Exit:
    """The text of a program's table, and what to say of it; or how the program was refused."""
    from ringproof.check_program import check_program
    from ringproof.convert.to_table import make_table
    from ringproof.inputs import ProgramText
    from ringproof.program.asked import Asked
    from ringproof.program.model import COLLECTIVE_OF
    from ringproof.program.msccl_xml import read_program
    from ringproof.textfile import LARGEST_PROGRAM, SourceError, read_text
    from ringproof.verdict import Report
    from ringproof.wording import count_text

    try:
        read = (item.path, item.text) if isinstance(item, ProgramText) else read_text(item, LARGEST_PROGRAM)
    except SourceError as error:
        return _refused(Report(error.path, "", error.text, "", findings=error.findings), error.path)
    report = check_program(*read, Asked(given["collective"] or ""))
    if report.exit is not Exit.PROVED:
        return _refused(report, read[0])
    program, _ = read_program(*read)
    if not given["collective"] and program.coll not in COLLECTIVE_OF:
        told = f"a program for `{program.coll}` promises no result that a table could"
        raise click.UsageError(f"{told}; --collective says what it is for")
    case = _case(program.cases, read[0], given["inplace"])
    remark = (f"Lifted from {Path(read[0]).name}, {case}, by ringproof convert; every send stands in the "
              "first step that it can have.")  # fmt: skip
    made = make_table(program, case, given["collective"] or "", remark)
    told = (f"{program.name}, N = {program.ranks}, {case}: {count_text(made.sends, 'send')} in "
            f"{count_text(made.steps, 'step')}; proved")  # fmt: skip
    if made.waive:
        told += f", but for what the table waives: {', '.join(made.waive)}"
    return made.text, told


def _case(cases: tuple[Case, ...], path: str, inplace: bool | None) -> Case:
    """The case to lift."""
    wanted: Case = cases[0] if inplace is None else "in place" if inplace else "out of place"
    if wanted not in cases:
        raise click.UsageError(f"{path} is not for calls {wanted}: leave the option out")
    return wanted
