"""The report for people: findings with their lines of the table, then every property.

The only module that knows colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from ringproof.report.places import Spans, spans_of
from ringproof.report.properties import Detail, properties, role_of, said
from ringproof.report.snippet import Mark, Paint, Role, draw, gutter, visible
from ringproof.verdict import Exit, Finding, Report
from ringproof.wording import count_text, every_finding, outcome, outcome_text

Style = Literal["plain", "color"]


def render(reports: Sequence[Report], *, style: Style = "plain", detail: Detail = "normal") -> str:
    """Write reports for a terminal or a log; several end with how many came out how.

    ``quiet`` leaves out whatever is proved; ``verbose`` adds times and how to read on.  The result
    is empty or ends with a line end.
    """
    paint = _painter(style)
    blocks = [block for report in reports for block in _blocks(report, detail, paint)]
    told = detail != "quiet" or any(report.exit is not Exit.PROVED for report in reports)
    if len(reports) > 1 and told:
        blocks.append([_totals(reports, paint)])
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _blocks(report: Report, detail: Detail, paint: Paint) -> list[list[str]]:
    """Write a report as blocks of lines, to be separated by blank lines."""
    if detail == "quiet" and outcome(report) == "proved":
        return []
    findings = every_finding(report)
    spans = spans_of(report, findings)
    if detail == "verbose":
        findings = tuple(_explained(finding) for finding in findings)
    blocks = [_finding(report, finding, spans, paint) for finding in findings]
    if report.results:
        blocks.append(properties(report, detail, paint))
    word, _, rest = outcome_text(report).partition("  ")
    if not report.results:
        rest = f"{rest} in {visible(report.path)}" if rest else visible(report.path)
    return [*blocks, [f"{paint(role_of(word), word)}  {rest}"]]


def _explained(finding: Finding) -> Finding:
    hint = f"ringproof explain {finding.code}   says more about this rule"
    return replace(finding, helps=(*finding.helps, hint))


def _totals(reports: Sequence[Report], paint: Paint) -> str:
    words = [outcome(report) for report in reports]
    order = ("proved", "refuted", "undecided", "nothing to prove", "cannot check", "internal error")
    parts = [paint(role_of(w), f"{words.count(w)} {w}") for w in order if w in words]
    return f"{count_text(len(words), 'table')}: {', '.join(parts)}"


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


def _finding(report: Report, finding: Finding, spans: Spans, paint: Paint) -> list[str]:
    severity = finding.severity
    head = paint(severity, f"{severity}[{finding.code}]")
    head += paint("title", f": {visible(finding.title)}")
    marks = [Mark(spans[label.place], label.text, "-", "related") for label in finding.related]
    where = visible(report.path)
    if finding.primary:
        span = spans[finding.primary.place]
        marks.insert(0, Mark(span, finding.primary.text, "^", severity))
        where += f":{span.line}:{span.column}"
    if not report.text:
        marks = []
    blank = " " * gutter(marks)
    lines = [head, f"{blank}{paint('gutter', '-->')} {where}"]
    words = [*said("note", finding.notes, blank, paint), *said("help", finding.helps, blank, paint)]
    edge = paint("gutter", f"{blank} |")
    if marks:
        lines += [edge, *draw(report.text, marks, paint)]
        lines += [edge] if words else []
    return lines + words
