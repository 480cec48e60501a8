"""The report for test runners: JUnit XML, a suite for each table and a case for each property."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from ringproof.report import text
from ringproof.report.snippet import visible
from ringproof.verdict import Beyond, Exit, Proved, Refuted, Report, Result, Undecided
from ringproof.wording import every_finding, outcome_text, result_word, sizes_text

_KINDS = ("failure", "error", "skipped")


def render(reports: Sequence[Report]) -> str:
    """Write reports as one JUnit document; the same reports give the same bytes, so without times.

    What is refuted is a failure, what is undecided or cannot be checked an error; what a table waives
    is skipped.  Neither a runner nor a reader can take anything but proved for passed.
    """
    root = ElementTree.Element("testsuites", name="ringproof")
    for report in reports:
        suite = ElementTree.SubElement(root, "testsuite", name=_text(report.path))
        for case in _cases(report):
            case.set("classname", _text(report.path))
            suite.append(case)
        _count(suite, list(suite))
    _count(root, [case for suite in root for case in suite])
    ElementTree.indent(root)
    written = ElementTree.tostring(root, "us-ascii", xml_declaration=False).decode("ascii")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{written}\n"  # true of whatever stdout encodes it in


def _count(element: ElementTree.Element, cases: Sequence[ElementTree.Element]) -> None:
    element.set("tests", str(len(cases)))
    for kind, key in zip(_KINDS, ("failures", "errors", "skipped"), strict=True):
        element.set(key, str(sum(case.find(kind) is not None for case in cases)))


def _cases(report: Report) -> Iterator[ElementTree.Element]:
    for result in report.results:
        yield _property(report, result)
    if report.every_n and report.results:
        yield _every_n(report.every_n)
    if not report.results or report.exit is Exit.INTERNAL:
        titles = [f.title for f in every_finding(report) if f.severity != "note"]
        case = ElementTree.Element("testcase", name="table")
        _ends(case, "error", titles[0] if titles else outcome_text(report), text.render([report]))
        yield case


def _property(report: Report, result: Result) -> ElementTree.Element:
    case = ElementTree.Element("testcase", name=result.name)
    verdict, word = result.verdict, result_word(result)
    if isinstance(verdict, Refuted):
        shown = verdict.counterexample
        more = [f for f in report.findings if f.code == shown.code and f.severity == "error" and f != shown]
        told = "\n".join(text.finding(report, finding) for finding in (shown, *more))
        _ends(case, "failure", shown.title, told)
    elif isinstance(verdict, Undecided):
        _ends(case, "error", f"undecided: {verdict.reason}", f"undecided for {sizes_text(result.undecided)}")
    elif word == "waived":
        _ends(case, "skipped", result.remark, "")
    elif word != "proved":
        _ends(case, "error", f"{word}: no size is left", "")
    else:
        said = [f"proved for {sizes_text(result.proved)}, {result.engines}", result.remark]
        ElementTree.SubElement(case, "system-out").text = _text("\n".join(filter(None, said)))
    return case


def _every_n(found: Beyond) -> ElementTree.Element:
    """What induction says; what it leaves open is skipped unless somebody asked for it."""
    case = ElementTree.Element("testcase", name="every N")
    reasons = "\n".join(f"{name}: {reason}" for name, reason in found.undecided)
    if isinstance(found.verdict, Refuted):
        kind = "failure" if found.demanded else "skipped"
        _ends(case, kind, found.verdict.counterexample.title, "")
    elif not isinstance(found.verdict, Proved) or found.undecided:
        _ends(case, "error" if found.demanded else "skipped", f"undecided for {found.sizes}", reasons)
    else:
        ElementTree.SubElement(case, "system-out").text = _text(f"proved for {found.sizes}")
    return case


def _ends(case: ElementTree.Element, kind: str, message: str, body: str) -> None:
    inner = ElementTree.SubElement(case, kind, message=_text(message), type=kind)
    inner.text = _text(body)


def _text(words: str) -> str:
    """What XML can hold: every line as the text report shows it, and no unassigned character."""
    lines = (visible(line) for line in words.split("\n"))
    return "\n".join("".join(map(_allowed, line)) for line in lines)


def _allowed(character: str) -> str:
    return "\ufffd" if unicodedata.category(character) == "Cn" else character
