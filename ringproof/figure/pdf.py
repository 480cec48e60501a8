"""PDF without a system Graphviz: the ink of Graphviz's own SVG, written by reportlab in Arimo.

The extra `pdf` brings reportlab, fontTools and the font; no font file lies in this repository.
"""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import Any

from ringproof.figure.ink import Drawing, Shape, read_ink

NEEDED = ("reportlab", "fontTools", "fontpkg_arimo")
_FACES = {"regular": ("Arimo", 400), "bold": ("Arimo-Bold", 700)}


class PdfError(Exception):
    """Ink that no figure has."""


def possible() -> bool:
    """Whether the extra is installed."""
    return all(find_spec(name) for name in NEEDED)


def render(svg: str, title: str, subject: str) -> bytes:
    """A PDF of the same ink, the same bytes on every run; errors: `PdfError` for ink it does not know."""
    from reportlab.pdfgen.canvas import Canvas

    drawing = read_ink(svg)
    _register()
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(drawing.width, drawing.height), invariant=1, initialFontName="Arimo")
    canvas.setTitle(title)
    canvas.setSubject(subject)
    canvas.setCreator("ringproof")
    for shape in drawing.painted:
        _paint(canvas, shape, drawing)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _register() -> None:
    """Regular and bold, cut from the variable font; faces of one name would be merged, so names change."""
    import fontpkg_arimo
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont
    from reportlab.pdfbase import pdfmetrics, ttfonts

    for name, weight in _FACES.values():
        if name in pdfmetrics.getRegisteredFontNames():
            continue
        font = TTFont(fontpkg_arimo.ROOT / "files" / "Arimo[wght].ttf", recalcTimestamp=False)
        cut = io.BytesIO()
        instantiateVariableFont(font, {"wght": weight}, updateFontNames=True).save(cut)
        cut.seek(0)
        pdfmetrics.registerFont(ttfonts.TTFont(name, cut))


def _paint(canvas: Any, shape: Shape, drawing: Drawing) -> None:
    if shape.kind == "text":
        canvas.setFillColor(shape.fill)
        canvas.setFont(_FACES["bold" if shape.bold else "regular"][0], shape.size)
        x, y = shape.points[0]
        canvas.drawString(x, drawing.height - y, shape.text)
        return
    if shape.fill:
        canvas.setFillColor(shape.fill)
    if shape.stroke:
        canvas.setStrokeColor(shape.stroke)
        canvas.setLineWidth(shape.width)
    how = {"fill": int(bool(shape.fill)), "stroke": int(bool(shape.stroke))}
    left, top, right, bottom = shape.box
    if shape.kind == "ellipse":
        canvas.ellipse(left, drawing.height - bottom, right, drawing.height - top, **how)
        return
    points = [(x, drawing.height - y) for x, y in shape.points]
    path = canvas.beginPath()
    path.moveTo(*points[0])
    if shape.kind in ("line", "curve"):
        for a, b, c in zip(points[1::3], points[2::3], points[3::3], strict=True):
            path.curveTo(*a, *b, *c)
    elif shape.kind in ("rectangle", "triangle"):
        for point in points[1:]:
            path.lineTo(*point)
        path.close()
    else:
        raise PdfError(f"ink that no figure has: {shape.kind} in {shape.group}")
    canvas.drawPath(path, **how)
