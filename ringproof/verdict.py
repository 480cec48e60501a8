"""What a check can say: verdicts, findings and the report, all plain frozen values.

Routes, never line numbers: a place in a table is the path of keys that leads to it, such as
``("phase", 1, "send", 0, "chunk")``.  Only rendering asks the text where a route stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Literal

from ringproof.errors import RingproofError

Route = tuple[str | int, ...]


class Exit(IntEnum):
    """Exit codes of the command line."""

    PROVED = 0
    REFUTED = 1
    CANNOT_CHECK = 2
    UNDECIDED = 3
    INTERNAL = 101
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True, order=True)
class Size:
    """One size of a table: the number of ranks and one value for every parameter."""

    N: int
    params: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in (("N", self.N), *self.params))


@dataclass(frozen=True, slots=True)
class Place:
    """A value in a table, or a part of it.

    ``start`` and ``end`` are a half-open range of characters inside the string value at ``route``
    (an expression's text); ``on = "key"`` means the key itself instead of its value.
    """

    route: Route
    start: int | None = None
    end: int | None = None
    on: Literal["key", "value"] = "value"


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of the text itself, for a file that has no routes because it does not parse.

    ``line`` and ``column`` count from 1; columns count characters.
    """

    line: int
    column: int
    width: int = 1


@dataclass(frozen=True, slots=True)
class Label:
    """A place with the words written under it."""

    place: Place | Spot
    text: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """A value that, put at ``place`` instead of what stands there, has been proved to mend the table.

    ``says`` is the sentence about it, for whoever chooses.
    """

    place: Place
    value: str | int
    says: str


Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to say about a table: a stable code, where it is, and what to do.

    A note may have several lines; ``details`` are the same facts for machines, and ``repairs`` those
    of the helps that a machine can carry out.
    """

    code: str
    title: str
    severity: Severity = "error"
    primary: Label | None = None
    related: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)
    repairs: tuple[Repair, ...] = ()


class TableError(RingproofError):
    """A table that cannot be checked, with all findings; they may point into the other tables ``used``."""

    def __init__(self, findings: tuple[Finding, ...], used: tuple[Used, ...] = ()) -> None:
        super().__init__("; ".join(f"{f.code}: {f.title}" for f in findings))
        self.findings, self.used = findings, used

    def __reduce__(self) -> tuple[Any, ...]:  # so that it comes whole out of another process
        return type(self), (self.findings, self.used)


@dataclass(frozen=True, slots=True)
class Proved:
    """The property holds at every size that was asked, or is waived where it does not."""


@dataclass(frozen=True, slots=True)
class Refuted:
    """The property fails; ``counterexample`` is the finding about the smallest size, replayed."""

    counterexample: Finding


@dataclass(frozen=True, slots=True)
class Undecided:
    """Neither proved nor refuted, and why.  Never green."""

    reason: str


Verdict = Proved | Refuted | Undecided
_OURS = {"RP503", "RP508"}  # mistakes in ringproof


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one property.

    ``proved``, ``refuted``, ``undecided`` and ``waived`` are the sizes with that outcome, ascending
    and disjoint; ``engines`` says who decided it and for what, in words.
    """

    name: str
    statement: str
    verdict: Verdict
    engines: str
    proved: tuple[Size, ...] = ()
    refuted: tuple[Size, ...] = ()
    undecided: tuple[Size, ...] = ()
    waived: tuple[Size, ...] = ()
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Invariant:
    """A condition that was learned of one phase and proved.

    ``says`` is a sentence that ends where ``text``, a condition of the table language, begins;
    it holds after ``step`` steps of the phase.
    """

    phase: str
    step: str
    says: str
    text: str


@dataclass(frozen=True, slots=True)
class Beyond:
    """What induction over the steps says of every size from the claim's lower end on.

    ``verdict``: `Refuted` speaks of a size beyond the claim.  ``sizes``: the sizes it speaks of, in
    words.  ``proved``: properties, and claims by what they count; ``undecided``: the others, each
    with the reason.  ``demanded``: somebody wants to know, so undecided is not green.
    """

    verdict: Verdict
    sizes: str
    demanded: bool
    proved: tuple[str, ...] = ()
    undecided: tuple[tuple[str, str], ...] = ()
    invariants: tuple[Invariant, ...] = ()


@dataclass(frozen=True, slots=True)
class Used:
    """Another table that this one uses: the routes that begin with ``route`` stand in its text."""

    route: Route
    path: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """Everything there is to say about one table, or one program; `ringproof.render` writes it.

    ``text`` is the table's source, kept for drawing spans.  ``findings`` are in the order to read
    them: root cause first.  ``facts`` are sentences about what was proved, how, and what is assumed.
    ``seconds`` is shown only on request, so that the same input gives the same bytes.  ``used`` are
    the other tables it takes sends from.  ``every_n`` is None where induction was not asked.
    """

    path: str
    name: str
    text: str
    claim: str
    sizes: tuple[Size, ...] = ()
    results: tuple[Result, ...] = ()
    findings: tuple[Finding, ...] = ()
    facts: tuple[str, ...] = ()
    seconds: tuple[tuple[str, float], ...] = ()
    used: tuple[Used, ...] = ()
    every_n: Beyond | None = None
    kind: Literal["table", "program"] = "table"

    def __repr__(self) -> str:
        counts = f"results={len(self.results)}, findings={len(self.findings)}"
        return f"Report(path={self.path!r}, exit={self.exit!r}, {counts})"

    @property
    def exit(self) -> Exit:
        """The exit code this report alone deserves."""
        claimed = self.claimed
        if claimed is not Exit.PROVED or self.every_n is None or not self.every_n.demanded:
            return claimed
        if isinstance(self.every_n.verdict, Refuted):
            return Exit.REFUTED
        whole = isinstance(self.every_n.verdict, Proved) and not self.every_n.undecided
        return Exit.PROVED if whole else Exit.UNDECIDED

    @property
    def claimed(self) -> Exit:
        """The exit code as far as the table claims."""
        if any(f.code in _OURS for f in self.findings):
            return Exit.INTERNAL
        if any(f.code == "RP507" for f in self.findings):
            return Exit.INTERRUPTED
        if not self.results:
            errors = any(f.severity == "error" for f in self.findings)
            return Exit.CANNOT_CHECK if errors else Exit.UNDECIDED
        if any(isinstance(r.verdict, Refuted) for r in self.results):
            return Exit.REFUTED
        decided = all(isinstance(r.verdict, Proved) and (r.proved or r.waived) for r in self.results)
        return Exit.PROVED if self.sizes and decided else Exit.UNDECIDED


def worst(exits: list[Exit]) -> Exit:
    """The exit code of many checks: interrupted, internal error, refuted, cannot check, ..., proved."""
    order = (Exit.INTERRUPTED, Exit.INTERNAL, Exit.REFUTED, Exit.CANNOT_CHECK, Exit.UNDECIDED,
             Exit.PROVED)  # fmt: skip
    return next((code for code in order if code in exits), Exit.UNDECIDED)
