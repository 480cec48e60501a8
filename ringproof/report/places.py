"""Where the labels of a report stand, in its text or in that of a table it uses; looked up once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ringproof.table.source import Source, Span, locate
from ringproof.verdict import Finding, Label, Place, Report, Spot


@dataclass(frozen=True, slots=True)
class Stand:
    """A span and the file it is in."""

    path: str
    text: str
    span: Span


Stands = Mapping[Place | Spot, Stand]


def labels_of(finding: Finding) -> tuple[Label, ...]:
    """List the labels of a finding, the primary one first."""
    return (finding.primary, *finding.related) if finding.primary else finding.related


def stands_of(report: Report, findings: Sequence[Finding], more: Sequence[Place] = ()) -> Stands:
    """Find the place of every label and repair of some findings, and ``more`` places.

    Without any of them no text is read.
    """
    found: dict[Place | Spot, Stand] = {}
    by_file: dict[int, dict[Place, Place]] = {}
    wanted: dict[Place | Spot, None] = {label.place: None for f in findings for label in labels_of(f)}
    wanted |= dict.fromkeys([*(repair.place for f in findings for repair in f.repairs), *more])
    for place in wanted:
        if isinstance(place, Spot):
            span = Span(place.line, place.column, place.line, place.column + place.width)
            found[place] = Stand(report.path, report.text, span)
        else:
            number, inner = _file(report, place)
            by_file.setdefault(number, {})[place] = inner
    for number, places in by_file.items():
        used = report.used[number] if number >= 0 else None
        path, text = (used.path, used.text) if used else (report.path, report.text)
        spans = locate(Source(path, text), places.values())
        found |= {place: Stand(path, text, spans[inner]) for place, inner in places.items()}
    return found


def _file(report: Report, place: Place) -> tuple[int, Place]:
    """The number of the used table a place is in, -1 for the table itself, and its place there."""
    best, length = -1, 0
    for i, used in enumerate(report.used):
        n = len(used.route)
        if n > length and len(place.route) > n and place.route[:n] == used.route:
            best, length = i, n
    if best < 0:
        return best, place
    return best, Place(place.route[length:], place.start, place.end, place.on)
