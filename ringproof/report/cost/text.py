"""What schedules cost, for people: a block of numbers for each collective and N, then the notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Literal

from ringproof.cost.units import duration_text, rate_text, size_text
from ringproof.cost.values import Bounds, Cost, Counted, Crossover, Machine, Survey, groups
from ringproof.report import text
from ringproof.report.cost import cells
from ringproof.report.properties import said
from ringproof.report.snippet import Paint, visible
from ringproof.report.text import Style, _painter
from ringproof.wording import count_text

WIDTH = 100
_REFUTED = "refuted"


def render(survey: Survey, *, style: Style = "plain") -> str:
    """Write a survey for a terminal: files that cannot be read, costs, crossovers, notes, a summary."""
    paint = _painter(style)
    broken = text.render(survey.broken, style=style)
    blocks = [broken.splitlines()] if broken else []
    for group in groups(survey.costs):
        blocks += _group(group, paint)
    blocks += [_crossover(crossover, paint) for crossover in survey.crossovers]
    if notes := [*_model(survey), *survey.notes]:
        wrapped = ["\n".join(wrap(visible(note), WIDTH - 10)) for note in notes]
        blocks.append(said("note", wrapped, " ", paint))
    if survey.costs:
        blocks.append([_summary(survey, paint)])
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _group(group: Sequence[Cost], paint: Paint) -> Iterator[list[str]]:
    """Two blocks of one collective and N: beside the bounds, and what it asks of the machine."""
    first = group[0]
    head = [paint("title", f"{first.collective}, N = {first.size.N}")]
    known = next((cost.bounds for cost in group if cost.bounds), None)
    if known:
        head.append(f"  at least {_bound_text(known)}")
    yield [*head, "", *_table(group, _against_bounds(group), paint)]
    costed = [cost for cost in group if cost.counted]
    if costed:
        yield _table(costed, [_machine_row(cost) for cost in costed], paint, _MACHINE)


def _bound_text(bounds: Bounds) -> str:
    sent, received = cells.buffers(bounds.sent), cells.buffers(bounds.received)
    moved = f"{sent} sent and received" if sent == received else f"{sent} sent, {received} received"
    return f"{count_text(bounds.one_port, 'step')} with one port; {moved} by the busiest rank"
