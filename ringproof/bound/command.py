"""`ringproof bound`: options -> question -> answer -> report -> an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from ringproof.options import SecondsType
from ringproof.output import aside, reader_may_leave
from ringproof.verdict import Exit

if TYPE_CHECKING:
    from ringproof.bound.values import Answer, Question


class CollectiveType(click.ParamType[str]):
    """The name of a collective in the catalogue."""

    name = "NAME"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        from ringproof.collective import COLLECTIVES

        name = str(value).strip()
        if name in COLLECTIVES:
            return name
        near = get_close_matches(name.lower().replace("_", "-"), COLLECTIVES, 1, 0.5)
        hint = f"did you mean {near[0]}? " if near else ""
        self.fail(f"{name!r} is no collective; {hint}they are: {', '.join(COLLECTIVES)}", param, ctx)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from ringproof.collective import COLLECTIVES

        return [CompletionItem(name) for name in COLLECTIVES if name.startswith(incomplete)]


class CountType(click.ParamType[Any]):
    """A number of chunks, or ``any``."""

    name = "K|any"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        text = str(value).strip()
        if text == "any":
            return text
        if not text.isdecimal() or len(text) > 6 or int(text) < 1:
            self.fail(f"{text!r} is neither a number of chunks from 1 nor `any`", param, ctx)
        return int(text)


@click.command()
@click.option("--collective", type=CollectiveType(), required=True, metavar="NAME",
              help="all-gather, all-reduce, broadcast, ...")  # fmt: skip
@click.option("-N", "ranks", type=int, required=True, metavar="N", help="Rank count.")
@click.option("--chunks", type=click.IntRange(1), default=None, metavar="C",
              help="Chunks of a buffer (default: N where ranks own chunks, else 1).")  # fmt: skip
@click.option("--ports", type=click.IntRange(1), default=1, metavar="P",
              help="Partners of a rank in one step, each way (default: 1).")  # fmt: skip
@click.option("--message-chunks", "message", type=CountType(), default=1, metavar="K|any",
              help="Chunks from one rank to another in one step (default: 1).")  # fmt: skip
@click.option("--root", type=int, default=0, metavar="R", help="Root rank (default: 0).")
@click.option("--timeout", type=SecondsType(), default=60.0, metavar="SECONDS",
              help="For the whole search (default: 60).")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              help="Of the report.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False), default=None, metavar="TABLE.toml",
              help="Write the table here (default: below the report).")  # fmt: skip
def bound(**given: Any) -> None:
    """Prove how many steps a collective takes at least, and find a table that takes no more.

    Z3 proves that no schedule takes fewer; the table it finds goes through `ringproof check`. Without
    -o the output as a whole is a table, with the report as its comment: `ringproof bound ... |
    ringproof check -`. Exit code 3: undecided in that time.
    """
    raise click.exceptions.Exit(run_bound(given))


def run_bound(given: Mapping[str, Any]) -> Exit:
    """Answer one question, print the report and write the table."""
    from ringproof.outfile import TargetError

    path = None if given["output"] == "-" else given["output"]
    try:
        found = _answered(_question(given), path, given["timeout"])
    except TargetError as error:
        raise click.UsageError(str(error)) from None
    with reader_may_leave():
        click.echo(_rendered(found, given, path), nl=False)
    return found.exit


def _answered(asked: Question, path: str | None, seconds: float) -> Answer:
    """The answer, with the table in its file; errors: `TargetError`."""
    from ringproof.bound import report
    from ringproof.bound.table import answer
    from ringproof.outfile import writable, write

    if path is not None:
        writable(path, (), "")
    found = answer(asked, seconds, _progress())
    if _on_terminal():
        aside("\r\x1b[K", end="")
    if path is not None and found.checked:
        write({path: report.table(found, seconds).encode("utf-8")})
    return found


def _question(given: Mapping[str, Any]) -> Question:
    from ringproof.bound.values import QuestionError, question

    message = None if given["message"] == "any" else given["message"]
    try:
        return question(
            given["collective"], given["ranks"], given["chunks"], given["ports"], message, given["root"]
        )
    except QuestionError as error:
        raise click.UsageError(str(error)) from None


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _progress() -> Callable[[int], None] | None:
    """One line on a terminal's stderr."""
    if not _on_terminal():
        return None
    return lambda steps: aside(f"\r\x1b[K{steps} steps: asking Z3", end="")


def _rendered(found: Answer, given: Mapping[str, Any], path: str | None) -> str:
    from ringproof.bound import report

    if given["form"] == "json":
        return report.render_json(found)
    if found.checked and path is None:
        return report.table(found, given["timeout"])
    written = f"table: {path}\n" if found.checked else ""
    return report.text(found, given["timeout"]) + written
