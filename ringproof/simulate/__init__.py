"""Exact replay of a schedule at one size: what happens, what it means and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, field

from ringproof.events import Events
from ringproof.problem import GIB
from ringproof.simulate import optional
from ringproof.simulate.contents import blocks
from ringproof.simulate.properties import Violations, conflict_free, defined, in_range, judge
from ringproof.simulate.state import Trail, replay
from ringproof.simulate.traffic import NOTHING, Counts, count

__all__ = ["Counts", "Optional", "Outcome", "Trail", "Violations", "replay", "simulate"]


@dataclass(frozen=True, slots=True)
class Optional:
    """Which further properties to judge; ``ports = 0`` does not limit the partners."""

    names: tuple[str, ...] = ()
    ports: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Outcome:
    """What replay found at one size.

    ``violations``: property -> where it fails (empty: it holds).  A property that cannot be asked,
    because an earlier one fails, is missing.  ``trail`` is None when the schedule cannot run.
    """

    events: Events
    counts: Counts
    violations: dict[str, Violations] = field(default_factory=dict)
    trail: Trail | None = None

    def __repr__(self) -> str:
        failing = [name for name, found in self.violations.items() if found]
        return f"Outcome({self.events.size}, {self.counts}, failing={failing})"


def simulate(
    events: Events, wanted: Optional = Optional(), memory: float = 4 * GIB
) -> Outcome:  # fmt: skip
    """Replay ``events`` and judge every property, root causes first.

    Errors: `ExpansionError` when the contents would not fit in ``memory`` bytes.
    """
    found = {"in-range": in_range(events)}
    if found["in-range"]:
        return Outcome(events, NOTHING, found)
    counts = count(events)
    found["conflict-free"] = conflict_free(events)
    if found["conflict-free"]:
        return Outcome(events, counts, found)
    trail = replay(events)
    found["defined"] = defined(events, trail)
    if found["defined"]:
        return Outcome(events, counts, found, trail)
    found.update(judge(events, trail, blocks(events, trail, memory)))
    for name in wanted.names:
        found[name] = _optional(name, events, trail)
    if wanted.ports:
        found["ports"] = optional.ports(events, wanted.ports)
    return Outcome(events, counts, found, trail)


def _optional(name: str, events: Events, trail: Trail) -> Violations:
    judges = {"used": optional.used, "order": optional.order, "no-swap": optional.no_swap}
    return judges[name](events, trail)
