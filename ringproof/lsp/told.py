"""A report -> what an editor shows of it: diagnostics with their places, and the edits that mend it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from ringproof.report.places import Stand, Stands, labels_of, stands_of
from ringproof.table.written import literal
from ringproof.textfile import Span
from ringproof.verdict import Finding, Report
from ringproof.wording import every_finding

Encoding = types.PositionEncodingKind | str
SOURCE = "ringproof"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}


@dataclass(frozen=True, slots=True)
class Told:
    """Diagnostics of one version of a document, each with the edits that have been proved to mend it."""

    diagnostics: tuple[types.Diagnostic, ...] = ()
    repairs: tuple[tuple[types.Diagnostic, str, types.WorkspaceEdit], ...] = ()


def told(report: Report, uri: str, encoding: Encoding) -> Told:
    """What to show of a report in the document at ``uri``; columns in the units the client counts."""
    findings = every_finding(report)
    stands = stands_of(report, findings)
    diagnostics, repairs = [], []
    for finding in findings:
        diagnostic = _diagnostic(report, finding, stands, uri, encoding)
        diagnostics.append(diagnostic)
        for repair in finding.repairs:
            stand = stands[repair.place]
            edit = types.TextEdit(_range(stand, encoding), literal(repair.value))
            there = uri if stand.path == report.path else Path(stand.path).absolute().as_uri()
            changes: dict[str, Sequence[types.TextEdit]] = {there: [edit]}
            repairs.append((diagnostic, repair.says, types.WorkspaceEdit(changes=changes)))
    return Told(tuple(diagnostics), tuple(repairs))


def _diagnostic(
    report: Report, finding: Finding, stands: Stands, uri: str, encoding: Encoding
) -> types.Diagnostic:
    """A finding at its place; one in a table that this one uses stands where it is used."""
    labels = labels_of(finding)
    here = next((label for label in labels if stands[label.place].path == report.path), None)
    first = stands[here.place] if here else Stand(report.path, report.text, _FIRST_LINE)
    words = [finding.title]
    if finding.primary and finding.primary.text:
        words = [f"{finding.title}: {finding.primary.text}"]
    related = [
        types.DiagnosticRelatedInformation(
            _location(stands[label.place], report, uri, encoding), label.text or finding.title
        )
        for label in labels if label is not here
    ]  # fmt: skip
    helps = [f"help: {text}" for text in finding.helps]
    return types.Diagnostic(
        range=_range(first, encoding),
        message="\n".join([*words, *finding.notes, *helps]),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        source=SOURCE,
        related_information=related,
    )


_FIRST_LINE = Span(1, 1, 1, 1)


def _location(stand: Stand, report: Report, uri: str, encoding: Encoding) -> types.Location:
    there = uri if stand.path == report.path else Path(stand.path).absolute().as_uri()
    return types.Location(there, _range(stand, encoding))


def _range(stand: Stand, encoding: Encoding) -> types.Range:
    lines, span = stand.text.split("\n"), stand.span
    start = position(lines, span.line, span.column, encoding)
    return types.Range(start, position(lines, span.end_line, span.end_column, encoding))


def position(lines: Sequence[str], line: int, column: int, encoding: Encoding) -> types.Position:
    """A place that counts characters from 1, as the client counts: from 0, in units of an encoding."""
    before = lines[line - 1][: column - 1] if line <= len(lines) else ""
    if encoding == types.PositionEncodingKind.Utf32:
        return types.Position(line - 1, len(before))
    if encoding == types.PositionEncodingKind.Utf8:
        return types.Position(line - 1, len(before.encode("utf-8", "surrogatepass")))
    return types.Position(line - 1, len(before.encode("utf-16-le", "surrogatepass")) // 2)


def span_of(text: str, start: int, end: int, encoding: Encoding) -> types.Range:
    """The range between two places within one line that are counted in characters from the beginning."""
    begin = text.rfind("\n", 0, start) + 1
    number = text.count("\n", 0, start) + 1
    lines = [""] * (number - 1) + [text[begin:end]]
    first, last = (position(lines, number, at - begin + 1, encoding) for at in (start, end))
    return types.Range(first, last)


def offset(text: str, place: types.Position, encoding: Encoding) -> int:
    """How many characters of a text stand before a place that the client counts; one beyond it is its end."""
    begin = 0
    for _ in range(place.line):
        begin = text.find("\n", begin) + 1
        if not begin:
            return len(text)
    end = text.find("\n", begin)
    return begin + column(text[begin : end if end >= 0 else len(text)], place, encoding)


def column(line: str, place: types.Position, encoding: Encoding) -> int:
    """How many characters of a line stand before a place in it; one beyond it is its end."""
    if encoding == types.PositionEncodingKind.Utf32:
        return min(max(place.character, 0), len(line))
    name, unit = ("utf-8", 1) if encoding == types.PositionEncodingKind.Utf8 else ("utf-16-le", 2)
    raw = line.encode(name, "surrogatepass")[: max(place.character, 0) * unit]
    return len(raw.decode(name, "ignore"))
