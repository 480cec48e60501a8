"""The matrix and life layouts, for any N: which chunk each rank sends, and where one chunk's parts are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ringproof.figure import palette
from ringproof.figure.focus import Focus
from ringproof.figure.grid import NotLegibleError, titles
from ringproof.figure.lettering import width_of
from ringproof.figure.scene import Fill, Frame, Ink, Line, Text, bold, regular, snapped
from ringproof.figure.shades import life_color, lowest_sent, most_sent, shades
from ringproof.figure.story import Story

LEAST_CELL = 0.5
_LEFT_EXTRA, _TOP = 4.5, 14.5
_CUT, OVER = 1.4, 0.3  # the gap between two phases; how far a cell lies under the next
_MOST_TALL, _LEAST_TALL = 150.0, 60.0


@dataclass(frozen=True, slots=True)
class Heat:
    """A field of cells in points; before every column of ``cuts`` a phase begins, and a gap."""

    left: float
    top: float
    width: float
    height: float
    columns: int
    rows: int
    cuts: tuple[int, ...]

    @property
    def across(self) -> float:
        """The width of a cell."""
        return (self.width - _CUT * len(self.cuts)) / self.columns

    @property
    def down(self) -> float:
        """The height of a cell."""
        return self.height / self.rows

    def x(self, column: int) -> float:
        """The left edge of a column."""
        return snapped(self._x(column))

    def right(self, column: int) -> float:
        """The right edge of a column."""
        return snapped(self._x(column) + self.across)

    def _x(self, column: int) -> float:
        return self.left + column * self.across + _CUT * sum(1 for cut in self.cuts if cut <= column)

    def y(self, row: int) -> float:
        """The upper edge of a row."""
        return snapped(self.top + row * self.down)

    def ends(self, column: int) -> bool:
        """Whether nothing adjoins a column at its right."""
        return column == self.columns - 1 or column + 1 in self.cuts


def matrix(story: Story, width: float, heading: str = "") -> tuple[list[Ink], list[float]]:
    """Which chunk each rank sends in each step; errors: `NotLegibleError`."""
    sent = lowest_sent(story.outcome.events)
    top = max(story.slots - 1, 1)
    field = _field(story, width, 0, heading)
    cells = _cells(field, lambda rank, step: None if sent[step, rank] < 0
                   else palette.viridis(sent[step, rank] / top), "m")  # fmt: skip
    ink = _heading(heading) + _axes(story, field, 0, "step") + cells + _border(field)
    several = most_sent(story.outcome.events)
    words = "chunk sent" if several <= 1 else f"lowest chunk sent (up to {several} at once)"
    last = story.slot_name(story.slots - 1)
    y = field.top + field.height + 21.5
    ink += (_bar(field.left, y, words, "c0", last, palette.viridis, "", "") if story.slots > 1
            else _only(field.left, y, "sends c0", palette.viridis(0)))  # fmt: skip
    return ink, rooms(story, field)


def life(
    story: Story, width: float, chunk: int = 0, heading: str = "", focus: Focus | None = None
) -> tuple[list[Ink], list[float]]:
    """How many parts of one chunk every rank holds over time; errors: `NotLegibleError`."""
    field = _field(story, width, 1, heading)
    parts = max(story.parts, 1)

    held = shades(story.content, story.held, chunk)
    colors = {shade: life_color(shade, parts) for shade in {shade for state in held for shade in state}}
    cells = _cells(field, lambda rank, state: colors[held[state][rank]], "v")
    ink = _heading(heading) + _axes(story, field, 1, "steps done") + cells + _border(field)
    if focus and focus.cell and focus.cell[2] == chunk:
        state, rank, _ = focus.cell
        ink.append(
            Frame(
                field.x(state) - 1,
                field.y(rank) - 1,
                field.across + 2,
                field.down + 2,
                palette.VIOLATION,
                1.2,
                kind="violation",
            )
        )
    y = field.top + field.height + 21.5
    whole = f"all {parts}" if parts > 1 else "as promised"
    name = story.slot_name(chunk)
    if parts <= 1:
        ink += _only(field.left, y, f"{name}: as promised", palette.LIFE[2], "another part", palette.LIFE[1])
        return ink, rooms(story, field)
    ink += _bar(field.left, y, f"parts of {name} on the rank", "1", str(parts - 1),
                      lambda share: palette.mixed(palette.LIFE[0], palette.LIFE[1], share), whole,
                palette.LIFE[2])  # fmt: skip
    return ink, rooms(story, field)


def _field(story: Story, width: float, extra: int, heading: str) -> Heat:
    """The field; ``extra`` columns more than there are steps: the state before the first."""
    left = width_of(f"rank {story.ranks - 1}", "regular", palette.SMALL) + _LEFT_EXTRA
    columns = max(story.steps + extra, 1)
    inner = width - left - 2
    cuts = tuple(stage.start + extra for stage in story.stages if stage.start)
    if (inner - _CUT * len(cuts)) / columns < LEAST_CELL:
        raise NotLegibleError(f"{story.steps} steps are too many for {width:g} pt")
    tall = max(_LEAST_TALL, min(_MOST_TALL, inner * 0.5), story.ranks * 0.9)
    return Heat(left, _TOP + (12 if heading else 0), inner, tall, columns, story.ranks, cuts)


def _cells(field: Heat, color: Callable[[int, int], str | None], name: str) -> list[Ink]:
    """Cells in reading order, a run of equal ones as one fill; each a little too large: no hairlines.

    A fill is named by its row, its first column and, where there are more, its last.
    """
    ink: list[Ink] = []
    over = snapped(min(field.across / 2, field.down / 2, OVER))
    for row in range(field.rows):
        top, bottom = field.y(row), field.y(row + 1) + (over if row < field.rows - 1 else 0)
        for first, last, found in _runs(field, [color(row, column) for column in range(field.columns)]):
            left = field.x(first)
            right = field.right(last) + (0 if field.ends(last) else over)
            cell = f"{name}_{row}_{first}" + (f"_{last}" if last > first else "")
            ink.append(Fill(left, top, right - left, bottom - top, found or palette.WHITE, cell))
    return ink


def _runs(field: Heat, colors: Sequence[str | None]) -> Iterator[tuple[int, int, str | None]]:
    """First and last column and colour of every run; none goes over the gap between two phases."""
    first = 0
    for column, color in enumerate(colors):
        if field.ends(column) or colors[column + 1] != color:
            yield first, column, color
            first = column + 1


def _heading(heading: str) -> list[Ink]:
    return [Text(1, 8, bold(heading), kind="heading")] if heading else []


def _border(field: Heat) -> list[Ink]:
    """A frame round the cells of every phase."""
    starts = (0, *field.cuts)
    stops = (*field.cuts, field.columns)
    return [
        Frame(field.x(a), field.y(0), field.right(b - 1) - field.x(a), field.y(field.rows) - field.y(0),
              palette.BLACK, 0.5, kind="border")
        for a, b in zip(starts, stops, strict=True)
    ]  # fmt: skip


def _axes(story: Story, field: Heat, extra: int, words: str) -> list[Ink]:
    """Phase rules above, ranks at the left, steps below, and a rule between two phases."""
    ink: list[Ink] = _phases(story, field, extra)
    stride = _stride(story.ranks, field.height, 8.5)
    for rank in range(0, story.ranks, stride):
        y = field.y(rank) + field.down / 2
        label = "rank 0" if rank == 0 else str(rank)
        ink.append(Text(field.left - 2.5, y + 2.3, regular(label), "right", palette.SMALL, kind="rank"))
    most = width_of(str(field.columns), "regular", palette.SMALL) + 5
    stride = _stride(field.columns, field.width, most)
    below = field.top + field.height
    for column in range(0, field.columns, stride):
        x = field.x(column) + field.across / 2
        ink.append(Line(x, below, x, below + 1.8, palette.QUIET, 0.4, kind="axis"))
        if x + most / 2 - 2.5 > field.left + field.width + 1.5:
            continue  # half of this number would stand beside the page
        ink.append(
            Text(x, below + 8.6, regular(str(column)), "middle", palette.SMALL, palette.QUIET, kind="step")
        )
    return [*ink, Text(field.left + field.width / 2, below + 16.6, regular(words), "middle", palette.SMALL,
                       palette.QUIET, kind="axis")]  # fmt: skip


def _stride(count: int, room: float, each: float) -> int:
    """The smallest round number so that every so-many-th label has ``each`` points."""
    return next(
        stride for power in range(9) for base in (1, 2, 4, 5, 8)
        if (stride := base * int(10**power)) * room / count >= each or stride >= count
    )  # fmt: skip


def _phases(story: Story, field: Heat, extra: int) -> list[Ink]:
    """A rule over every phase, and its words or number where there is room."""
    ink: list[Ink] = []
    rule = field.top - 3.2
    labels = titles(story.stages, rooms(story, field))
    for stage, runs in zip(story.stages, labels, strict=True):
        left = field.x(stage.start + (extra if stage.start else 0))
        right = field.x(stage.stop + extra - 1) + field.across
        if Text(0, 0, runs).width <= right - left:
            ink.append(Text((left + right) / 2, rule - 3.4, runs, "middle", kind="phase"))
        ink.append(Line(left, rule, right, rule, palette.BLACK, 0.7, kind="phase-rule"))
    return ink


def rooms(story: Story, field: Heat) -> list[float]:
    """How wide the words over each phase may be."""
    return [(stage.stop - stage.start) * field.across - 3 for stage in story.stages]


def _bar(
    x: float, y: float, words: str, first: str, last: str, color: Callable[[float], str],
    whole: str, dark: str,
) -> list[Ink]:  # fmt: skip
    """A colour bar with its ends, and the colour of what is whole."""
    ink: list[Ink] = [Text(x, y + 6.6, regular(words), kind="legend")]
    x += width_of(words, "regular", palette.LABEL) + 5
    ink.append(Text(x, y + 6.6, regular(first), kind="legend"))
    x += width_of(first, "regular", palette.LABEL) + 2.5
    for i in range(24):
        ink.append(Fill(x + i * 2, y + 0.8, 2.0 if i == 23 else 3.0, 7, color(i / 23), kind="legend"))
    ink.append(Text(x + 50.5, y + 6.6, regular(last), kind="legend"))
    if whole:
        x += 50.5 + width_of(last, "regular", palette.LABEL) + 9
        ink.append(Fill(x, y + 0.8, 9, 7, dark, kind="legend"))
        ink.append(Text(x + 12, y + 6.6, regular(whole), kind="legend"))
    return ink


def _only(x: float, y: float, words: str, color: str, other: str = "", other_color: str = "") -> list[Ink]:
    """The legend of a field with one or two colours."""
    ink: list[Ink] = []
    for text, paint in ((words, color), (other, other_color)):
        if text:
            ink.append(Fill(x, y + 0.8, 9, 7, paint, kind="legend"))
            ink.append(Text(x + 12, y + 6.6, regular(text), kind="legend"))
            x += 12 + width_of(text, "regular", palette.LABEL) + 10
    return ink
