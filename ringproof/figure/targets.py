"""Where pictures go: a format for every suffix, and files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ringproof.figure import dot, gif, imprint, render, tikz
from ringproof.figure.render import Renderer
from ringproof.figure.scene import Scene

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
UNFOLDING = ("gif", "html")  # one table in time: never two side by side


class TargetError(Exception):
    """A file that cannot be written; the message says why and what to do."""


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


def writable(path: str, tables: Sequence[str]) -> None:
    """Say before the work that a file could not be written; errors: `TargetError`."""
    if any(os.path.realpath(path) == os.path.realpath(table) for table in tables):
        raise TargetError(f"the picture would overwrite the table {path}")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise TargetError(f"cannot write {path}: there is no folder {folder}")
    if os.path.isdir(path):
        raise TargetError(f"cannot write {path}: it is a folder")
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise TargetError(f"cannot write {path}: you have no permission to")


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


def write(files: Mapping[str, bytes]) -> None:
    """Write all files or none, each moved into place whole; errors: `TargetError`.

    A link stays a link.  A device or a pipe is written to, once all else is ready: it cannot be moved into.
    """
    waiting: dict[str, str] = {}
    places = {path: os.path.realpath(path) for path in files}
    special = [path for path, place in places.items() if os.path.exists(place) and not os.path.isfile(place)]
    at = ""
    try:
        for path, content in files.items():
            at = path
            if path not in special:
                handle, name = tempfile.mkstemp(dir=os.path.dirname(places[path]), prefix=".ringproof-")
                waiting[path] = name
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.chmod(name, 0o644)
        for at in special:
            with open(at, "wb") as file:
                file.write(files[at])
        for at in list(waiting):
            os.replace(waiting[at], places[at])
            del waiting[at]
    except OSError as error:
        raise TargetError(f"cannot write {at}: {(error.strerror or str(error)).lower()}") from None
    finally:
        for name in waiting.values():
            Path(name).unlink(missing_ok=True)
