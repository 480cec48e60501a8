"""One refuted property at its smallest size, and the places of a table that decide a send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ringproof.diagnose.lineage import Moment, moment
from ringproof.diagnose.words import for_how_many, slot_text
from ringproof.simulate import Outcome, Violations
from ringproof.table.schedule import Schedule
from ringproof.textfile import in_shell
from ringproof.verdict import Finding, Label, Place, Route, Size


@dataclass(frozen=True, slots=True)
class Case:
    """One refuted property at its smallest size, and how the other sizes came out."""

    schedule: Schedule
    path: str
    name: str
    outcome: Outcome
    violations: Violations
    proved: Sequence[Size]
    refuted: Sequence[Size]
    asked: int

    @property
    def size(self) -> Size:
        return self.outcome.events.size

    @property
    def chunks(self) -> int:
        return self.outcome.events.chunks

    @property
    def headline(self) -> str:
        return for_how_many(self.refuted, self.asked)

    def first(self) -> Moment:
        """The earliest send at fault."""
        return moment(self.outcome.events, self.violations.events[0])

    def earlier(self) -> Moment | None:
        """The send that the earliest one clashes with."""
        other = self.violations.other[:1]
        return moment(self.outcome.events, other[0]) if other and other[0] >= 0 else None

    def slot(self, slot: int) -> str:
        return slot_text(slot, self.chunks)

    def trace(self, chunk: int) -> str:
        params = "".join(f" -p {name}={value}" for name, value in self.size.params)
        command = f"ringproof trace {in_shell(self.path)} -N {self.size.N}{params} --chunk {chunk}"
        return f"{command}   shows every step of {self.slot(chunk)}"


def make(
    title: str, primary: Label, related: Sequence[Label] = (), notes: Sequence[str] = (),
    helps: Sequence[str] = (), details: Mapping[str, object] | None = None,
) -> Finding:  # fmt: skip
    return Finding("", title, "error", primary, tuple(related), tuple(notes), tuple(helps),
                   details or {})  # fmt: skip


def place_of(route: Route, key: str) -> Place:
    """The value of a row's key."""
    return Place((*route, key))


def peer(case: Case, m: Moment) -> Place:
    row = case.schedule.row(m.route)
    return place_of(m.route, "to" if row is None or row.push else "from")


def sends(case: Case, m: Moment) -> Place:
    """What decides a send: its chunk, or the partner where the chunk is written as a number."""
    row = case.schedule.row(m.route)
    constant = row is not None and row.chunk.node.op == "const"
    return peer(case, m) if constant else place_of(m.route, "chunk")


def has_into(case: Case, m: Moment) -> bool:
    row = case.schedule.row(m.route)
    return row is None or row.into.route[-1:] == ("into",)
