"""How near a table comes to what no schedule can do better."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Best:
    """``counted`` by a table and ``least``, which no schedule goes below.

    Of "steps" in steps, of "traffic" in buffers (D) of the busiest rank, sent or received.  ``ports``
    and ``message`` are what the step bound allows: partners a step and chunks a message.
    """

    what: str
    counted: Fraction
    least: Fraction
    ports: int
    message: int

    @property
    def reached(self) -> bool:
        """Whether nothing better exists, by the closed form."""
        return self.counted == self.least
