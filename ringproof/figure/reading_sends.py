"""The sends of a token or vector picture, from heads, line ends, brackets and chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from ringproof.figure import palette
from ringproof.figure.arrows import clearance
from ringproof.figure.chips import named
from ringproof.figure.ink import Point, Shape
from ringproof.figure.reading import Lanes, Near, Slot, UnreadableError

Send = tuple[int, int, int, tuple[int, ...], tuple[int, ...], str, str]


@dataclass(frozen=True, slots=True)
class _Trace:
    """A send followed back from its head: its ends, its op and its line, and the pieces it has.

    ``reach`` is the edge that it ends at: a steep head stops a little before it.
    """

    start: Point
    end: Point
    reach: Point
    direction: Point
    op: str
    line: str
    pieces: tuple[tuple[Point, Point], ...]
    used: tuple[int, ...]


def sends(shapes: Sequence[Shape], page: Lanes, slots: Sequence[Slot], chunks: int) -> list[Send]:
    """Every send, sorted; errors: `UnreadableError` for ink that belongs to none."""
    inner = [s for s in shapes if page.top - 1 < s.middle[1] < page.bottom + 1]
    heads = [s for s in inner if s.kind == "triangle" and s.fill != palette.WHITE]
    hollow = [_tip(s) for s in inner if s.kind == "triangle" and s.fill == palette.WHITE]
    lines = [s for s in inner if s.kind == "line" and s.stroke not in (palette.RULE, palette.SEAM)
             and abs(s.width - 1.6) > 0.05]  # fmt: skip
    traces = [_trace(head, lines, hollow, page) for head in heads]
    found = [_send(trace, lines, slots, page) for trace in traces]
    used = {order for trace in traces for order in trace.used}
    loose = [
        s
        for s in lines
        if s.order not in used and s.width > 0.6 and abs(s.points[0][0] - s.points[-1][0]) > 0.05
    ]
    if loose:
        raise UnreadableError("a line without a head", loose[0].box)
    if len(hollow) != sum(trace.op == "copy" for trace in traces):
        raise UnreadableError("a white head in no arrow")
    return sorted(_chips(shapes, page, traces, found, chunks))


def _tip(head: Shape) -> tuple[Point, Point, float]:
    """The tip of a triangle, where it points, and how long it is."""
    corners = list(head.points[:3])
    sides = [sum(hypot(p[0] - q[0], p[1] - q[1]) for q in corners) for p in corners]
    tip = corners[sides.index(max(sides))]
    base = [p for p in corners if p is not tip]
    x, y = (base[0][0] + base[1][0]) / 2, (base[0][1] + base[1][1]) / 2
    length = hypot(tip[0] - x, tip[1] - y)
    return tip, ((tip[0] - x) / length, (tip[1] - y) / length), length


def _trace(
    head: Shape, lines: Sequence[Shape], hollow: Sequence[tuple[Point, Point, float]], page: Lanes
) -> _Trace:
    tip, direction, length = _tip(head)
    stop = tip[0] - direction[0] * length * 0.9, tip[1] - direction[1] * length * 0.9
    strokes = _ending(lines, stop, direction)
    white = any(hypot(p[0] - tip[0], p[1] - tip[1]) < 2.6 and _parallel(d, direction) for p, d, _ in hollow)
    if len(strokes) not in (1, 2):
        raise UnreadableError(f"a head on {len(strokes)} lines", head.box)
    start = _mean([s.points[0] for s in strokes])
    pieces, used = [(start, tip)], [s.order for s in strokes]
    for seam, other in ((page.top, page.bottom), (page.bottom, page.top)):
        if abs(start[1] - seam) < Near:
            halves = _ending(lines, (start[0], other), direction)
            if len(halves) != len(strokes):
                raise UnreadableError("the halves of a send do not meet at the seam", head.box)
            end = start[0], other
            start = _mean([s.points[0] for s in halves])
            pieces, used = [(start, end), *pieces], used + [s.order for s in halves]
            break
    line = "double" if len(strokes) == 2 else "single"
    reach = tip[0] + clearance(*direction, length), tip[1]
    op = "copy" if white else "reduce"
    return _Trace(start, tip, reach, direction, op, line, tuple(pieces), tuple(used))


def _ending(lines: Sequence[Shape], at: Point, direction: Point) -> list[Shape]:
    """The strokes that end at a point, or a little beside it, in some direction."""
    found = []
    for line in lines:
        (x1, y1), (x2, y2) = line.points[0], line.points[-1]
        dx, dy = x2 - at[0], y2 - at[1]
        along, beside = dx * direction[0] + dy * direction[1], dx * direction[1] - dy * direction[0]
        far = hypot(x2 - x1, y2 - y1) or 1
        same = _parallel(((x2 - x1) / far, (y2 - y1) / far), direction)
        if same and abs(along) < Near and (abs(beside) < 0.1 or abs(abs(beside) - 0.95) < 0.1):
            found.append(line)
    return found


def _parallel(a: Point, b: Point) -> bool:
    return a[0] * b[0] + a[1] * b[1] > 1 - 2e-5  # a third of a degree


def _mean(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _send(trace: _Trace, lines: Sequence[Shape], slots: Sequence[Slot], page: Lanes) -> Send:
    leaves, arrives = _port(trace.start, 2, lines, slots), _port(trace.reach, 0, lines, slots)
    step, sender = leaves[0].state, leaves[0].rank
    if arrives[0].state != step + 1:
        raise UnreadableError("a send that is not from one state to the next", (*trace.start, *trace.end))
    read, written = tuple(s.slot for s in leaves), tuple(s.slot for s in arrives)
    if len(written) == 1:
        written *= len(read)
    return step, sender, arrives[0].rank, read, written, trace.op, trace.line


def _port(at: Point, edge: int, lines: Sequence[Shape], slots: Sequence[Slot]) -> list[Slot]:
    """The slots at one end of a send: the box it touches, or those that its bracket has a tooth at."""
    touched = [s for s in slots if abs(s.box[edge] - at[0]) < Near and abs(s.middle - at[1]) < Near]
    if touched:
        return touched[:1]
    for bracket in lines:
        (x1, y1), (x2, y2) = bracket.points[0], bracket.points[-1]
        if abs(x1 - x2) < 0.05 and abs(x1 - at[0]) < Near and abs((y1 + y2) / 2 - at[1]) < Near:
            teeth = _teeth(lines, x1, *sorted((y1, y2)))
            side = [
                s for s in slots if abs(s.box[edge] - x1) < 6 and any(abs(s.middle - y) < Near for y in teeth)
            ]
            if side and len({(s.state, s.rank) for s in side}) == 1:
                return sorted(side, key=lambda s: s.slot)
    raise UnreadableError("a send that touches no box", (*at, *at))


def _teeth(lines: Sequence[Shape], x: float, top: float, bottom: float) -> list[float]:
    """Where a bracket has teeth: short thin strokes that begin on it."""
    return [
        line.points[0][1] for line in lines
        if abs(line.width - 0.5) < 0.05 and abs(line.points[0][0] - x) < 0.05
        and top < line.points[0][1] < bottom
    ]  # fmt: skip


def _chips(
    shapes: Sequence[Shape], page: Lanes, traces: Sequence[_Trace], found: Sequence[Send], chunks: int
) -> list[Send]:
    """The sends as their chips say them: a chip lies on its line, and must agree with its ends."""
    told = list(found)
    labels = [s for s in shapes if s.kind == "text" and abs(s.size - palette.SMALL) < 0.05
              and page.top < s.middle[1] < page.bottom]  # fmt: skip
    for label in labels:
        at = label.middle[0], label.points[0][1] - 2.35
        on = min(range(len(traces)), key=lambda i: min(_away(at, p) for p in traces[i].pieces), default=-1)
        if on < 0 or min(_away(at, piece) for piece in traces[on].pieces) > Near:
            raise UnreadableError(f"a label {label.text!r} on no send", label.box)
        step, sender, receiver, read, written, op, line = told[on]
        says = _said(label, chunks)
        into = says[1] or says[0]
        into = into * len(says[0]) if len(into) == 1 else into
        if (says[0], tuple(sorted(into))) != (read, tuple(sorted(written))):
            raise UnreadableError(f"a label {label.text!r} on a send of other slots", label.box)
        told[on] = step, sender, receiver, says[0], into, op, line
    return told


def _said(label: Shape, chunks: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    try:
        sides = [named(part) for part in label.text.split(">")]
    except ValueError as error:
        raise UnreadableError(str(error), label.box) from None
    numbers = [tuple(int(n[1:]) + (chunks if n[0] == "t" else 0) for n in side) for side in sides]
    return numbers[0], numbers[1] if len(numbers) > 1 else ()


def _away(point: Point, piece: tuple[Point, Point]) -> float:
    (x1, y1), (x2, y2) = piece
    dx, dy = x2 - x1, y2 - y1
    share = max(0.0, min(1.0, ((point[0] - x1) * dx + (point[1] - y1) * dy) / (dx * dx + dy * dy or 1)))
    return hypot(point[0] - x1 - share * dx, point[1] - y1 - share * dy)
