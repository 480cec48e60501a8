"""What replay says of a table at given sizes: the plain judge beside every proof."""

from __future__ import annotations

from collections.abc import Iterable

from ringproof.events import expand
from ringproof.problem import ExpansionError
from ringproof.simulate import simulate
from ringproof.table.schedule import Schedule
from ringproof.verdict import Size


def is_wrong(schedule: Schedule, sizes: Iterable[Size]) -> bool:
    """Whether at one of these sizes it breaks a property that it does not waive, or cannot be unrolled."""
    for size in sizes:
        try:
            outcome = simulate(expand(schedule, size))
        except ExpansionError:
            return True
        if any(found for name, found in outcome.violations.items() if name not in schedule.waive):
            return True
    return False
