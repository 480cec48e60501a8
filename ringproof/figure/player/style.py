"""The page's style sheet: the palette of the figures, lifted where a dark page would swallow it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

from ringproof.figure import palette
from ringproof.figure.story import Story

DARK_PAGE = "#14171C"
DARK_CELL = "#1B1F26"
LEAST_CONTRAST = 4.5


def lifted(color: str, page: str = DARK_CELL) -> str:
    """A colour with as little white in it as lets it be seen as text on a dark page."""
    share = next((s / 50 for s in range(50)
                  if palette.contrast(palette.mixed(color, palette.WHITE, s / 50), page) >= LEAST_CONTRAST),
                 1.0)  # fmt: skip
    return palette.mixed(color, palette.WHITE, share)


def style(story: Story) -> str:
    """The sheet, with this story's colours, phases and number of parts in it."""
    text = files("ringproof.figure.player").joinpath("style.css").read_text(encoding="utf-8")
    light = _kinds(lambda color: color, palette.BLACK)
    dark = _kinds(lifted, palette.WHITE)
    spans = "".join(f".phases span:nth-child({number}){{flex-grow:{stage.stop - stage.start}}}\n"
                    for number, stage in enumerate(story.stages, 1))  # fmt: skip
    size = f":root{{--ranks:{story.ranks};--slots:{story.slots}}}\n"
    return f"{text}{size}{light}@media (prefers-color-scheme:dark){{\n{dark}}}\n{spans}"


def _kinds(lift: Callable[[str], str], toward: str) -> str:
    """A class for every colour of a chunk and of a counterexample."""
    named = {f"k{number}": color for number, color in enumerate(palette.CHUNKS)}
    named |= {"grey": palette.GREY, "past": palette.HISTORY, "viol": palette.VIOLATION}
    rules = []
    for name, color in named.items():
        made = lift(color) if name != "grey" or toward == palette.BLACK else palette.GREY_MORE
        edge = palette.mixed(made, toward, 0.35)
        rules.append(f".{name}{{--c:{made};--ink:{palette.ink_on(made)};--edge:{edge}}}\n")
    return f":root{{--past:{lift(palette.HISTORY)}}}\n{''.join(rules)}"
