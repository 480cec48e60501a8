"""`ringproof cost`: options -> survey -> report -> an exit code; the only module here that prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from ringproof.options import COLOR, TABLE, ParameterType, RanksType
from ringproof.verdict import Exit

if TYPE_CHECKING:
    from ringproof.cost.sizes import Question
    from ringproof.cost.values import Machine, Survey
    from ringproof.verdict import Report

USUAL_RANGE = "1KiB..1GiB"


class QuantityType(click.ParamType[Any]):
    """A number with a unit; ``kind`` names the function of `ringproof.cost.units` that reads it."""

    def __init__(self, kind: Literal["size", "size_range", "duration", "rate"], name: str) -> None:
        self.kind, self.name = kind, name

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        from ringproof.cost import units

        try:
            return getattr(units, self.kind)(value) if isinstance(value, str) else value
        except units.UnitError as error:
            self.fail(str(error), param, ctx)


@click.command()
@click.argument("paths", type=TABLE, nargs=-1, metavar="[FILE|DIR|-]...")
@click.option("-N", "ranks", type=RanksType(), default=(), metavar="N",
              help="Rank counts: 8, 2..8 or 4,64 (default: 8 and 64, else the most claimed).")  # fmt: skip
@click.option("-p", "--param", "params", type=ParameterType(), multiple=True, metavar="NAME=VALUE",
              help="Value of a parameter (default: each table's first).")  # fmt: skip
@click.option("--bytes", "size", type=QuantityType("size", "SIZE"), metavar="SIZE",
              help="Predict times for buffers of this size: 64MiB.")  # fmt: skip
@click.option("--alpha", type=QuantityType("duration", "TIME"), metavar="TIME",
              help="What every step costs: 5us.")  # fmt: skip
@click.option("--beta", type=QuantityType("rate", "RATE"), metavar="RATE",
              help="What a rank sends, and receives: 25GB/s, 200Gbit/s.")  # fmt: skip
@click.option("--gamma", type=QuantityType("rate", "RATE"), metavar="RATE",
              help="What a rank adds: 10GB/s (default: at no cost).")  # fmt: skip
@click.option("--ports", type=click.IntRange(1), metavar="K",
              help="A rank begins K messages at once: alpha for every K (default: for all).")  # fmt: skip
@click.option("--crossover", is_flag=True, help="Which table is the fastest for which buffer size.")
@click.option("--bytes-range", "span", type=QuantityType("size_range", "SIZES"), metavar="SIZES",
              help=f"Buffer sizes for --crossover (default: {USUAL_RANGE}).")  # fmt: skip
@click.option("--sort", type=click.Choice(["time", "steps", "traffic", "name"]), default=None,
              help="Order of the tables for one collective (default: as given).")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json", "csv", "markdown"]),
              default="text", help="Of the report; csv with --crossover has crossovers only.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False), default=None, metavar="FILE",
              help="Write the report here.")  # fmt: skip
@COLOR
def cost(paths: tuple[str, ...], **given: Any) -> None:
    """Count what tables cost, beside the lower bounds: steps, messages, traffic, links, buffers.

    Everything is counted from the executed sends, after replay finds the table right at that N.
    """
    raise click.exceptions.Exit(run_cost(paths, given))


def run_cost(paths: Sequence[str], given: Mapping[str, Any]) -> Exit:
    """Cost everything under ``paths`` and write the report; returns the worst exit code."""
    from ringproof.inputs import tables, usual
    from ringproof.outfile import TargetError, writable, write
    from ringproof.output import aside, reader_may_leave

    machine, output = _machine(given), None if given["output"] == "-" else given["output"]
    files = list(tables(paths or usual()))
    try:
        if output is not None:
            sources = [file for file in files if isinstance(file, str)]
            writable(output, sources, f"the report would overwrite the table {output}")
        found = _predicted(_surveyed(files, _question(given)), machine, given)
        rendered = _render(found, given, output)
        if output is not None:
            write({output: rendered.encode("utf-8", "backslashreplace")})
    except TargetError as error:
        raise click.UsageError(str(error)) from None
    if output is None:
        with reader_may_leave():
            click.echo(rendered, nl=False, color=True)
    if found.broken and given["form"] != "text":
        from ringproof.report import text

        aside(text.render(found.broken), end="")
    return found.exit


def markdown_table(paths: Sequence[str], ranks: Sequence[int]) -> str:
    """The cost of all tables under ``paths`` at these N, as a table for a README."""
    from ringproof.cost.sizes import Question
    from ringproof.inputs import tables
    from ringproof.report.cost import markdown

    return markdown.render(_surveyed(list(tables(paths)), Question(tuple((N, N) for N in ranks))))


def _question(given: Mapping[str, Any]) -> Question:
    from ringproof.cost.sizes import Question

    names = [name for name, _ in given["params"]]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise click.UsageError(f"-p {twice[0]} is given twice")
    return Question(given["ranks"], dict(given["params"]))


def _surveyed(files: Sequence[str | Report], question: Question) -> Survey:
    from ringproof.cost.sizes import QuestionError
    from ringproof.cost.survey import survey

    try:
        return survey(files, question)
    except QuestionError as error:
        raise click.UsageError(str(error)) from None


def _machine(given: Mapping[str, Any]) -> Machine | None:
    """The machine that the options describe, all of it or nothing."""
    from ringproof.cost.values import Machine

    asked = {"bytes": given["size"], "crossover": given["crossover"]}
    wanted = [name for name, value in asked.items() if value]
    rates = [name for name in ("alpha", "beta", "gamma", "ports") if given[name] is not None]
    if given["span"] and not given["crossover"]:
        raise click.UsageError("--bytes-range is for --crossover")
    if given["sort"] == "time" and given["size"] is None:
        raise click.UsageError("--sort time needs --bytes, --alpha and --beta")
    if not wanted and rates:
        raise click.UsageError(f"--{rates[0]} is for predicted times: add --bytes or --crossover")
    if not wanted:
        return None
    missing = [name for name in ("alpha", "beta") if given[name] is None]
    if missing:
        needed = " and ".join(f"--{name}" for name in missing)
        raise click.UsageError(f"--{wanted[0]} needs {needed}, such as --alpha 5us --beta 25GB/s")
    return Machine(given["alpha"], given["beta"], given["gamma"], given["ports"])


def _predicted(found: Survey, machine: Machine | None, given: Mapping[str, Any]) -> Survey:
    """The survey in its order, with the times and crossovers that are asked for."""
    from dataclasses import replace

    from ringproof.cost import model, units
    from ringproof.cost.values import arranged

    if machine is not None and given["size"] is not None:
        if why := model.undivided(found.costs, given["size"]):
            raise click.UsageError(f"--bytes {units.size_text(given['size'])}: {why}")
        found = model.timed(found, machine, given["size"])
    if given["sort"]:
        found = arranged(found, given["sort"])
    if machine is not None and given["crossover"]:
        ends = given["span"] or units.size_range(USUAL_RANGE)
        crossovers = model.crossovers(found.costs, machine, ends)
        found = replace(found, machine=machine, crossovers=crossovers)
    return found


def _render(found: Survey, given: Mapping[str, Any], output: str | None) -> str:
    from ringproof.report.cost import csv, json, markdown, text
    from ringproof.tell import style

    if given["form"] == "text":
        return text.render(found, style=style(given["color"], output))
    plain = {"json": json.render, "csv": csv.render, "markdown": markdown.render}
    return plain[given["form"]](found)
