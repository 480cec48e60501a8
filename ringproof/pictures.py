"""`ringproof.draw`: a proved table as the bytes of a picture, in every format of `ringproof draw`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from ringproof.arguments import ArgumentError, PathLike, amount, one_of, whole
from ringproof.tables import Table, size_of, table_of, unrolled

if TYPE_CHECKING:
    from ringproof.figure.layout import Layout
    from ringproof.figure.prepare import Prepared

Picture = Literal["svg", "pdf", "png", "dot", "tikz", "gif", "html"]
LAYOUTS = ("auto", "token", "vector", "matrix", "life")
COLUMNS = {"1col": 240.0, "2col": 504.0}


def draw(
    table: Table | PathLike, N: int, *, form: Picture = "svg", layout: Layout = "auto",
    width: float | Literal["1col", "2col"] = "1col", chunk: int | None = None,
    legend: Literal["on", "off"] = "on", **params: int,
) -> bytes:  # fmt: skip
    """Draw a proved table at one size: the bytes of a file, the same on every run.

    ``form``: svg, pdf, png (300 dots an inch), dot and tikz are still; gif moves, and html is a page
    that plays the steps.  ``layout``: auto, token, vector, matrix or life.  ``width``: points, 120 to
    1440, or "1col" (240) and "2col" (504), the columns of a paper.  ``chunk``: the one whose life is
    drawn (0 where it is not given).  ``legend``: say what the ink means.  A page takes none of these
    four.  ``params``: as in `simulate`.

    Errors: `NotProvedError`, whose ``report`` says why, for a table that is not proved there;
    `TableError`; `ArgumentError` for a size that it does not claim or a picture that does not fit;
    `RenderError` where what draws it is not installed: gif needs the extra ``gif``, pdf a system
    Graphviz or the extra ``pdf``.

        >>> import ringproof
        >>> b"<svg" in ringproof.draw("schedules/ring.toml", 4)
        True
        >>> page = ringproof.draw("schedules/ring.toml", 4, form="html")
        >>> page[:15], b"ring all-reduce, N = 4" in page
        (b'<!DOCTYPE html>', True)
        >>> ringproof.draw("schedules/ring.toml", 65)
        Traceback (most recent call last):
        ringproof.arguments.ArgumentError: the table does not claim that size: the claim is N = 2..64
    """
    from ringproof.figure.grid import NotLegibleError
    from ringproof.figure.prepare import CannotDrawError, proved
    from ringproof.figure.story import NotPlayableError
    from ringproof.figure.timing import TimelessError
    from ringproof.problem import ExpansionError

    given = _wanted(form, layout, width, chunk, legend)
    found = table_of(table)
    size = size_of(found, N, params)
    try:
        made = proved(found.source, size.N, size.params)
        if chunk is not None and given["chunk"] >= made.story.slots:
            raise ArgumentError(f"there is no chunk {chunk}; slots are 0..{made.story.slots - 1}")
        return _page(made) if form == "html" else _picture(made, form, given)
    except ExpansionError as error:
        raise unrolled(error, found) from None
    except (CannotDrawError, NotLegibleError, NotPlayableError, TimelessError) as error:
        raise ArgumentError(str(error)) from None


def _wanted(form: Any, layout: Any, width: Any, chunk: Any, legend: Any) -> dict[str, Any]:
    """What a picture is to be like, looked at before the table is; errors: `ArgumentError` and its kin."""
    one_of("form", form, get_args(Picture))
    one_of("layout", layout, LAYOUTS)
    one_of("legend", legend, ("on", "off"))
    points = COLUMNS.get(width) if isinstance(width, str) else None
    if points is None:
        points = amount("width", width, 120, 1440)
    slot = 0 if chunk is None else whole("chunk", chunk, 0)
    asked = {"layout": layout != "auto", "width": points != COLUMNS["1col"], "chunk": chunk is not None,
             "legend": legend != "on"}  # fmt: skip
    if form == "html" and any(asked.values()):
        raise ArgumentError(f"{next(name for name in asked if asked[name])} changes nothing in html")
    if chunk is not None and layout in ("token", "vector", "matrix"):
        raise ArgumentError(f"chunk says whose life is drawn, and layout {layout!r} draws none")
    return {"layout": layout, "width": points, "chunk": slot, "legend": legend}


def _page(made: Prepared) -> bytes:
    from ringproof.figure.player.model import playable
    from ringproof.figure.player.page import page
    from ringproof.version import version

    playable(made.story.ranks)
    return page(made.story, made.texts, version(), made.focus)


def _picture(made: Prepared, form: str, given: dict[str, Any]) -> bytes:
    from ringproof.figure.layout import Wanted
    from ringproof.figure.picture import picture
    from ringproof.figure.targets import rendered
    from ringproof.version import version

    scene = picture(made.story, Wanted(**given), made.texts, version(), made.focus).scene
    return rendered(scene, form, "bundled")
