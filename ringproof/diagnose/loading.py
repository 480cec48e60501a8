"""What a runtime refuses to load, and what it says of a file that promises nothing."""

from __future__ import annotations

from ringproof.diagnose.program import MOST_SHOWN, Words
from ringproof.program.load import Refusal
from ringproof.program.model import Program
from ringproof.program.places import Places
from ringproof.verdict import Finding, Label
from ringproof.wording import bytes_text, count_text


def refused(w: Words, runtime: str, refusals: tuple[Refusal, ...]) -> tuple[Finding, ...]:
    """One finding a rule that a runtime does not let pass."""
    found = []
    for rule in dict.fromkeys(one.rule for one in refusals):
        those = [one for one in refusals if one.rule == rule]
        labels = [_label(w, one) for one in those[: 1 + MOST_SHOWN]]
        places = f" (in {count_text(len(those), 'place')})" if len(those) > 1 else ""
        found.append(Finding(
            "RP631", f"{runtime} does not load it: {rule}{places}", "error", labels[0], tuple(labels[1:]),
            details={"runtime": runtime, "rule": rule, "count": len(those)},
        ))  # fmt: skip
    return tuple(found)


def _label(w: Words, one: Refusal) -> Label:
    return w.places.label(one.at, one.attribute, one.text)


def too_large(places: Places, program: Program, needed: float, allowed: float) -> Finding:
    """A program with more chunks or steps than may be held in memory."""
    title = f"it needs about {bytes_text(needed)} of memory; the limit is {bytes_text(allowed)}"
    gpu = max(program.gpus, key=lambda gpu: max(gpu.i_chunks, gpu.o_chunks, gpu.s_chunks))
    most = max(("i_chunks", "o_chunks", "s_chunks"), key=lambda name: int(getattr(gpu, name)))
    return Finding(
        "RP205", title, primary=places.label(gpu.at, most, f"{count_text(program.size, 'step')} in all"),
        helps=("raise the limit with --memory",), details={"bytes": needed},
    )  # fmt: skip


def nothing_promised(w: Words, coll: str) -> Finding:
    """A collective without a known result."""
    return Finding(
        "RP628", f"`{coll}` promises no result that is known: only the order of its steps is checked", "note",
        w.places.label(w.steps.program.at, "coll"),
        helps=("--post FILE gives the wanted result, --collective NAME says which one it is",),
    )  # fmt: skip
