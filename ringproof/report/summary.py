"""How many files came out how: by outcome, and by the code of what is said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ringproof.verdict import Report, Severity
from ringproof.wording import OUTCOMES, every_finding, outcome

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")  # the worst first


@dataclass(frozen=True, slots=True)
class Code:
    """How many ``files`` have a finding of a code, and how severe the worst of these findings is."""

    files: int
    severity: Severity


@dataclass(frozen=True, slots=True)
class Summary:
    """``outcomes``: how many of the files, for every outcome there is; ``codes`` in their order."""

    files: int
    outcomes: Mapping[str, int]
    codes: Mapping[str, Code]


def summary(reports: Sequence[Report]) -> Summary:
    """Count what became of some files."""
    worst: dict[str, Severity] = {}
    counted: Counter[str] = Counter()
    for report in reports:
        findings = every_finding(report)
        counted.update({finding.code for finding in findings})
        for finding in findings:
            worst[finding.code] = min(worst.get(finding.code, finding.severity), finding.severity,
                                      key=_SEVERITIES.index)  # fmt: skip
    words = Counter(map(outcome, reports))
    codes = {code: Code(counted[code], worst[code]) for code in sorted(counted)}
    return Summary(len(reports), {word: words[word] for word in OUTCOMES}, codes)
