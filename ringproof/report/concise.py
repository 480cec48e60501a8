"""The report for editors and logs: a line for each finding."""

from __future__ import annotations

from collections.abc import Sequence

from ringproof.report.places import stands_of
from ringproof.report.snippet import visible
from ringproof.verdict import Report
from ringproof.wording import every_finding, outcome_text


def render(reports: Sequence[Report]) -> str:
    """Write ``path:line:column: error[CODE] title`` for each finding of some reports.

    A table without an error also gets a line with its outcome.  Columns count characters from 1.
    """
    return "".join(f"{line}\n" for report in reports for line in _lines(report))


def _lines(report: Report) -> list[str]:
    findings = every_finding(report)
    stands = stands_of(report, findings)
    path = visible(report.path)
    lines = []
    for finding in findings:
        where = path
        if finding.primary:
            stand = stands[finding.primary.place]
            where = f"{visible(stand.path)}:{stand.span.line}:{stand.span.column}"
        lines.append(f"{where}: {finding.severity}[{finding.code}] {visible(finding.title)}")
    if not any(finding.severity == "error" for finding in findings):
        lines.append(f"{path}: {outcome_text(report).replace('  ', ' ', 1)}")
    return lines
