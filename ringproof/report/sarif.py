"""The report for code scanners: SARIF 2.1.0, every property a result of kind pass, fail or open.

Columns count characters from 1 and ends are half-open, which SARIF calls unicodeCodePoints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ringproof.codes import CODES, PROGRAM_PROPERTIES, PROPERTIES
from ringproof.report.json import plain, sizes
from ringproof.report.places import Stand, Stands, stands_of
from ringproof.report.properties import Detail
from ringproof.table.written import literal
from ringproof.verdict import (
    Exit,
    Finding,
    Label,
    Place,
    Proved,
    Refuted,
    Repair,
    Report,
    Result,
    Undecided,
    worst,
)
from ringproof.version import version
from ringproof.wording import every_finding, outcome_text, result_word, sizes_text

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_OPEN = {"RP501", "RP502", "RP507"}  # neither proved nor refuted, whatever the reason
_WAIVE = Place(("waive",))


def render(reports: Sequence[Report], *, detail: Detail = "normal") -> str:
    """Write reports as one SARIF log with one run; the same reports give the same bytes.

    What is refuted or malformed is of kind ``fail``, what is proved ``pass``, what is neither
    ``open``; a waived property is a suppressed ``fail``.  ``quiet`` leaves out what is proved, for a
    reader that takes every result for an alert.
    """
    results = [result for report in reports for result in _results(report)]
    if detail == "quiet":
        results = [result for result in results if result["kind"] != "pass"]
    codes = sorted({result["ruleId"] for result in results})
    ended = worst([report.exit for report in reports])
    run = {
        "tool": {"driver": _driver(codes)},
        "invocations": [{"executionSuccessful": ended is not Exit.INTERNAL, "exitCode": int(ended)}],
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": uri}} for uri in _files(reports)],
        "results": [{**result, "ruleIndex": codes.index(result["ruleId"])} for result in results],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _driver(codes: Sequence[str]) -> dict[str, Any]:
    rules = [
        {
            "id": code,
            "name": CODES[code].name,
            "shortDescription": _message(CODES[code].summary),
            "help": _message(CODES[code].explanation.strip()),
        }
        for code in codes
    ]
    return {"name": "ringproof", "version": version(), "rules": rules}


def _files(reports: Sequence[Report]) -> list[str]:
    paths = (path for r in reports for path in (r.path, *(u.path for u in r.used)))
    return list(dict.fromkeys(map(_uri, paths)))  # ./a.toml is a.toml


def _results(report: Report) -> Iterator[dict[str, Any]]:
    findings = every_finding(report)
    undecided = {r.name for r in report.results if isinstance(r.verdict, Undecided)}
    findings = tuple(
        f for f in findings if f.code != "RP501" or f.details.get("property") not in undecided
    )
    stands = stands_of(report, findings, [_WAIVE] if any(r.waived for r in report.results) else [])
    for finding in findings:
        yield _finding(report, finding, stands)
    for result in report.results:
        yield from _property(report, result, stands)
    if not report.results and not findings:
        yield _result("RP502", "open", report, outcome_text(report))


def _finding(report: Report, finding: Finding, stands: Stands) -> dict[str, Any]:
    """What is wrong, where, and what to do; a note is no failure."""
    kind = "informational" if finding.severity == "note" else "fail"
    kind = "open" if finding.code in _OPEN else kind
    kind = "fail" if _demanded(report, finding) else kind
    label = finding.primary.text if finding.primary else ""
    title = f"{finding.title}: {label}" if label else finding.title
    helps = [f"help: {text}" for text in finding.helps]
    stand = stands[finding.primary.place] if finding.primary else None
    found = _result(finding.code, kind, report, "\n".join([f"{title}.", *finding.notes, *helps]), stand)
    if kind == "fail":
        found["level"] = "error" if finding.severity == "note" else finding.severity
    if finding.related:
        related = [_related(i, label, stands[label.place]) for i, label in enumerate(finding.related, 1)]
        found["relatedLocations"] = related
    if finding.repairs:
        found["fixes"] = [_fix(repair, stands[repair.place]) for repair in finding.repairs]
    if finding.details:
        found["properties"] = {"counterexample": plain(finding.details)}
    return found


def _demanded(report: Report, finding: Finding) -> bool:
    """Whether a finding is about a size beyond the claim that somebody asked for."""
    beyond = report.every_n
    if beyond is None or not beyond.demanded or not isinstance(beyond.verdict, Refuted):
        return False
    return beyond.verdict.counterexample == finding


def _property(report: Report, result: Result, stands: Stands) -> Iterator[dict[str, Any]]:
    """What became of a property; what refutes it is among the findings already."""
    known = PROGRAM_PROPERTIES if report.kind == "program" else PROPERTIES
    code, word = known[result.name], result_word(result)
    says = f"{result.name}: {result.statement}"
    counted: dict[str, Any] = {"property": result.name, "sizes": sizes(result.proved)}
    if result.waived:
        waived = _result(code, "fail", report, f"{says}; {result.remark}.", stands[_WAIVE])
        waived["level"] = "note"
        waived["suppressions"] = [{"kind": "inSource", "justification": result.remark}]
        waived["properties"] = {"property": result.name, "sizes": sizes(result.waived)}
        yield waived
    if isinstance(result.verdict, Proved) and result.proved:
        beyond = report.every_n
        if beyond and result.name in beyond.proved:
            counted["everyN"] = beyond.sizes
        told = f"{says}; proved for {sizes_text(result.proved)}, {result.engines}."
        yield {**_result(code, "pass", report, told), "properties": counted}
    elif word in ("undecided", "vacuous"):
        why = result.verdict.reason if isinstance(result.verdict, Undecided) else "no size is left"
        counted = {"property": result.name, "sizes": sizes(result.undecided)}
        yield {**_result(code, "open", report, f"{says}; {word}: {why}."), "properties": counted}


def _result(
    code: str, kind: str, report: Report, told: str, stand: Stand | None = None
) -> dict[str, Any]:
    """A result at a place, or of a whole file; its level is none unless it is a failure."""
    return {
        "ruleId": code,
        "kind": kind,
        "level": "none",
        "message": _message(told),
        "locations": [_location(stand) if stand else {"physicalLocation": _whole(report.path)}],
    }


def _location(stand: Stand) -> dict[str, Any]:
    return {"physicalLocation": {**_whole(stand.path), "region": _region(stand)}}


def _region(stand: Stand) -> dict[str, int]:
    span = stand.span
    return {
        "startLine": span.line, "startColumn": span.column,
        "endLine": span.end_line, "endColumn": span.end_column,
    }  # fmt: skip


def _related(number: int, label: Label, stand: Stand) -> dict[str, Any]:
    return {"id": number, **_location(stand), "message": _message(label.text)}


def _fix(repair: Repair, stand: Stand) -> dict[str, Any]:
    new = {"text": literal(repair.value)}
    changed = {
        **_whole(stand.path),
        "replacements": [{"deletedRegion": _region(stand), "insertedContent": new}],
    }
    return {"description": _message(repair.says), "artifactChanges": [changed]}


def _whole(path: str) -> dict[str, Any]:
    return {"artifactLocation": {"uri": _uri(path)}}


def _uri(path: str) -> str:
    """A path as a URI reference: relative to where the check ran, or with file: when it is absolute."""
    if Path(path).is_absolute():
        return Path(path).as_uri()
    return quote(Path(path).as_posix().encode("utf-8", "surrogateescape"))


def _message(text: str) -> dict[str, str]:
    """A plain message; SARIF takes a single brace for the beginning of a placeholder."""
    return {"text": text.replace("{", "{{").replace("}", "}}")}
