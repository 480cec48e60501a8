r"""Scene -> TikZ for LaTeX: the same ink in a picture that needs only \usepackage{tikz}.

The names are those of the DOT; fonts are the document's sans serif, whose size is set in points.
"""

from __future__ import annotations

from collections.abc import Iterator

from ringproof.figure import imprint
from ringproof.figure.scene import Band, Curve, Disc, Fill, Frame, Head, Ink, Line, Scene, Text

_SPECIAL = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
            "%": r"\%", "_": r"\_", "^": r"\^{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
            ">": r"\textgreater{}"}  # fmt: skip


def render(scene: Scene) -> str:
    """The drawing as one tikzpicture; colours are defined inside it, so nothing leaks out."""
    colors = sorted(
        {color for part in scene.ink for color in [getattr(part, "color", "")] if color} | {"#FFFFFF"}
    )
    lines = [
        f"% {scene.title}",
        f"% {imprint.facts(scene)}",
        r"% needs \usepackage{tikz}, and \usepackage{helvet} for the widths it is laid out in",
        r"\begin{tikzpicture}[x=1bp,y=-1bp,inner sep=0pt,outer sep=0pt,line cap=butt]",
        *(rf"\definecolor{{{_color(color)}}}{{HTML}}{{{color[1:]}}}" for color in colors),
        rf"\useasboundingbox (0,0) rectangle ({_n(scene.width)},{_n(scene.height)});",
    ]
    under = (Line, Curve, Head) if scene.order == "edgesfirst" else (Fill, Frame, Disc, Text)
    ordered = [
        *(part for part in scene.ink if isinstance(part, Band)),
        *(part for part in scene.ink if isinstance(part, under)),
        *(part for part in scene.ink if not isinstance(part, Band) and not isinstance(part, under)),
    ]
    for part in ordered:
        lines += _written(part)
    return "\n".join([*lines, r"\end{tikzpicture}"]) + "\n"


def _written(part: Ink) -> Iterator[str]:
    match part:
        case Band() | Fill():
            yield (rf"\fill[{_color(part.color)}] ({_n(part.x)},{_n(part.y)}) rectangle "
                   f"({_n(part.x + part.width)},{_n(part.y + part.height)});")  # fmt: skip
        case Frame():
            yield (rf"\draw[{_color(part.color)},line width={_n(part.stroke)}bp] ({_n(part.x)},{_n(part.y)}) "
                   f"rectangle ({_n(part.x + part.width)},{_n(part.y + part.height)});")  # fmt: skip
        case Line():
            yield (rf"\draw[{_color(part.color)},line width={_n(part.stroke)}bp] "
                   f"({_n(part.x1)},{_n(part.y1)}) -- ({_n(part.x2)},{_n(part.y2)});")  # fmt: skip
        case Curve():
            a, b, c, d = (f"({_n(x)},{_n(y)})" for x, y in part.points)
            yield (rf"\draw[{_color(part.color)},line width={_n(part.stroke)}bp] {a} .. controls {b} and {c} "
                   f".. {d};")  # fmt: skip
        case Head():
            yield rf"\fill[{_color(part.color)}] {_triangle(part)} -- cycle;"
        case Disc():
            yield (rf"\filldraw[fill=white,draw={_color(part.color)},line width={_n(part.stroke)}bp] "
                   f"({_n(part.x)},{_n(part.y)}) circle[radius={_n(part.radius)}bp];")  # fmt: skip
        case Text():
            yield _text(part)


def _text(part: Text) -> str:
    """One node a label, bold and regular together, placed by its baseline."""
    anchor = {"left": "base west", "middle": "base", "right": "base east"}[part.anchor]
    words = "".join(rf"\textbf{{{_escaped(text)}}}" if face == "bold" else _escaped(text)
                    for text, face in part.runs)  # fmt: skip
    font = rf"\sffamily\fontsize{{{_n(part.size)}bp}}{{{_n(part.size * 1.2)}bp}}\selectfont"
    return (rf"\node[anchor={anchor},text={_color(part.color)},font={font}] "
            f"at ({_n(part.x)},{_n(part.y)}) {{{words}}};")  # fmt: skip


def _triangle(head: Head) -> str:
    half = 0.35 * head.length
    x, y = head.x - head.dx * head.length, head.y - head.dy * head.length
    corners = (
        (head.x, head.y),
        (x - head.dy * half, y + head.dx * half),
        (x + head.dy * half, y - head.dx * half),
    )
    return " -- ".join(f"({_n(a)},{_n(b)})" for a, b in corners)


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)


def _color(color: str) -> str:
    return f"rp{color[1:].lower()}"


def _n(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
