"""The properties of a table, a line each: what became of it, for which N, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ringproof.report.snippet import Paint, Role, visible, width
from ringproof.verdict import Beyond, Refuted, Report, Result, Size, Undecided
from ringproof.wording import count_text, counted_sizes_text, join_text, result_word, sizes_text

Detail = Literal["quiet", "normal", "verbose"]

_WIDEST_SIZES = 24
_ROLES: dict[str, Role] = {
    "proved": "good",
    "refuted": "error",
    "cannot check": "error",
    "internal error": "error",
}


def role_of(word: str) -> Role:
    """Choose the role of an outcome; only ``proved`` is good, and what is unknown is doubtful."""
    return _ROLES.get(word, "doubtful")


def properties(report: Report, detail: Detail, paint: Paint) -> list[str]:
    """Write the header of a table, its properties and its facts.

    ``quiet`` keeps only the properties that are not proved, and no facts.
    """
    title = paint("title", f"{visible(report.path)}: {visible(report.name)}")
    head = [title, f"  {visible(_claim(report))}", ""]
    if detail == "quiet":
        return head + _rows([r for r in report.results if result_word(r) != "proved"], paint)
    notes = [*_engines(report.results), *_every_n(report.every_n), *report.facts]
    if detail == "verbose" and report.seconds:
        notes.append("took " + ", ".join(f"{what} {took:.2f} s" for what, took in report.seconds))
    return [*head, *_rows(report.results, paint), *said("note", notes, " ", paint)]


def _claim(report: Report) -> str:
    """Say what the table claims and for which sizes it was checked; the sizes only once."""
    sizes = counted_sizes_text(report.sizes)
    if not report.claim:
        return f"checked for {sizes}"
    before, found, after = report.claim.rpartition(sizes_text(report.sizes))
    return f"{before}{sizes}" if found and not after else f"{report.claim}; checked for {sizes}"


def said(
    kind: Literal["note", "help"], texts: Sequence[str], blank: str, paint: Paint
) -> list[str]:
    """Write notes or helps as ``= note: ...``; the lines of one stand below each other."""
    lines: list[str] = []
    for text in texts:
        first, *others = text.splitlines() or [""]
        lines.append(f"{blank} {paint('gutter', '=')} {paint(kind, kind)}: {visible(first)}")
        margin = " " * (len(blank) + len(f" = {kind}: "))
        lines += [(margin + visible(other)).rstrip() for other in others]
    return lines


def _rows(results: Sequence[Result], paint: Paint) -> list[str]:
    cells = [(result_word(r), visible(r.name), _sizes_cell(r)) for r in results]
    wide = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines: list[str] = []
    for result, row in zip(results, cells, strict=True):
        state, *rest = (cell + " " * (w - width(cell)) for cell, w in zip(row, wide, strict=True))
        colored = paint(role_of(row[0]), row[0]) + state[len(row[0]) :]
        lines.append("  ".join(["", colored, *rest, visible(result.statement)]))
        margin = " " * (wide[0] + wide[1] + 6)
        lines += [margin + paint("faint", visible(remark)) for remark in _remarks(result)]
    return [line.rstrip() for line in lines]


def _outcomes(result: Result) -> dict[str, tuple[Size, ...]]:
    """List the sizes of a property by outcome, the outcome that names it first."""
    sizes = {
        "proved": result.proved,
        "refuted": result.refuted,
        "undecided": result.undecided,
        "waived": result.waived,
    }
    word = result_word(result)
    return {word: sizes.get(word, ()), **{w: s for w, s in sizes.items() if w != word and s}}


def _sizes_cell(result: Result) -> str:
    sizes = next(iter(_outcomes(result).values()))
    text = sizes_text(sizes)
    return text if len(text) <= _WIDEST_SIZES else count_text(len(sizes), "size")


def _remarks(result: Result) -> list[str]:
    """Say under a property why it is undecided, and what became of the other sizes."""
    remarks = [result.verdict.reason] if isinstance(result.verdict, Undecided) else []
    outcomes = list(_outcomes(result).items())
    if len(outcomes) > 1:
        told = outcomes[_sizes_cell(result).startswith("N") or bool(remarks) :]
        said = "; ".join(f"{word} for {sizes_text(sizes)}" for word, sizes in told)
        remarks = [f"{remarks[0]}; {said}" if remarks else said]
    return [*remarks, *([result.remark] if result.remark else [])]


def _every_n(found: Beyond | None) -> list[str]:
    """Say what induction proves for every N, and the invariants it proves it with."""
    if found is None or isinstance(found.verdict, Refuted):
        return []
    notes = []
    if found.proved:
        notes.append(f"for {found.sizes}, by induction over the steps: {join_text(found.proved)}")
    for reason in dict.fromkeys(reason for _, reason in found.undecided):
        names = [name for name, why in found.undecided if why == reason]
        what = f"{join_text(names)}: " if found.proved else ""
        notes.append(f"for {found.sizes}: {what}undecided ({reason})")
    for learned in found.invariants:
        when = f"after {learned.step} steps of `{learned.phase}`"
        notes.append(f"{when} {learned.says}\n{learned.text}")
    return notes


def _engines(results: Sequence[Result]) -> list[str]:
    """Say who decided what, once for all properties that were decided alike."""
    decided: dict[str, list[str]] = {}
    for result in results:
        if result.engines:
            decided.setdefault(result.engines, []).append(result.name)
    return [
        f"{'every property' if len(names) == len(results) else join_text(names)}: {engines}"
        for engines, names in decided.items()
    ]
