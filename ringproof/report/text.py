"""The report for people: findings with their lines of the table, then every property.

The only module that knows colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ringproof.codes import CODES
from ringproof.report.places import Stands, stands_of
from ringproof.report.properties import Detail, properties, role_of, said
from ringproof.report.snippet import Mark, Paint, Role, draw, gutter, visible
from ringproof.report.summary import Summary, summary
from ringproof.verdict import Exit, Finding, Report
from ringproof.wording import count_text, every_finding, outcome, outcome_text

Style = Literal["plain", "color"]
PARTIAL = "RP504"


def render(reports: Sequence[Report], *, style: Style = "plain", detail: Detail = "normal") -> str:
    """Write reports for a terminal or a log; several end with how many came out how.

    ``quiet`` leaves out whatever is proved; ``verbose`` adds times and how to read on.  The result
    is empty or ends with a line end.
    """
    blocks = [block for report in reports for block in blocks_of(report, style=style, detail=detail)]
    return "\n".join([*blocks, *ending(reports, style=style, detail=detail)])


def blocks_of(report: Report, *, style: Style = "plain", detail: Detail = "normal") -> list[str]:
    """Write one report of several as blocks of whole lines, to be separated by blank lines."""
    blocks = [] if outcome(report) == "interrupted" else _blocks(report, detail, _painter(style))
    return [_lines(block) for block in blocks]


def ending(reports: Sequence[Report], *, style: Style = "plain", detail: Detail = "normal") -> list[str]:
    """Write the last block of several reports: how many came out how."""
    told = detail != "quiet" or any(report.exit is not Exit.PROVED for report in reports)
    if len(reports) < 2 or not told:
        return []
    paint, counted = _painter(style), summary(reports)
    return [_lines([*_codes(counted, paint), _totals(reports, counted, paint)])]


def _lines(block: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in block)


def finding(report: Report, found: Finding) -> str:
    """Write one finding of a report, plain, with its lines of the table."""
    return "\n".join(_finding(report, found, stands_of(report, [found]), _painter("plain")))


def _blocks(report: Report, detail: Detail, paint: Paint) -> list[list[str]]:
    """Write a report as blocks of lines, to be separated by blank lines."""
    if detail == "quiet" and outcome(report) == "proved":
        partial = [finding for finding in report.findings if finding.code == PARTIAL]
        return [_finding(report, finding, {}, paint) for finding in partial]
    findings = every_finding(report)
    stands = stands_of(report, findings)
    if detail == "verbose":
        findings = tuple(_explained(finding) for finding in findings)
    blocks = [_finding(report, finding, stands, paint) for finding in findings]
    if report.results and (detail != "quiet" or report.claimed is not Exit.PROVED):
        blocks.append(properties(report, detail, paint))
    word, _, rest = outcome_text(report).partition("  ")
    if not report.results:
        rest = f"{rest} in {visible(report.path)}" if rest else visible(report.path)
    return [*blocks, [f"{paint(role_of(word), word)}  {rest}"]]


def _explained(finding: Finding) -> Finding:
    """A finding with where to read on, and of a bug of ours with every call on the way there."""
    calls = finding.details.get("traceback")
    if calls:
        finding = replace(finding, notes=(*finding.notes, "\n".join(["called from", *map(str, calls)])))
    hint = f"ringproof explain {finding.code}   says more about this rule"
    return replace(finding, helps=(*finding.helps, hint))


def _codes(counted: Summary, paint: Paint) -> list[str]:
    """How many of several files have a finding of each code; lines to stand above the totals."""
    names = {code: CODES[code].name if code in CODES else "" for code in counted.codes}
    width = max(map(len, names.values()), default=0)
    return [f"{paint(found.severity, code)}  {names[code]:<{width}}  in {count_text(found.files, 'file')}"
            for code, found in counted.codes.items()]  # fmt: skip


def _totals(reports: Sequence[Report], counted: Summary, paint: Paint) -> str:
    parts = [paint(role_of(w), f"{count} {w}") for w, count in counted.outcomes.items() if count]
    kinds = {report.kind for report in reports}
    noun = kinds.pop() if len(kinds) == 1 else "file"
    return f"{count_text(counted.files, noun)}: {', '.join(parts)}"


def _painter(style: Style) -> Paint:
    if style == "plain":
        return lambda role, text: text
    import click

    colors = {
        "error": "bright_red",
        "warning": "bright_yellow",
        "note": "bright_cyan",
        "help": "bright_green",
        "gutter": "bright_blue",
        "related": "bright_blue",
        "good": "green",
        "doubtful": "yellow",
    }

    def paint(role: Role, text: str) -> str:
        if role == "faint":
            return click.style(text, dim=True)
        return click.style(text, fg=colors.get(role), bold=True)

    return paint


# ---- findings -----------------------------------------------------------------------------------


def _finding(report: Report, finding: Finding, stands: Stands, paint: Paint) -> list[str]:
    severity = finding.severity
    head = paint(severity, f"{severity}[{finding.code}]")
    head += paint("title", f": {visible(finding.title)}")
    files = _files(report, finding, stands)
    blank = " " * max(gutter(file.marks) for file in files)
    lines = [head]
    for i, file in enumerate(files):
        arrow = paint("gutter", ":::" if i else "-->")
        lines.append(f"{blank}{arrow} {visible(file.path)}{file.where}")
        if file.marks and file.text:
            lines += [paint("gutter", f"{blank} |"), *draw(file.text, file.marks, paint, len(blank))]
    words = [*said("note", finding.notes, blank, paint), *said("help", finding.helps, blank, paint)]
    if words and any(file.marks and file.text for file in files):
        lines.append(paint("gutter", f"{blank} |"))
    return lines + words


@dataclass(frozen=True, slots=True)
class _File:
    """The marks of one finding in one file; ``where`` is the line and column to point at."""

    path: str
    text: str
    where: str
    marks: list[Mark]


def _files(report: Report, finding: Finding, stands: Stands) -> list[_File]:
    """The files a finding points into, the one with its cause first."""
    files: dict[str, _File] = {}
    primary = [(finding.primary, "^", finding.severity)] if finding.primary else []
    related = [(label, "-", "related") for label in finding.related]
    for label, sign, role in [*primary, *related]:
        stand = stands[label.place]
        where = f":{stand.span.line}:{stand.span.column}" if sign == "^" or files else ""
        file = files.setdefault(stand.path, _File(stand.path, stand.text, where, []))
        file.marks.append(Mark(stand.span, label.text, sign, role))  # type: ignore[arg-type]
    return list(files.values()) or [_File(report.path, "", "", [])]
