"""What schedules cost, as one table for a README: a line for each schedule, its N side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ringproof.cost.values import Bounds, Cost, Counted, Survey, ratios
from ringproof.report import concise
from ringproof.report.cost import cells
from ringproof.report.cost.assumed import model_text
from ringproof.report.snippet import visible

COLUMNS: Mapping[str, Callable[[Counted, Bounds | None], str]] = {
    "steps": lambda c, _: str(c.steps),
    "x steps": lambda c, b: cells.ratio(ratios(c, b)["steps"]),
    "sent": lambda c, _: cells.buffers(c.buffers(c.sent.most)),
    "x sent": lambda c, b: cells.ratio(ratios(c, b)["traffic"]),
    "received": lambda c, _: cells.buffers(c.buffers(c.received.most)),
    "messages": lambda c, _: str(c.messages),
    "busiest link": lambda c, _: cells.buffers(c.buffers(c.link.sends)) if c.link else cells.NONE,
    "temporary": lambda c, _: cells.buffers(c.buffers(c.temporary)),
    "ports": lambda c, _: cells.ports(c.ports),
}
LEAST: Mapping[str, Callable[[Bounds], str]] = {
    "steps": lambda b: str(b.one_port),
    "sent": lambda b: cells.buffers(b.sent),
    "received": lambda b: cells.buffers(b.received),
}
LEGEND = (
    "D is the buffer. Sent and received: by the busiest rank. x: times the lower bound; for steps that of "
    "schedules with as many ports, at the head of a collective that with one port.",
    "Busiest link, temporary (scratch and receive buffer) and ports (most partners in a step): the most.",
)


def render(survey: Survey) -> str:
    """Write a survey as one table, the collectives below each other, and its notes as a list."""
    numbers = sorted({cost.size.N for cost in survey.costs})
    timed = any(cost.seconds is not None for cost in survey.costs)
    head = [f"N = {_beside([str(N) for N in numbers])}", *COLUMNS, *(["time"] if timed else [])]
    rows = [head, ["---", *["--:"] * (len(head) - 1)]]
    for group in _by(survey.costs, lambda cost: cost.collective):
        rows.append(_least(group, numbers, len(head)))
        tables = _by(group, lambda cost: (cost.path, cost.label))
        rows += [_table(table, numbers, head[1:]) for table in tables]
    parts = ["".join(f"| {' | '.join(row)} |\n" for row in rows)] if numbers else []
    if survey.crossovers:
        parts.append(_crossovers(survey))
    notes = [*(LEGEND if numbers else ()), *model_text(survey), *survey.notes]
    notes += concise.render(survey.broken).splitlines()
    parts.append("".join(f"- {_escaped('; '.join(map(visible, note.splitlines())))}\n" for note in notes))
    return "\n".join(part for part in parts if part)


def _by(costs: Sequence[Cost], key: Callable[[Cost], object]) -> list[list[Cost]]:
    """Costs with the same key together, in the order in which the keys first come."""
    found: dict[object, list[Cost]] = {}
    for cost in costs:
        found.setdefault(key(cost), []).append(cost)
    return list(found.values())


def _least(group: Sequence[Cost], numbers: Sequence[int], length: int) -> list[str]:
    """The row at the head of a collective: its lower bounds."""
    cells_of = {}
    for name, of in LEAST.items():
        least = {N: {of(c.bounds): None for c in group if c.bounds and c.size.N == N} for N in numbers}
        cells_of[name] = _beside([" or ".join(texts) or cells.NONE for texts in least.values()])
    row = [f"**{group[0].collective}**, at least", *(cells_of.get(name, "") for name in COLUMNS)]
    return row + [""] * (length - len(row))


def _table(table: Sequence[Cost], numbers: Sequence[int], names: Sequence[str]) -> list[str]:
    """One schedule: what it costs at each N, ``-`` where it is not costed."""
    first, at = table[0], {cost.size.N: cost for cost in table}
    params = list(dict.fromkeys(cells.params(cost) for cost in table if cost.size.params))
    named = f"[{_escaped(cells.label(first))}]({_escaped(visible(first.path))})"
    row = [f"{named} {_beside(params)}".rstrip()]
    for name in names:
        row.append(_beside([_cell(at[N], name) if N in at else cells.NONE for N in numbers]))
    return row


def _cell(cost: Cost, name: str) -> str:
    if cost.counted is None:
        return cost.outcome if name == "steps" and cost.outcome == "refuted" else cells.NONE
    if name == "time":
        return cells.seconds(cost.seconds) if cost.seconds is not None else cells.NONE
    return COLUMNS[name](cost.counted, cost.bounds)


def _crossovers(survey: Survey) -> str:
    rows = [["collective", "N", "from", "to", "fastest"], ["---", "--:", "--:", "--:", "---"]]
    for crossover in survey.crossovers:
        for piece in crossover.intervals:
            ends = [cells.bytes_text(end) for end in (piece.first, piece.last)]
            named = _escaped(", ".join(map(cells.named, piece.fastest)))
            rows.append([crossover.collective, str(crossover.N), *ends, named])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _beside(texts: Sequence[str]) -> str:
    """What stands for each N, once where it is always the same."""
    return texts[0] if len(set(texts)) == 1 else " / ".join(texts)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")
