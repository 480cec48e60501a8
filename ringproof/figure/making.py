"""What `ringproof draw` is asked for -> a picture, a page, or both, from one story."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from ringproof.figure.layout import Wanted
from ringproof.figure.picture import Picture, picture
from ringproof.figure.prepare import CannotDrawError, proved, refuted


@dataclass(frozen=True, slots=True)
class Made:
    """What is to be written: a picture, a page, or both; ``title`` names the page."""

    picture: Picture | None
    page: bytes = b""
    title: str = ""


def make(paths: Sequence[str], given: Mapping[str, Any], forms: AbstractSet[str], version: str) -> Made:
    """The page if one is asked for, and the picture if anything else is.

    ``given``: the options of the command by name.  Errors: `NotProvedError`, `CannotDrawError`,
    `NotLegibleError`, `NotPlayableError`.
    """
    N, params = given["ranks"], given["params"]
    if given["compare"]:
        from ringproof.figure.compare import compared

        wanted = _wanted(given, given["chunk"] or 0)
        return Made(compared([(path, N, params) for path in paths], wanted, version))
    if "html" in forms:  # imported here, for a picture need not wait for it
        from ringproof.figure.player.model import playable
        from ringproof.figure.player.page import page

        playable(N or 0)
    found = refuted(paths[0], N, params) if given["counterexample"] else proved(paths[0], N, params)
    chunk = given["chunk"]
    if chunk is not None and chunk >= found.story.slots:
        raise CannotDrawError(f"there is no chunk {chunk}; slots are 0..{found.story.slots - 1}")
    if chunk is None:
        chunk = found.focus.cell[2] if found.focus and found.focus.cell else 0
    told = (found.texts, version, found.focus)
    text = page(found.story, *told) if "html" in forms else b""
    still = picture(found.story, _wanted(given, chunk), *told) if forms - {"html"} else None
    return Made(still, text, f"{found.story.schedule.name}, {found.story.outcome.events.size}")


def _wanted(given: Mapping[str, Any], chunk: int) -> Wanted:
    return Wanted(given["layout"], given["width"], chunk, "on" if given["legend"] else "off")
