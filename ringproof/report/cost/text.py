"""What schedules cost, for people: a block of numbers for each collective and N, then the notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from ringproof.cost.values import Bounds, Cost, Counted, Crossover, Survey, groups, ratios
from ringproof.report import text
from ringproof.report.cost import cells
from ringproof.report.cost.assumed import model_text
from ringproof.report.properties import said
from ringproof.report.snippet import Paint, Role, visible
from ringproof.report.text import Style, _painter
from ringproof.verdict import Size
from ringproof.wording import count_text, sizes_text

WIDTH = 100
REFUTED = "refuted"
ROLES: dict[str, Role] = {"costed": "good", "refuted": "error", "not claimed": "doubtful",
                          "cannot check": "error"}  # fmt: skip
BESIDE = ("schedule", "steps", "min", "x", "traffic", "x", "received", "x", "time")
MACHINE = ("schedule", "params", "messages", "sends", "a rank", "link", "load", "temp", "in D", "ports")
TIGHT = (3, 5, 7)  # the columns of BESIDE that belong to the one before
LEGEND = (
    "traffic: buffers (D) that a rank sends, least..most; received: by the busiest rank; x: times the "
    "lower bound; min: the fewest steps with as many ports as the table uses",
    "sends: chunks, in all and by a rank; link, load: the busiest; temp: chunks of scratch and receive "
    "buffer; ports: most partners in a step",
)


def render(survey: Survey, *, style: Style = "plain") -> str:
    """Write a survey for a terminal: files that cannot be read, costs, crossovers, notes, a summary."""
    paint = _painter(style)
    broken = text.render(survey.broken, style=style)
    blocks = [broken.splitlines()] if broken else []
    for group in groups(survey.costs):
        blocks += _group(group, paint)
    blocks += [_crossover(crossover, paint) for crossover in survey.crossovers]
    legend = LEGEND if any(cost.counted for cost in survey.costs) else ()
    if notes := [*legend, *model_text(survey), *survey.notes]:
        blocks.append(said("note", list(map(_wrapped, notes)), " ", paint))
    if survey.costs:
        blocks.append([_summary(survey, paint)])
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _wrapped(note: str) -> str:
    lines = (wrap(visible(line), WIDTH - 10, break_on_hyphens=False) for line in note.splitlines())
    return "\n".join(part for parts in lines for part in parts)


def _group(group: Sequence[Cost], paint: Paint) -> Iterator[list[str]]:
    """Two blocks for one collective and N: beside the bounds, and what it asks of the machine."""
    first = group[0]
    head = [paint("title", f"{first.collective}, N = {first.size.N}")]
    head += [f"  at least {text}" for text in dict.fromkeys(_bounds(c.bounds) for c in group if c.bounds)]
    beside = [BESIDE, *map(_beside, group)]
    if all(cost.seconds is None for cost in group):
        beside = [row[:-1] if len(row) > 2 else row for row in beside]
    yield [*head, "", *_drawn(beside, cells.columns(beside, tight=TIGHT), paint)]
    costed = [(cost, cost.counted) for cost in group if cost.counted]
    if costed:
        machine = [MACHINE, *(_machine(cost, counted) for cost, counted in costed)]
        left: Sequence[int] = (0, 1)
        tight: Sequence[int] = (1, 6, 8)
        if not any(cost.size.params for cost, _ in costed):
            machine = [(row[0], *row[2:]) for row in machine]
            left, tight = (0,), (5, 7)
        yield _drawn(machine, cells.columns(machine, left, tight), paint)


def _drawn(rows: Sequence[Sequence[str]], lines: Sequence[str], paint: Paint) -> list[str]:
    drawn = [paint("gutter", f"  {lines[0]}")]
    for row, line in zip(rows[1:], lines[1:], strict=True):
        refuted = len(row) == 2
        drawn.append(f"  {line.removesuffix(REFUTED)}{paint('error', REFUTED)}" if refuted else f"  {line}")
    return drawn


def _bounds(bounds: Bounds) -> str:
    sent, received = cells.buffers(bounds.sent), cells.buffers(bounds.received)
    moved = f"{sent} sent and received" if sent == received else f"{sent} sent and {received} received"
    return f"{count_text(bounds.one_port, 'step')} with one port; {moved} by the busiest rank"


def _beside(cost: Cost) -> tuple[str, ...]:
    """The counts that have a lower bound, each with how many times it they are."""
    counted, bounds = cost.counted, cost.bounds
    if counted is None:
        return cells.label(cost), *([REFUTED] if cost.outcome == REFUTED else [cells.NONE] * 8)
    times = {name: cells.ratio(value) for name, value in ratios(counted, bounds).items()}
    least, most = (counted.buffers(chunks) for chunks in (counted.sent.least, counted.sent.most))
    return (
        cells.label(cost),
        str(counted.steps), str(bounds.steps) if bounds else cells.NONE, times["steps"],
        cells.traffic(least, most), times["traffic"],
        cells.buffers(counted.buffers(counted.received.most)), times["received"],
        cells.seconds(cost.seconds) if cost.seconds is not None else cells.NONE,
    )  # fmt: skip


def _machine(cost: Cost, counted: Counted) -> tuple[str, ...]:
    """What else the send log counts."""
    load = cells.buffers(counted.buffers(counted.link.sends)) if counted.link else cells.NONE
    return (
        cells.label(cost), cells.params(cost), str(counted.messages), str(counted.total),
        cells.sends(counted.sent), cells.link(counted.link), load, str(counted.temporary),
        cells.buffers(counted.buffers(counted.temporary)), cells.ports(counted.ports),
    )  # fmt: skip


def _crossover(crossover: Crossover, paint: Paint) -> list[str]:
    """Which schedule wins where, a line for each interval of buffer sizes."""
    head = f"{crossover.collective}, N = {crossover.N}: fastest by size of the buffer"
    rows = [["from", "to", "schedule"]]
    for piece in crossover.intervals:
        ends = [cells.bytes_text(end) for end in (piece.first, piece.last)]
        rows.append([*ends, ", ".join(map(cells.named, piece.fastest))])
    first, *lines = _folded(cells.columns(rows, left=(2,)))
    return [paint("title", head), "", paint("gutter", f"  {first}"), *(f"  {line}" for line in lines)]


def _folded(lines: Sequence[str]) -> Iterator[str]:
    """Long lists of equally fast schedules, folded below their first."""
    margin = " " * lines[0].index("schedule")
    for line in lines:
        room = WIDTH - 2 - len(margin)
        first, *rest = wrap(line[len(margin) :], room, break_long_words=False)
        yield line[: len(margin)] + first
        yield from (margin + part for part in rest)


def _summary(survey: Survey, paint: Paint) -> str:
    """Count the tables at their sizes by what became of them."""
    words = [cost.outcome for cost in survey.costs]
    counts = {word: sum(w == word for w in words) for word in ROLES}
    counts["cannot check"] = len(survey.broken)
    parts = [paint(ROLES[word], f"{count} {word}") for word, count in counts.items() if count]
    tables = count_text(len({cost.path for cost in survey.costs}) + len(survey.broken), "table")
    sizes = [Size(N) for N in sorted({cost.size.N for cost in survey.costs})]
    return f"{tables} at {sizes_text(sizes)}: {', '.join(parts)}"
