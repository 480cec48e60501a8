"""What a runtime refuses to load, and what it says of a file that promises nothing."""

from __future__ import annotations

from ringproof.diagnose.program import MOST_SHOWN, Words
from ringproof.program.load import Refusal
from ringproof.verdict import Finding, Label
from ringproof.wording import count_text


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


def nothing_promised(w: Words, coll: str) -> Finding:
    """A collective without a known result."""
    return Finding(
        "RP628", f"`{coll}` promises no result that is known: only the order of its steps is checked", "note",
        w.places.label(w.steps.program.at, "coll"),
        helps=("--post FILE gives the wanted result, --collective NAME says which one it is",),
    )  # fmt: skip
