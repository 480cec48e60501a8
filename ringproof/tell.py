"""What a check says: reports are written as they come, in the order of their files, or all at the end."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ringproof.executors.progress import Progress
from ringproof.executors.task import failed, unreached
from ringproof.inputs import Item
from ringproof.outfile import TargetError, write
from ringproof.output import reader_may_leave
from ringproof.report import renderer, text
from ringproof.report.properties import Detail
from ringproof.verdict import Exit, Report, worst

STREAMED = ("text", "concise", "github")  # of which the report on one file stands by itself


class Teller:
    """Tells what becomes of some files, each once; ``output`` is the file to write, None is stdout."""

    def __init__(
        self, files: Sequence[Item], given: Mapping[str, Any], output: str | None, progress: Progress
    ) -> None:
        self.files, self.given, self.output, self.progress = files, given, output, progress
        self.streams = output is None and given["form"] in STREAMED
        self.done: dict[int, Report] = {}
        self.told = 0  # so many files, of the first ones
        self.silent = True  # nothing has been printed
        self.over = False  # the end has been told, or at least begun
        self.turn = threading.Lock()

    def add(self, i: int, report: Report) -> None:
        """A file is done: tell of it as soon as all before it are."""
        self.done[i] = report
        self.progress.file(report.path)
        with self.turn:
            while self.streams and self.told in self.done:
                self._tell(self.told)

    def end(self) -> Exit:
        """Every file is done: tell what is left to tell, and return the worst exit code."""
        self.progress.close()
        with self.turn:
            return self._end()

    def interrupted(self) -> None:
        """Tell what is done, and of the rest that it is not; whoever else would tell waits for ever.

        Where the end is being told already, that is waited for, so that a document comes whole.
        """
        self.progress.close()
        self.turn.acquire()
        if self.over:
            return
        if not self.done and self.given["form"] == "text" and self.output is None:
            return
        for i, file in enumerate(self.files):
            if i not in self.done:
                self.done[i] = unreached(file)
        try:
            self._end()
        except click.ClickException as error:
            error.show()

    def _end(self) -> Exit:
        self.over = True
        if self.streams:
            while self.told < len(self.files):
                self._tell(self.told)
            if self.given["form"] == "text":
                self._print(text.ending(self._reports(), **self._looks()))
        elif self.output is None:
            self._print([self._rendered()])
        else:
            try:
                write({self.output: self._rendered().encode("utf-8", "backslashreplace")})
            except TargetError as error:
                raise click.ClickException(str(error)) from None
        return worst([report.exit for report in self._reports()])

    def _reports(self) -> list[Report]:
        return [self.done[i] for i in range(len(self.files))]

    def _tell(self, i: int) -> None:
        """Print the report on one file."""
        try:
            blocks = self._blocks(self.done[i])
        except Exception as error:
            self._mend(i, error)
            blocks = self._blocks(self.done[i])
        self.told = i + 1
        self._print(blocks)

    def _blocks(self, report: Report) -> list[str]:
        if self.given["form"] == "text":
            return text.blocks_of(report, **self._looks())
        return [render([report], self.given)]

    def _rendered(self) -> str:
        """All reports in one document; what cannot be written of one file hides no other."""
        try:
            return render(self._reports(), self.given, self.output)
        except Exception:
            for i, report in self.done.items():
                try:
                    render([report], self.given, self.output)
                except Exception as error:
                    self._mend(i, error)
            return render(self._reports(), self.given, self.output)

    def _mend(self, i: int, error: Exception) -> None:
        if len(self.files) == 1:
            raise error
        self.done[i] = failed(self.files[i], error)

    def _print(self, blocks: Sequence[str]) -> None:
        if not any(blocks):
            return
        between = "\n" if self.given["form"] == "text" else ""
        words = ("" if self.silent else between) + between.join(blocks)
        self.silent = False
        with self.progress.aside(), reader_may_leave():
            click.echo(words, nl=False, color=True)

    def _looks(self) -> dict[str, Any]:
        return {"style": style(self.given["color"], self.output), "detail": detail(self.given)}


def render(reports: Sequence[Report], given: Mapping[str, Any], output: str | None = None) -> str:
    """Reports as one document in the format that is asked for."""
    if given["form"] == "sarif":
        from ringproof.report import sarif

        return sarif.render(reports, detail=detail(given))
    if given["form"] != "text":
        return renderer(given["form"])(reports)
    return text.render(reports, style=style(given["color"], output), detail=detail(given))


def detail(given: Mapping[str, Any]) -> Detail:
    """How much to say."""
    return "quiet" if given["quiet"] else "verbose" if given["verbose"] else "normal"


def style(color: str, output: str | None = None) -> text.Style:
    """Whether to colour: as asked, else on a terminal; NO_COLOR and FORCE_COLOR as usual."""
    if color != "auto":
        return "color" if color == "always" else "plain"
    if output is not None or os.environ.get("NO_COLOR"):
        return "plain"
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return "color"
    terminal = output is None and sys.stdout is not None and sys.stdout.isatty()
    return "color" if terminal and os.environ.get("TERM") != "dumb" else "plain"
