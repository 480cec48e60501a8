"""Scene -> DOT in which every node and every spline is pinned, so that no engine lays anything out."""

from __future__ import annotations

from collections.abc import Iterator

from ringproof.figure.scene import Band, Curve, Disc, Fill, Frame, Head, Ink, Line, Scene, Text

K = 20  # units to a point: Graphviz rounds to hundredths, and thin strokes must survive that
_LONGEST = 16_000  # a quoted string over 16,384 characters is refused
BASELINE = 0.275  # in ems below the middle: between what Graphviz 2 and its bundled port do
_HEAD = 10  # units to an arrow size of 1


def render(scene: Scene, baseline: float = BASELINE) -> str:
    """The whole drawing as DOT text, one node or edge a line.

    ``baseline``: how far below the middle of a node its renderer sets a label, in ems.
    """
    width, height = scene.width * K, scene.height * K
    lines = [
        "digraph figure {",
        f'graph [viewport="{_n(scene.width)},{_n(scene.height)},{1 / K},{_n(width / 2)},{_n(height / 2)}"'
        f' notranslate=true margin=0 pad=0 bgcolor="#FFFFFF" outputorder={scene.order}{_bands(scene)}];',
        'node [id="\\N" shape=box fixedsize=shape margin=0 label="" color="transparent" penwidth=0'
        ' style=filled fontname="Arial"];',
        "edge [arrowhead=none arrowtail=none];",
        f'page [pos="{_n(width / 2)},{_n(height / 2)}" width={_n(width / 72)} height={_n(height / 72)}'
        " style=invis];",
    ]
    named = {ink.name for ink in scene.ink if not isinstance(ink, Band | Line | Curve | Head)}
    for number, ink in enumerate(scene.ink):
        lines += _written(ink, number, scene.height, named, baseline)
    return "\n".join([*lines, "}"]) + "\n"


def _bands(scene: Scene) -> str:
    """Backgrounds in the drawing language of xdot."""
    operations = []
    for band in (ink for ink in scene.ink if isinstance(ink, Band)):
        left, right = _n(band.x * K), _n((band.x + band.width) * K)
        top, bottom = _n((scene.height - band.y) * K), _n((scene.height - band.y - band.height) * K)
        color = f"{len(band.color)} -{band.color}"
        operations.append(
            f"c {color} C {color} P 4 {left} {top} {left} {bottom} {right} {bottom} {right} {top}"
        )
    return f" _background={_quoted(' '.join(operations))}" if operations else ""


def _quoted(text: str) -> str:
    pieces = [text[at : at + _LONGEST] for at in range(0, len(text), _LONGEST)] or [""]
    return " + ".join(f'"{piece}"' for piece in pieces)


def _written(
    ink: Ink, number: int, page: float, named: set[str], baseline: float
) -> Iterator[str]:
    name = getattr(ink, "name", "") or f"i{number}"
    kind = getattr(ink, "kind", "")
    classed = f'class="{kind}" ' if kind else ""
    tags = f'id="{name}" {classed}'.rstrip()
    match ink:
        case Fill():
            yield f'{name} [{classed}{_box(ink, page)} fillcolor="{ink.color}"];'
        case Frame():
            yield (
                f'{name} [{classed}{_box(ink, page)} style=solid color="{ink.color}"'
                f" penwidth={_n(ink.stroke * K)}];"
            )
        case Disc():
            size = _n(2 * ink.radius * K / 72)
            yield (
                f'{name} [{classed}shape=ellipse pos="{_at(ink.x, ink.y, page)}" width={size} height={size}'
                f' fillcolor="#FFFFFF" color="{ink.color}" penwidth={_n(ink.stroke * K)}];'
            )
        case Text():
            yield f"{name} [{classed}{_text(ink, page, baseline)}];"
        case Line() | Curve():
            tail, tip = getattr(ink, "tail", ""), getattr(ink, "tip", "")
            ends = f"{tail} -> {tip}" if {tail, tip} <= named and tail else "page -> page"
            spline = " ".join(_at(x, y, page) for x, y in _spline(ink))
            yield f'{ends} [{tags} pos="{spline}" color="{ink.color}" penwidth={_n(ink.stroke * K)}];'
        case Head():
            yield f'page -> page [{tags} {_head(ink, page)} color="{ink.color}" penwidth=0];'


def _box(ink: Fill | Frame, page: float) -> str:
    middle = _at(ink.x + ink.width / 2, ink.y + ink.height / 2, page)
    return f'pos="{middle}" width={_n(ink.width * K / 72)} height={_n(ink.height * K / 72)}'


def _spline(ink: Line | Curve) -> list[tuple[float, float]]:
    if isinstance(ink, Curve):
        return list(ink.points)
    return [(ink.x1 + (ink.x2 - ink.x1) * i / 3, ink.y1 + (ink.y2 - ink.y1) * i / 3) for i in range(4)]


def _head(ink: Head, page: float) -> str:
    base = ink.x - ink.dx * ink.length, ink.y - ink.dy * ink.length
    back = base[0] - ink.dx / K, base[1] - ink.dy / K
    stub = " ".join(_at(x, y, page) for x, y in (back, back, base, base))
    size = _n(ink.length * K / _HEAD)
    return f'pos="e,{_at(ink.x, ink.y, page)} {stub}" arrowhead=normal arrowsize={size}'


def _text(ink: Text, page: float, baseline: float) -> str:
    rich = len(ink.runs) > 1 or ink.runs[0][1] == "bold"
    middle = ink.left + ink.width / 2
    # An edge that is anchored lies in the middle of a node twice as wide, whatever font is at hand.
    x = middle if rich or ink.anchor == "middle" else ink.x
    width = 2 * ink.width + 4
    if not rich and ink.anchor != "middle":
        x += width / 2 if ink.anchor == "left" else -width / 2
    where = _at(x, ink.y - baseline * ink.size, page)
    color = "" if ink.color == "#000000" else f' fontcolor="{ink.color}"'
    shape = f'shape=none style=solid pos="{where}" width={_n(width * K / 72)} height={_n(ink.size * K / 72)}'
    return f"{shape} label={_label(ink, rich)} fontsize={_n(ink.size * K)}{color}"


def _label(ink: Text, rich: object) -> str:
    if rich:
        marked = (
            _markup(text) if face == "regular" else f"<B>{_markup(text)}</B>" for text, face in ink.runs
        )
        return f"<{''.join(marked)}>"
    plain = ink.plain.replace("\\", "\\\\").replace('"', '\\"')
    side = {"left": "\\l", "right": "\\r", "middle": ""}[ink.anchor]
    return f'"{plain}{side}"'


def _markup(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _at(x: float, y: float, page: float) -> str:
    return f"{_n(x * K)},{_n((page - y) * K)}"


def _n(value: float) -> str:
    """A number as short as it may be: the same text on every machine."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
