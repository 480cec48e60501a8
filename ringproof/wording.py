"""Short English for sizes, counts and outcomes, shared by diagnosis and reports."""

from __future__ import annotations

from collections.abc import Sequence

from ringproof.verdict import Exit, Finding, Proved, Refuted, Report, Result, Size

_OUTCOMES = {
    Exit.REFUTED: "refuted",
    Exit.CANNOT_CHECK: "cannot check",
    Exit.INTERNAL: "internal error",
    Exit.INTERRUPTED: "interrupted",
}
OUTCOMES = ("proved", "refuted", "undecided", "nothing to prove", "cannot check", "internal error",
            "interrupted")  # fmt: skip
_MOST_PARTS = 8
_FIRST_PARTS = 4


def count_text(count: int, noun: str, plural: str = "") -> str:
    """Write a count with its noun: ``1 size``, ``63 sizes``."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def bytes_text(count: float) -> str:
    """A number of bytes with a binary unit."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.0f} EiB"


def join_text(words: Sequence[str], last: str = "and") -> str:
    """Write a list as English does: ``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Cut ascending numbers into maximal runs of neighbours: inclusive (first, last) pairs."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def sizes_text(sizes: Sequence[Size]) -> str:
    """Write sizes briefly: ``N = 2..64``, ``N = 3, 5..64``, ``N = 4..8 (9 sizes with params L)``.

    Up to three sizes with params are spelled out.  A list of more than eight parts is cut in the
    middle and then says how many sizes there are, so nothing is dropped in silence.
    """
    if not sizes:
        return "no size"
    params = tuple(dict.fromkeys(name for size in sizes for name, _ in size.params))
    if params and len(sizes) <= 3:
        return "; ".join(str(size) for size in sorted(sizes))
    text = _numbers_text(sorted({size.N for size in sizes}))
    if not params:
        return text
    noun = "param" if len(params) == 1 else "params"
    counted = f"{count_text(len(sizes), 'size')} with {noun} {', '.join(params)}"
    return f"{text.partition(' (')[0]} ({counted})"


def _numbers_text(numbers: Sequence[int]) -> str:
    parts: list[str] = []
    for first, last in runs(numbers):
        if last - first < 2:
            parts += [str(number) for number in range(first, last + 1)]
        else:
            parts.append(f"{first}..{last}")
    if len(parts) <= _MOST_PARTS:
        return "N = " + ", ".join(parts)
    shown = [*parts[:_FIRST_PARTS], "...", parts[-1]]
    return f"N = {', '.join(shown)} ({count_text(len(numbers), 'size')})"


def counted_sizes_text(sizes: Sequence[Size]) -> str:
    """Write sizes briefly and always say how many: ``N = 2..64 (63 sizes)``."""
    text = sizes_text(sizes)
    if len(sizes) == 1 or not sizes or text.endswith(")"):
        return text
    return f"{text} ({count_text(len(sizes), 'size')})"


def result_word(result: Result) -> str:
    """Name what became of a property in one word; only a property that was proved says so."""
    if isinstance(result.verdict, Refuted):
        return "refuted"
    if not isinstance(result.verdict, Proved):
        return "undecided"
    if result.waived:
        return "waived"
    return "proved" if result.proved else "vacuous"


def outcome(report: Report) -> str:
    """Name what became of a table; the words match the exit codes."""
    if report.exit in _OUTCOMES:
        return _OUTCOMES[report.exit]
    if not report.sizes or not report.results:
        return "nothing to prove"
    vacuous = any(result_word(result) == "vacuous" for result in report.results)
    return "undecided" if vacuous or report.exit is not Exit.PROVED else "proved"


def outcome_text(report: Report) -> str:
    """Say in one line, without the path, how a check ended: what is proved, and for which N."""
    word = outcome(report)
    if report.claimed is Exit.PROVED and word != "proved":
        return f"{word}  {_beyond_text(report)}; proved for the claim, {counted_sizes_text(report.sizes)}"
    words = [result_word(result) for result in report.results]
    if word in ("refuted", "undecided", "proved"):
        count = words.count(word)
        text = f"{word}  {count} of {count_text(len(words), 'property', 'properties')}"
        if word != "refuted":
            text += f" for {counted_sizes_text(report.sizes)}"
            beyond = _beyond_text(report) if report.claimed is Exit.PROVED else ""
            text += f"; {beyond}" if beyond else ""
        others = [w for w in dict.fromkeys(words) if w not in (word, "proved")]
        text += "".join(f"; {words.count(w)} {w}" for w in others)
        if word == "refuted" and report.kind == "table":
            text += f"; {'counterexample' if count == 1 else 'counterexamples'} replayed"
        return text
    errors = sum(finding.severity == "error" for finding in report.findings)
    return f"{word}  {count_text(errors, 'error')}" if errors else word


def _beyond_text(report: Report) -> str:
    """Say of a proved table what is known of every N."""
    found = report.every_n
    if found is None:
        return ""
    if isinstance(found.verdict, Refuted):
        return f"not for every N, first wrong at {found.verdict.counterexample.details['size']}"
    if not isinstance(found.verdict, Proved) or (found.demanded and found.undecided):
        return f"not decided for {found.sizes}" if found.demanded else ""
    count = sum(result.name in found.proved for result in report.results)
    return f"{'all' if count == len(report.results) else f'{count} of them'} for {found.sizes}"


def every_finding(report: Report) -> tuple[Finding, ...]:
    """List a report's findings once each, with any counterexample that they leave out."""
    found = list(report.findings)
    for result in report.results:
        if isinstance(result.verdict, Refuted) and result.verdict.counterexample not in found:
            found.append(result.verdict.counterexample)
    return tuple(found)
