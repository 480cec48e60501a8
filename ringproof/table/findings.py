"""What is wrong with a table so far: findings in the order they are met, told in the table's order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ringproof.table.expr import ExprError
from ringproof.verdict import Finding, Label, Place, Route, TableError

MOST = 100
Position = tuple[int, ...]


class Findings:
    """A list that can be added to; beyond ``MOST`` errors are only counted."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.uncounted = 0

    @property
    def full(self) -> bool:
        """Whether further errors are only counted: then nothing more needs to be said of them."""
        return len(self.findings) >= MOST

    def add(
        self, code: str, title: str, route: Route, hint: str = "", label: str = "",
        on: Literal["key", "value"] = "value", part: tuple[int, int] | None = None,
        related: tuple[Label, ...] = (), notes: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """Note one error at a route, or at a part of the text that stands there."""
        if self.full:
            self.uncounted += 1
            return
        start, end = part or (None, None)
        primary = Label(Place(route, start, end, on), label)
        helps = (hint,) if hint else ()
        found = Finding(code, title, primary=primary, related=related, notes=notes, helps=helps)
        self.findings.append(found)

    def error(self, error: ExprError, route: Route) -> None:
        """Note everything that is wrong with one expression."""
        for one in (error, *error.more):
            self.add(one.code, one.title, route, one.hint, part=(one.start, one.end))

    def stop(self) -> TableError:
        """What to raise where reading on would take too long."""
        return TableError(tuple(self.findings))

    def told(self, values: Mapping[str, Any]) -> tuple[Finding, ...]:
        """All findings in the order of the table that ``values`` were read from."""
        ordered = sorted(self.findings, key=lambda finding: _position(finding, values))
        if self.uncounted:
            title = f"{self.uncounted} more errors are not listed"
            ordered.append(Finding("RP006", title, "note"))
        return tuple(ordered)


def _position(finding: Finding, values: Mapping[str, Any]) -> Position:
    """Where a finding stands among the others: key by key, what is missing before all else."""
    place = finding.primary.place if finding.primary else None
    if not isinstance(place, Place):
        return ()
    position: list[int] = []
    here: Any = values
    for step in place.route:
        if isinstance(here, dict):
            position.append(list(here).index(step) if step in here else -1)
            here = here.get(step)
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            position.append(step)
            here = here[step]
        else:
            break
    return (*position, -1 if place.start is None else place.start)
