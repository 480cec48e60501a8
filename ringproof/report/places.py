"""Where the labels of a report stand in its text, looked up once for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ringproof.table.source import Source, Span, locate
from ringproof.verdict import Finding, Label, Place, Report, Spot

Spans = Mapping[Place | Spot, Span]


def labels_of(finding: Finding) -> tuple[Label, ...]:
    """List the labels of a finding, the primary one first."""
    return (finding.primary, *finding.related) if finding.primary else finding.related


def spans_of(report: Report, findings: Sequence[Finding]) -> Spans:
    """Find the span of every label of some findings; without a label the text is not read."""
    places = {label.place: None for finding in findings for label in labels_of(finding)}
    routed = [place for place in places if isinstance(place, Place)]
    located = locate(Source(report.path, report.text), routed) if routed else {}
    return {place: _spot(place) if isinstance(place, Spot) else located[place] for place in places}


def _spot(spot: Spot) -> Span:
    return Span(spot.line, spot.column, spot.line, spot.column + spot.width)
