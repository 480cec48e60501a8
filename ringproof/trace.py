"""`trace`: every step of a schedule in words, and what each slot then holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import click
import numpy as np

from ringproof.diagnose.lineage import Lineage, Moment, wanted
from ringproof.diagnose.problems import problem
from ringproof.diagnose.words import difference, slot_text, sum_text
from ringproof.events import expand
from ringproof.output import reader_may_leave, say
from ringproof.problem import ExpansionError, Problem
from ringproof.report import text
from ringproof.simulate import Outcome, simulate
from ringproof.table.integers import Undefined
from ringproof.table.reader import read_schedule
from ringproof.table.schedule import Schedule
from ringproof.table.source import read
from ringproof.textfile import STDIN
from ringproof.verdict import Exit, Report, Size, TableError


def run_trace(
    path: str, N: int, params: tuple[tuple[str, int], ...], chunk: int | None, rank: int | None
) -> Exit:
    """Print the trace of one size; exit 1 where the schedule ends wrong or cannot run."""
    report = Report(STDIN if path == "-" else path, "", "", "")
    try:
        source = read(path)
        report = replace(report, text=source.text)
        schedule = read_schedule(source.values, source.path)
        report = replace(report, used=schedule.used)
        size = size_of(schedule, N, params)
        outcome = simulate(expand(schedule, size))
    except TableError as error:
        written, used = getattr(error, "text", report.text), error.used or report.used
        return _refuse(replace(report, text=written, used=used, findings=error.findings))
    except ExpansionError as error:
        return _refuse(replace(report, findings=tuple(map(problem, error.problems))))
    _inside(outcome, chunk, rank)
    if outcome.trail is None:
        broken = next(name for name, v in outcome.violations.items() if v)
        say(f"{size}: the schedule cannot run, it is not {broken}; see `ringproof check`")
        return Exit.REFUTED
    with reader_may_leave():
        click.echo(f"{source.path}: {schedule.name}, {size}\n")
        for line in _lines(schedule, outcome, chunk, rank):
            click.echo(line)
    return Exit.REFUTED if outcome.violations.get("complete") else Exit.PROVED


def _refuse(report: Report) -> Exit:
    with reader_may_leave():
        click.echo(text.render([report]), nl=False)
    return report.exit


def size_of(schedule: Schedule, N: int, params: tuple[tuple[str, int], ...]) -> Size:
    """The first size with these values; errors: `UsageError` when the table claims none."""
    lo, hi = schedule.ranks
    if not lo <= N <= hi:
        raise click.UsageError(f"the table claims N = {lo}..{hi}, not N = {N}")
    try:
        sizes = list(schedule.at(N))
    except Undefined as error:
        raise ExpansionError((Problem.undefined(error, Size(N), {}),)) from None
    if not sizes:
        raise click.UsageError(f"the table claims nothing of N = {N}: its `where` or `params` leave it out")
    for name, value in params:
        values = list(dict.fromkeys(dict(s.params)[name] for s in sizes if name in dict(s.params)))
        if not values:
            known = ", ".join(dict(sizes[0].params)) or "none"
            raise click.UsageError(f"the table has no parameter {name}; its parameters: {known}")
        sizes = [s for s in sizes if dict(s.params)[name] == value]
        if not sizes:
            listed = ", ".join(map(str, values[:12])) + (", ..." if len(values) > 12 else "")
            raise click.UsageError(f"{name} is never {value} at N = {N}; it is one of {listed}")
    return sizes[0]


def _inside(outcome: Outcome, chunk: int | None, rank: int | None) -> None:
    if chunk is not None and chunk >= outcome.events.slots:
        raise click.UsageError(f"there is no chunk {chunk}; slots are 0..{outcome.events.slots - 1}")
    if rank is not None and rank >= outcome.events.ranks:
        raise click.UsageError(f"there is no rank {rank}; ranks are 0..{outcome.events.ranks - 1}")


def _lines(
    schedule: Schedule, outcome: Outcome, chunk: int | None, rank: int | None
) -> Iterator[str]:
    events, lineage = outcome.events, Lineage(outcome)
    shown = np.ones(len(events.step), dtype=bool)
    if chunk is not None:
        shown &= (events.chunk == chunk) | (events.into == chunk)
    if rank is not None:
        shown &= (events.sender == rank) | (events.receiver == rank)
    for step in range(events.steps):
        phase = schedule.phases[events.phase_of(step)]
        yield f"step {step}, {phase.name}"
        here = np.flatnonzero(shown & (events.step == step)).tolist()
        for event in here:
            yield f"  {_sent(lineage, lineage.moment(event), events.chunks)}"
        if not here:
            yield "  nothing" if chunk is None and rank is None else "  nothing shown here"
    yield "end"
    yield from _ends(outcome, lineage, chunk, rank)


def _sent(lineage: Lineage, m: Moment, chunks: int) -> str:
    trail, unit = lineage.trail, m.into if m.into < chunks else m.chunk
    sent, before, after = (
        sum_text(lineage.contents(int(x[m.event])), unit)
        for x in (trail.sent, trail.before, trail.after)
    )
    where = slot_text(m.chunk, chunks)
    if m.into != m.chunk:
        where += f" into {slot_text(m.into, chunks)}"
    arrow = f"rank {m.sender} -> rank {m.receiver}" if m.sender != m.receiver else f"rank {m.sender}"
    if m.reduce:
        return f"{arrow}  {where}: {sent} is added to {before}, giving {after}"
    replaced = "" if before == "unset" else f", replacing {before}"
    return f"{arrow}  {where}: {sent} is copied{replaced}"


def _ends(
    outcome: Outcome, lineage: Lineage, chunk: int | None, rank: int | None
) -> Iterator[str]:
    events = outcome.events
    final = lineage.trail.final().reshape(events.ranks, events.slots)
    for r in range(events.ranks) if rank is None else (rank,):
        for slot in range(events.slots) if chunk is None else (chunk,):
            got = lineage.contents(int(final[r, slot]))
            line = f"  rank {r}  {slot_text(slot, events.chunks)}: {sum_text(got, slot)}"
            if slot < events.chunks and events.contract.ends[r, slot]:
                expected = wanted(events, (r, slot))
                key = next(iter(expected), (0, slot))[1]
                wrong = difference(expected, got, key)
                line += f"   WRONG: {wrong}" if wrong else "   as promised"
            yield line
