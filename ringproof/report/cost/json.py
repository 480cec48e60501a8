"""What schedules cost, for programs: JSON with every count, bound and ratio, exact and as a float."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from ringproof.cost.values import Bounds, Cost, Counted, Crossover, Machine, Spread, Survey, ratios
from ringproof.report import concise

VERSION = 1


def render(survey: Survey) -> str:
    """Write a survey as one JSON document; the same survey gives the same bytes.

    Exact numbers are ``{"exact": "63/32", "value": 1.96875}``; buffers are in D, times in seconds,
    sizes in bytes, rates in bytes a second.
    """
    document = {
        "version": VERSION,
        "tool": "ringproof cost",
        "exit": int(survey.exit),
        "machine": _machine(survey.machine, survey.size),
        "tables": [_cost(cost) for cost in survey.costs],
        "crossovers": [_crossover(crossover) for crossover in survey.crossovers],
        "broken": [
            {"path": r.path, "findings": concise.render([r]).splitlines()} for r in survey.broken
        ],
        "notes": list(survey.notes),
    }
    return json.dumps(document, indent=2) + "\n"


def exact(value: Fraction | int) -> dict[str, Any]:
    """Write a number exactly and as a float."""
    return {"exact": str(value), "value": float(value)}


def _machine(machine: Machine | None, size: int | None) -> dict[str, Any] | None:
    if machine is None:
        return None
    return {
        "bytes": size,
        "alpha": exact(machine.alpha),
        "beta": exact(machine.beta),
        "gamma": exact(machine.gamma) if machine.gamma is not None else None,
        "ports": machine.ports,
    }


def _cost(cost: Cost) -> dict[str, Any]:
    return {
        "path": cost.path,
        "name": cost.name,
        "collective": cost.collective,
        "N": cost.size.N,
        "params": dict(cost.size.params),
        "outcome": cost.outcome,
        "reason": cost.reason or None,
        "remark": cost.remark or None,
        "counts": _counts(cost.counted) if cost.counted else None,
        "bounds": _bounds(cost.bounds) if cost.bounds else None,
        "ratios": _ratios(cost.counted, cost.bounds) if cost.counted and cost.bounds else None,
        "seconds": exact(cost.seconds) if cost.seconds is not None else None,
    }


def _counts(counted: Counted) -> dict[str, Any]:
    link, (out, into) = counted.link, counted.ports
    return {
        "chunks": counted.chunks,
        "steps": counted.steps,
        "messages": counted.messages,
        "messages_per_rank": counted.per_rank,
        "total_sends": counted.total,
        "sends_per_rank": _spread(counted.sent),
        "receives_per_rank": _spread(counted.received),
        "traffic": {k: exact(counted.buffers(v)) for k, v in _spread(counted.sent).items()},
        "received": {k: exact(counted.buffers(v)) for k, v in _spread(counted.received).items()},
        "busiest_link": link and {
            "sender": link.sender, "receiver": link.receiver, "sends": link.sends,
            "load": exact(counted.buffers(link.sends)), "links_as_busy": link.equals,
        },
        "temporary": {
            "scratch": counted.scratch, "receive_buffer": counted.swapped,
            "chunks": counted.temporary, "buffers": exact(counted.buffers(counted.temporary)),
        },
        "ports": {"out": out, "in": into},
        "steps_by_partners": dict(counted.partners),
        "serial_sends": counted.serial,
        "serial_adds": counted.added,
    }  # fmt: skip


def _spread(of: Spread) -> dict[str, int]:
    return {"least": of.least, "most": of.most}


def _bounds(bounds: Bounds) -> dict[str, Any]:
    return {
        "steps": bounds.steps,
        "steps_one_port": bounds.one_port,
        "traffic": exact(bounds.sent),
        "received": exact(bounds.received),
        "total": exact(bounds.total),
    }


def _ratios(counted: Counted, bounds: Bounds) -> dict[str, Any]:
    """How many times its bound each count is; null where the bound is 0."""
    return {n: exact(times) if times is not None else None for n, times in ratios(counted, bounds).items()}


def _crossover(crossover: Crossover) -> dict[str, Any]:
    return {
        "collective": crossover.collective,
        "N": crossover.N,
        "intervals": [
            {
                "from": exact(piece.first), "to": exact(piece.last),
                "fastest": [{"path": c.path, "params": dict(c.size.params)} for c in piece.fastest],
            }
            for piece in crossover.intervals
        ],
    }  # fmt: skip
