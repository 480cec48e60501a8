"""The report for programs: JSON with every finding, span, verdict and size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from typing import Any

from ringproof.codes import CODES
from ringproof.report.places import Stands, stands_of
from ringproof.report.summary import Summary, summary
from ringproof.table.written import literal
from ringproof.verdict import (
    Beyond,
    Finding,
    Label,
    Proved,
    Refuted,
    Repair,
    Report,
    Result,
    Size,
    Undecided,
    worst,
)
from ringproof.wording import every_finding, outcome, result_word, runs

VERSION = 2


def render(reports: Sequence[Report]) -> str:
    """Write reports as one JSON document; the same reports give the same bytes.

    Lines and columns count from 1, columns in characters, and ends are half-open.  Sizes are a list
    of ``{"first": N, "last": N, "params": {...}}``, both ends included.
    """
    document = {
        "version": VERSION,
        "tool": "ringproof",
        "exit": int(worst([report.exit for report in reports])),
        "summary": _summary(summary(reports)),
        "reports": [_report(report) for report in reports],
    }
    return json.dumps(document, indent=2) + "\n"


def _summary(found: Summary) -> dict[str, Any]:
    codes = {code: counted.files for code, counted in found.codes.items()}
    return {"files": found.files, "outcomes": dict(found.outcomes), "codes": codes}


def _report(report: Report) -> dict[str, Any]:
    findings = every_finding(report)
    stands = stands_of(report, findings)
    return {
        "path": report.path,
        "name": report.name,
        "claim": report.claim,
        "exit": int(report.exit),
        "outcome": outcome(report),
        "sizes": sizes(report.sizes),
        "properties": [_property(result, findings) for result in report.results],
        "findings": [_finding(finding, stands) for finding in findings],
        "facts": list(report.facts),
        "every_n": _every_n(report.every_n, findings) if report.every_n else None,
    }


def _every_n(found: Beyond, findings: Sequence[Finding]) -> dict[str, Any]:
    verdict = found.verdict
    word = {Proved: "proved", Refuted: "refuted"}.get(type(verdict), "undecided")
    if word == "proved" and found.undecided:
        word = "undecided"
    shown = findings.index(verdict.counterexample) if isinstance(verdict, Refuted) else None
    return {
        "sizes": found.sizes,
        "verdict": word,
        "counterexample": shown,
        "proved": list(found.proved),
        "undecided": [{"name": name, "reason": reason} for name, reason in found.undecided],
        "invariants": [
            {"phase": i.phase, "step": i.step, "says": i.says, "condition": i.text}
            for i in found.invariants
        ],
    }


def _property(result: Result, findings: Sequence[Finding]) -> dict[str, Any]:
    verdict = result.verdict
    shown = findings.index(verdict.counterexample) if isinstance(verdict, Refuted) else None
    return {
        "name": result.name,
        "statement": result.statement,
        "verdict": result_word(result),
        "reason": verdict.reason if isinstance(verdict, Undecided) else None,
        "counterexample": shown,
        "engines": result.engines,
        "remark": result.remark,
        "proved": sizes(result.proved),
        "refuted": sizes(result.refuted),
        "undecided": sizes(result.undecided),
        "waived": sizes(result.waived),
    }


def _finding(finding: Finding, stands: Stands) -> dict[str, Any]:
    code = CODES.get(finding.code)
    return {
        "code": finding.code,
        "name": code.name if code else None,
        "severity": finding.severity,
        "title": finding.title,
        "primary": _label(finding.primary, stands) if finding.primary else None,
        "related": [_label(label, stands) for label in finding.related],
        "notes": list(finding.notes),
        "helps": list(finding.helps),
        "repairs": [_repair(repair, stands) for repair in finding.repairs],
        "details": plain(finding.details),
    }


def _label(label: Label, stands: Stands) -> dict[str, Any]:
    stand = stands[label.place]
    span = stand.span
    return {
        "path": stand.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "route": list(getattr(label.place, "route", ())),
        "text": label.text,
    }


def _repair(repair: Repair, stands: Stands) -> dict[str, Any]:
    """A repair: what to put where, as TOML writes it."""
    label = _label(Label(repair.place, repair.says), stands)
    return {**label, "replacement": literal(repair.value)}


def sizes(listed: Sequence[Size]) -> list[dict[str, Any]]:
    """Write sizes in full as runs of N, one list of runs for each choice of params."""
    numbers: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for size in listed:
        numbers.setdefault(size.params, []).append(size.N)
    return [
        {"first": first, "last": last, "params": dict(params)}
        for params, counts in numbers.items()
        for first, last in runs(sorted(counts))
    ]


def plain(value: Any) -> Any:
    """Turn a detail into what JSON knows; mappings keep their order, sets are sorted."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "tolist"):  # numpy, which a report has no other reason to import
        return plain(value.tolist())
    if isinstance(value, Iterable):
        items = sorted(value) if isinstance(value, Set) else value
        return [plain(item) for item in items]
    return str(value)
