"""One element's attributes, read with their types; mistakes become findings instead of exceptions."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import islice

from ringproof.program.places import Places
from ringproof.table.misread import closest, cut
from ringproof.verdict import Finding, Label, Severity
from ringproof.wording import count_text, join_text

MOST = 20
_NUMBER = re.compile(r"-?[0-9]{1,19}")
LARGEST = 2**31 - 1


class Complaints:
    """What is wrong with a file so far; of the errors the first ``MOST`` are told, the rest counted."""

    def __init__(self, text: str) -> None:
        self.places = Places(text)
        self.findings: list[Finding] = []
        self.uncounted = 0
        self.unknown: dict[tuple[str, str], tuple[int, int]] = {}

    @property
    def errors(self) -> bool:
        """Whether anything makes the file unfit to be checked."""
        return any(finding.severity == "error" for finding in self.findings)

    @property
    def full(self) -> bool:
        """Whether further errors are only counted."""
        return len(self.findings) >= MOST

    def add(
        self, code: str, title: str, at: int, attribute: str = "", label: str = "", hint: str = "",
        related: tuple[Label, ...] = (), severity: Severity = "error",
    ) -> None:  # fmt: skip
        """Note one mistake at an element, or at one attribute of it."""
        if self.full:
            self.uncounted += 1
            return
        primary = self.places.label(at, attribute, label)
        helps = (hint,) if hint else ()
        self.findings.append(Finding(code, title, severity, primary, related, helps=helps))

    def skipped(self, tag: str, attribute: str, at: int) -> None:
        """Count an attribute, or an element where ``attribute`` is empty, that is not read."""
        first, count = self.unknown.get((tag, attribute), (at, 0))
        if count or len(self.unknown) < MOST:
            self.unknown[tag, attribute] = (first, count + 1)

    def told(self) -> tuple[Finding, ...]:
        """All findings in the order they were met, then a note for every name that was not read."""
        notes = []
        for (tag, name), (at, count) in self.unknown.items():
            title = f"`{cut(name)}` is no attribute of `{tag}` that a runtime reads"
            if not name:
                title = f"`{cut(tag)}` is no element that a runtime reads"
            where = self.places.label(at, name, f"on {count_text(count, 'element')}" if count > 1 else "")
            notes.append(Finding("RP606", title, "note", where))
        if self.uncounted:
            notes.append(Finding("RP006", f"{self.uncounted} more errors are not listed", "note"))
        return (*self.findings, *notes)


class Element:
    """An element of the file; every reader returns a value, or complains and returns a stand-in."""

    def __init__(self, tag: str, values: Mapping[str, str], at: int, complaints: Complaints) -> None:
        self.tag, self.values, self.at, self.complaints = tag, values, at, complaints

    def wrong(self, attribute: str, title: str, hint: str = "", code: str = "RP605", label: str = "") -> None:
        """Complain about the value of one attribute."""
        self.complaints.add(code, title, self.at, attribute, label, hint)

    def known(self, names: Collection[str]) -> None:
        """Remember the attributes that nobody knows."""
        for name in self.values:
            if name not in names:
                self.complaints.skipped(self.tag, name, self.at)

    def text(self, name: str) -> str:
        """An attribute that must be there."""
        value = self.values.get(name)
        if value is None:
            near = ""
            if not self.complaints.full:
                near = closest(name, islice((n for n in self.values if n not in _ALL), MOST))
            self.complaints.add("RP604", f"`{self.tag}` has no attribute `{name}`", self.at, hint=near)
            return ""
        return value

    def integer(self, name: str, least: int = 0, stand_in: int = 0, most: int = LARGEST) -> int:
        """A whole number that must be there and at least ``least``."""
        value = self.values.get(name)
        if value is None:
            self.text(name)
            return stand_in
        if not _NUMBER.fullmatch(value):
            self.wrong(name, f"`{name}` is a whole number, not `{cut(value)}`")
            return stand_in
        number = int(value)
        if number < least:
            self.wrong(name, f"`{name}` is at least {least}, not {number}")
            return stand_in
        if number > most:
            self.wrong(name, f"`{name}` is larger than any program's: {number}")
            return stand_in
        return number

    def optional(self, name: str) -> int | None:
        """A whole number that may be left out."""
        return self.integer(name, most=2**63 - 1) if name in self.values else None

    def flag(self, name: str) -> bool:
        """A 0 or a 1 that must be there."""
        value = self.values.get(name)
        if value not in ("0", "1"):
            if self.text(name) or value is not None:
                self.wrong(name, f"`{name}` is 0 or 1, not `{cut(value or '')}`")
            return False
        return value == "1"

    def word(self, name: str, words: Collection[str]) -> str:
        """One of some words."""
        value = self.values.get(name)
        if value in words:
            return str(value)
        if value is None:
            self.text(name)
        else:
            hint = closest(value, list(words)) or ""
            one_of = join_text([f"`{word}`" for word in words], "or")
            self.wrong(name, f"`{name}` is {one_of}, not `{cut(value)}`", hint)
        return next(iter(words))


_ALL = frozenset(
    "name proto nchannels nchunksperloop ngpus coll inplace outofplace minBytes maxBytes "
    "id i_chunks o_chunks s_chunks send recv chan s type srcbuf srcoff dstbuf dstoff "
    "cnt depid deps hasdep".split()
)
