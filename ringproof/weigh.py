"""How long a table will take, roughly: so that many tables on few cores all end together."""

from __future__ import annotations

from ringproof.assess import Options
from ringproof.check import choose
from ringproof.events import expand
from ringproof.problem import ExpansionError
from ringproof.table.integers import Undefined
from ringproof.table.reader import read_schedule
from ringproof.table.source import Source, read
from ringproof.verdict import TableError

_EVENTS_A_SIZE = 2000  # what a size costs besides its sends, in sends


def weight(item: str | Source, options: Options) -> float:
    """The number of sends to look at over all sizes, judged by the middle one; 0 if unreadable."""
    try:
        source = item if isinstance(item, Source) else read(item)
        schedule = read_schedule(source.values, source.path)
        _, sizes = choose(schedule, options.ranks)
        if not sizes:
            return 0.0
        middle = expand(schedule, sizes[len(sizes) // 2], options.settings.memory / 64)
        return float(len(sizes) * (len(middle.step) + _EVENTS_A_SIZE))
    except (TableError, ExpansionError, Undefined, MemoryError):
        return 0.0
