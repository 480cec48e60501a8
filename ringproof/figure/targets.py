"""Where pictures go: a format for every suffix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ringproof.figure import dot, gif, imprint, render, tikz
from ringproof.figure.render import Renderer
from ringproof.figure.scene import Scene
from ringproof.outfile import TargetError

SUFFIXES = {
    ".svg": "svg",
    ".png": "png",
    ".pdf": "pdf",
    ".dot": "dot",
    ".gv": "dot",
    ".tikz": "tikz",
    ".tex": "tikz",
    ".gif": "gif",
    ".html": "html",
    ".htm": "html",
}
FORMATS = ("svg", "pdf", "png", "dot", "tikz", "gif", "html")
BINARY = ("png", "pdf", "gif")
UNCHANGED_BY: Mapping[str, tuple[str, ...]] = MappingProxyType({  # format -> options of `draw`
    "html": ("layout", "width", "chunk", "legend", "renderer"), "dot": ("renderer",), "tikz": ("renderer",),
})  # fmt: skip
UNFOLDING = ("gif", "html")  # one table in time: never two side by side


@dataclass(frozen=True, slots=True)
class Target:
    """A file and its format."""

    path: str
    form: str


def target(path: str, form: str | None) -> Target:
    """The format of a file, by its suffix unless it is given; errors: `TargetError`."""
    found = form or SUFFIXES.get(Path(path).suffix.lower())
    if found is None:
        known = ", ".join(SUFFIXES)
        raise TargetError(
            f"{path}: unknown suffix {Path(path).suffix or '(none)'!r}; known: {known}; or --format"
        )
    return Target(path, found)


def rendered(scene: Scene, form: str, renderer: Renderer) -> bytes:
    """A scene in one format; errors: `RenderError`."""
    makers: Mapping[str, Callable[[], bytes]] = {
        "svg": lambda: render.svg(scene, renderer), "png": lambda: render.png(scene, renderer),
        "pdf": lambda: render.pdf(scene, renderer), "dot": lambda: document(scene).encode("utf-8"),
        "tikz": lambda: tikz.render(scene).encode("utf-8"), "gif": lambda: gif.gif(scene, renderer),
    }  # fmt: skip
    return makers[form]()


def document(scene: Scene) -> str:
    """DOT as a file: it says of itself what the other formats say, in its first two lines."""
    return f"// {scene.title}\n// {imprint.facts(scene)}\n{dot.render(scene)}"
