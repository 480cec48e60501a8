"""What a row sends, in words: for the row under the pointer, at one number of ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from ringproof.diagnose.problems import problem
from ringproof.events import Events, expand
from ringproof.problem import ExpansionError
from ringproof.table.integers import Undefined
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Phase, Schedule
from ringproof.table.source import Source, locate
from ringproof.textfile import Span
from ringproof.verdict import Place, Route, Size, TableError
from ringproof.wording import count_text

MEMORY = float(64 << 20)  # bytes: a hover must be there at once
_STEPS, _SENDS, _LOOKED, _PARAMS = 12, 12, 64, 8


def hover(source: Source, line: int, N: int) -> str:
    """What the row on a line (from 1) sends at N ranks, in Markdown; empty where there is no row.

    Where the table does not claim N, the next size that it claims; of several parameters the first
    with which the row sends anything.
    """
    route = row_at(source, line)
    if not route:
        return ""
    try:
        schedule = read_schedule(source.values, source.path)
        sizes = nearest(schedule, N)
        if not sizes:
            return f"The table claims no size near N = {N}."
        events = _first_sending(schedule, sizes, route)
    except TableError:
        return ""  # the diagnostics say why
    except ExpansionError as error:
        return f"{problem(error.problems[0]).title}."
    except Undefined as error:
        return f"{error.reason}."
    return _words(schedule, events, route)


def _first_sending(schedule: Schedule, sizes: Sequence[Size], route: Route) -> Events:
    """The sends at the first size at which the row sends, else at the first; errors: `ExpansionError`."""
    first = expand(schedule, sizes[0], MEMORY)
    events, others = first, iter(sizes[1:])
    while not len(_chosen(events, route)):
        size = next(others, None)
        if size is None:
            return first
        events = expand(schedule, size, MEMORY)
    return events


def _chosen(events: Events, route: Route) -> np.ndarray:
    """Which sends a row makes, or the rows of a used table."""
    rows = [i for i, other in enumerate(events.routes) if other[: len(route)] == route]
    return np.flatnonzero(np.isin(events.row, rows))


def row_at(source: Source, line: int) -> Route:
    """The row, written-out send or used table that a line belongs to; empty for none."""
    places: dict[Place, Route] = {}
    phases = source.values.get("phase")
    for i, phase in enumerate(phases if isinstance(phases, list) else ()):
        for route, keys in _rows(phase, ("phase", i)):
            whole = [Place(route), *(Place((*route, key)) for key in keys)]
            places |= dict.fromkeys([*whole, *(Place((*route, key), on="key") for key in keys)], route)
    for place, span in locate(source, places).items():
        if _covers(span, line):
            return places[place]
    return ()


def _rows(phase: object, route: Route) -> Iterator[tuple[Route, list[str]]]:
    if not isinstance(phase, dict):
        return
    if "use" in phase:
        yield (*route, "use"), []
    for what in ("send", "sends"):
        rows = phase.get(what)
        for j, row in enumerate(rows if isinstance(rows, list) else ()):
            if isinstance(row, dict):
                yield (*route, what, j), list(row)


def _covers(span: Span, line: int) -> bool:
    return span.line <= line <= span.end_line


def nearest(schedule: Schedule, N: int) -> list[Size]:
    """Some claimed sizes with N ranks, else with the next more or the next fewer of them."""
    lo, hi = schedule.ranks
    start = min(max(N, lo), hi)
    tried = (n for d in range(_LOOKED) for n in dict.fromkeys((start + d, start - d)) if lo <= n <= hi)
    for n in tried:
        if found := list(islice(schedule.at(n), _PARAMS)):
            return found
    return []


def _words(schedule: Schedule, events: Events, route: Route) -> str:
    chosen = _chosen(events, route)
    phase = _phase(schedule, route)
    steps = np.unique(events.step[chosen]).tolist()
    ops = [word for word, there in (("reduce", events.reduce[chosen].any()),
                                    ("copy", not events.reduce[chosen].all())) if there]  # fmt: skip
    head = f"`{phase.name}` at {events.size}: {count_text(len(chosen), 'send')}"
    if not steps:
        return f"{head}."
    head += f" in {count_text(len(steps), 'step')}, {' and '.join(ops)}"
    return "\n".join([head, "", "```text", *_lines(events, chosen, steps), "```"])


def _phase(schedule: Schedule, route: Route) -> Phase:
    return next(phase for phase in schedule.phases if phase.route == route[:2])


def _lines(events: Events, chosen: np.ndarray, steps: Sequence[int]) -> Iterator[str]:
    for step in steps[:_STEPS]:
        sends = chosen[events.step[chosen] == step].tolist()
        words = ",  ".join(_send(events, i) for i in sends[:_SENDS])
        more = f",  and {len(sends) - _SENDS} more" if len(sends) > _SENDS else ""
        yield f"step {step}: {words}{more}"
    if len(steps) > _STEPS:
        yield f"and {count_text(len(steps) - _STEPS, 'more step', 'more steps')}"


def _send(events: Events, i: int) -> str:
    """One send: from where to where, which slot is read, and which is written if it is another."""
    sender, receiver, chunk, into = (
        int(column[i]) for column in (events.sender, events.receiver, events.chunk, events.into)
    )
    where = f"{sender}" if sender == receiver else f"{sender} -> {receiver}"
    return f"{where} chunk {chunk}" + (f" into {into}" if into != chunk else "")
