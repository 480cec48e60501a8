"""The report for GitHub Actions: a workflow command for each finding, which makes an annotation.

An annotation has one line and a title; what the text report says below its snippet follows the title.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ringproof.codes import CODES
from ringproof.report.places import Stands, stands_of
from ringproof.report.snippet import visible
from ringproof.verdict import Exit, Finding, Report
from ringproof.wording import every_finding, outcome, outcome_text

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(reports: Sequence[Report]) -> str:
    """Write a workflow command for each finding, and a plain line with the outcome of each table.

    Lines and columns count from 1, columns in characters, and ends are half-open.
    """
    return "".join(f"{line}\n" for report in reports for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    findings = every_finding(report)
    stands = stands_of(report, findings)
    for finding in findings:
        yield _annotation(report, finding, stands)
    told = outcome_text(report)
    red = any(finding.severity != "note" for finding in findings)
    if report.exit is not Exit.PROVED and not red:
        yield f"::error file={_file(report.path)},title={property_of(outcome(report))}::{data(told)}"
    yield _plain(f"ringproof: {visible(report.path)}: {told.replace('  ', ' ', 1)}")


def _annotation(report: Report, finding: Finding, stands: Stands) -> str:
    path, where = report.path, dict[str, str]()
    words = [finding.title]
    if finding.primary:
        stand = stands[finding.primary.place]
        span = stand.span
        path, where = stand.path, {"line": str(span.line), "endLine": str(span.end_line)}
        if span.line == span.end_line:  # GitHub takes columns within one line only
            where |= {"col": str(span.column), "endColumn": str(span.end_column)}
        if finding.primary.text:
            words = [f"{finding.title}: {finding.primary.text}"]
    words += [*finding.notes, *(f"help: {text}" for text in finding.helps)]
    code = CODES.get(finding.code)
    where["title"] = f"{finding.code} {code.name}" if code else finding.code
    more = (f",{key}={property_of(value)}" for key, value in where.items())
    given = f"file={_file(path)}{''.join(more)}"
    text = "\n".join(visible(line) for word in words for line in word.split("\n"))
    return f"::{_COMMANDS[finding.severity]} {given}::{data(text)}"


def _file(path: str) -> str:
    """A path as a repository has it, which knows no ``./`` before it."""
    return property_of(Path(path).as_posix())


def data(text: str) -> str:
    """Escape the message of a workflow command: nothing in it can begin another."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def property_of(text: str) -> str:
    """Escape a property of a workflow command."""
    return data(visible(text)).replace(":", "%3A").replace(",", "%2C")


def _plain(line: str) -> str:
    """A line of the log that is no command; the older syntax of one may stand anywhere in a line."""
    return line.replace("##[", "# #[")
