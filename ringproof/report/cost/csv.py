"""What schedules cost, for spreadsheets: a header, then plain numbers, a line for each table and N."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from fractions import Fraction

from ringproof.cost.values import Bounds, Cost, Counted, Survey, ratios
from ringproof.report.cost import cells

Number = Fraction | int | None

COUNTS: Mapping[str, Callable[[Counted], Number]] = {
    "chunks": lambda c: c.chunks,
    "steps": lambda c: c.steps,
    "messages": lambda c: c.messages,
    "messages_per_rank": lambda c: c.per_rank,
    "total_sends": lambda c: c.total,
    "sends_least": lambda c: c.sent.least,
    "sends_most": lambda c: c.sent.most,
    "traffic_least": lambda c: c.buffers(c.sent.least),
    "traffic_most": lambda c: c.buffers(c.sent.most),
    "received_least": lambda c: c.buffers(c.received.least),
    "received_most": lambda c: c.buffers(c.received.most),
    "link_sender": lambda c: c.link.sender if c.link else None,
    "link_receiver": lambda c: c.link.receiver if c.link else None,
    "link_load": lambda c: c.buffers(c.link.sends) if c.link else None,
    "scratch_chunks": lambda c: c.scratch,
    "receive_buffer_chunks": lambda c: c.swapped,
    "temporary_chunks": lambda c: c.temporary,
    "temporary": lambda c: c.buffers(c.temporary),
    "ports_out": lambda c: c.ports[0],
    "ports_in": lambda c: c.ports[1],
}
BOUNDS: Mapping[str, Callable[[Bounds], Number]] = {
    "steps_bound": lambda b: b.steps,
    "steps_bound_one_port": lambda b: b.one_port,
    "traffic_bound": lambda b: b.sent,
    "received_bound": lambda b: b.received,
    "total_bound": lambda b: b.total,
}
RATIOS = ("steps", "traffic", "received", "total")
NAMES = ("path", "name", "collective", "N", "params", "outcome")


def render(survey: Survey) -> str:
    """Write a survey as CSV: traffic, loads and buffers in D, times in seconds; empty: no number.

    With crossovers asked for, they alone: the ends of each interval in bytes, and who is fastest.
    """
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerows(_crossovers(survey) if survey.crossovers else _costs(survey))
    return output.getvalue()


def _costs(survey: Survey) -> list[list[str]]:
    rows = [[*NAMES, *COUNTS, *BOUNDS, *(f"{name}_ratio" for name in RATIOS), "seconds"]]
    for cost in survey.costs:
        counted, bounds = cost.counted, cost.bounds
        times = ratios(counted, bounds) if counted else dict.fromkeys(RATIOS)
        rows.append([
            cost.path, cost.name, cost.collective, str(cost.size.N), cells.params(cost), cost.outcome,
            *(plain(of(counted)) if counted else "" for of in COUNTS.values()),
            *(plain(of(bounds)) if bounds else "" for of in BOUNDS.values()),
            *(plain(times[name]) for name in RATIOS), plain(cost.seconds),
        ])  # fmt: skip
    return rows


def _crossovers(survey: Survey) -> list[list[str]]:
    rows = [["collective", "N", "from_bytes", "to_bytes", "fastest"]]
    for crossover in survey.crossovers:
        for piece in crossover.intervals:
            ends = [plain(piece.first), plain(piece.last)]
            named = " ".join(map(_named, piece.fastest))
            rows.append([crossover.collective, str(crossover.N), *ends, named])
    return rows


def _named(cost: Cost) -> str:
    params = cells.params(cost).replace(", ", ",")
    return f"{cost.label}({params})" if params else cost.label


def plain(value: Number) -> str:
    """Write a whole number as it is, any other as the nearest float, nothing as nothing."""
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else repr(float(value))
