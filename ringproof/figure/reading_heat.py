"""The fields of a matrix or life picture, from the colours of their cells alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ringproof.figure import palette
from ringproof.figure.ink import Shape
from ringproof.figure.reading import UnreadableError
from ringproof.figure.shades import TWICE, UNSET, life_color

_TITLES = {"step": "matrix", "steps done": "life"}


def fields(shapes: Sequence[Shape], slots: int, parts: int) -> list[tuple[str, int, int, int]]:
    """(field, row, column, number) of every cell; errors: `UnreadableError`."""
    found: list[tuple[str, int, int, int]] = []
    for title in (s for s in shapes if s.kind == "text" and s.text in _TITLES):
        name = _TITLES[title.text]
        colors = _sent(slots) if name == "matrix" else _held(parts)
        found += [(name, *cell) for cell in _field(shapes, title, colors)]
    if not found:
        raise UnreadableError("no field of cells")
    return found


def _sent(slots: int) -> dict[str, int]:
    top = max(slots - 1, 1)
    return {palette.WHITE: -1} | {palette.viridis(slot / top): slot for slot in range(slots)}


def _held(parts: int) -> dict[str, int]:
    shades = [*range(max(parts, 2)), UNSET, TWICE]
    return {(life_color(shade, max(parts, 1)) or palette.WHITE): shade for shade in reversed(shades)}


def _field(shapes: Sequence[Shape], title: Shape, colors: Mapping[str, int]) -> list[tuple[int, int, int]]:
    """The cells over an axis: one of every row and column, and nothing over them."""
    frames = [s for s in shapes if s.kind == "rectangle" and not s.fill and s.stroke == palette.BLACK
              and abs(title.points[0][1] - 16.6 - s.box[3]) < 0.3]  # fmt: skip
    middle = title.middle[0]
    clusters: list[list[Shape]] = []
    for frame in sorted(frames, key=lambda s: s.box[0]):
        near = clusters and frame.box[0] - clusters[-1][-1].box[2] < 3
        clusters[-1].append(frame) if near else clusters.append([frame])
    here = next((c for c in clusters if c[0].box[0] < middle < c[-1].box[2]), None)
    if here is None:
        raise UnreadableError("an axis without a field", title.box)
    left, top, right, bottom = here[0].box[0], here[0].box[1], here[-1].box[2], here[0].box[3]
    cells = [s for s in shapes if s.kind == "rectangle" and s.fill and not s.stroke
             and s.box[0] < right - 0.01 and s.box[2] > left + 0.01
             and s.box[1] < bottom - 0.01 and s.box[3] > top + 0.01
             and s.box[2] - s.box[0] < right - left + 1]  # fmt: skip
    rows = {y: i for i, y in enumerate(sorted({round(s.box[1], 2) for s in cells}))}
    columns = {x: i for i, x in enumerate(sorted({round(s.box[0], 2) for s in cells}))}
    if len(cells) != len(rows) * len(columns):
        raise UnreadableError("a patch over the cells, or a cell that is missing", title.box)
    return [(rows[round(s.box[1], 2)], columns[round(s.box[0], 2)], _number(s, colors)) for s in cells]


def _number(cell: Shape, colors: Mapping[str, int]) -> int:
    if cell.fill not in colors:
        raise UnreadableError(f"a cell painted {cell.fill}", cell.box)
    return colors[cell.fill]
