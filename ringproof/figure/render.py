"""DOT -> SVG, PNG or PDF through Graphviz: the bundled port, or the one of the system."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ringproof.errors import RingproofError
from ringproof.figure import dot, imprint
from ringproof.figure import pdf as pdfs
from ringproof.figure.dressing import dressed
from ringproof.figure.ink import read_ink
from ringproof.figure.scene import Scene, Text, regular

Renderer = Literal["bundled", "system"]
BUNDLED = "graphviz-pure"
PRINT_DPI = 300


class RenderError(RingproofError):
    """What draws a picture is not installed, or fails; the message says what to do."""


def svg(scene: Scene, renderer: Renderer = "bundled") -> bytes:
    """The drawing as SVG that carries what it says of itself."""
    text = _graphviz(scene, "svg", renderer).decode("utf-8")
    return dressed(text, scene).encode("utf-8")


def png(scene: Scene, renderer: Renderer = "bundled", dpi: int = PRINT_DPI) -> bytes:
    """The drawing as PNG, at print resolution unless it is for a screen."""
    return imprint.png(_graphviz(scene, "png", renderer, dpi), scene)


def pdf(scene: Scene, renderer: Renderer = "bundled") -> bytes:
    """The drawing as PDF: by a system Graphviz, or else, unless that was asked for, by the extra `pdf`."""
    if renderer == "bundled" and shutil.which("dot") is None and pdfs.possible():
        return _by_the_extra(scene)
    found = imprint.pdf(_graphviz(scene, "pdf", "system"), scene)
    if found is not None:
        return found
    if renderer == "bundled" and pdfs.possible():
        return _by_the_extra(scene)
    raise RenderError(
        "the PDF of this Graphviz has its date where it cannot be taken out: pip install 'ringproof[pdf]'"
        + (", and leave out --renderer system" if renderer == "system" else "")
    )


def _by_the_extra(scene: Scene) -> bytes:
    return pdfs.render(svg(scene).decode("utf-8"), scene.title, imprint.facts(scene))


def _graphviz(scene: Scene, form: str, renderer: Renderer, dpi: int = PRINT_DPI) -> bytes:
    dense = [f"-Gdpi={dpi}"] if form == "png" else []
    if renderer == "system":
        return _run([_system(form), f"-T{form}", *dense], dot.render(scene, _baseline()))
    return _run([_bundled(), f"-T{form}", *dense], dot.render(scene))


def _bundled() -> str:
    """The bundled renderer, beside this Python or on the path."""
    beside = Path(sysconfig.get_path("scripts")) / BUNDLED
    found = shutil.which(str(beside)) or shutil.which(BUNDLED)
    if found is None:
        raise RenderError(
            f"the renderer {BUNDLED} is not installed: pip install {BUNDLED}, or --renderer system"
        )
    return found


def _system(form: str) -> str:
    """The Graphviz of this system."""
    import graphviz

    if shutil.which("dot") is None:
        raise RenderError(
            "there is no Graphviz on this system: install it (apt install graphviz, brew install graphviz)"
            + (", or pip install 'ringproof[pdf]'" if form == "pdf" else ", or --renderer bundled")
        )
    return str(graphviz.backend.DOT_BINARY)


def _baseline() -> float:
    """How far below the middle this system's Graphviz sets a label, in ems: versions differ by a tenth."""
    page, size = 100, 10
    scene = Scene(page, page, (Text(page / 2, page / 2, regular("x"), size=size),))
    (label,) = read_ink(_run([_system("svg"), "-Tsvg"], dot.render(scene)).decode("utf-8")).shapes[-1:]
    return dot.BASELINE + (label.points[0][1] - page / 2) / size


def _run(command: Sequence[str | Path], text: str) -> bytes:
    """What Graphviz makes of a drawing in which everything is pinned."""
    command = [*command, "-Kneato", "-n2"]
    told = subprocess.run(command, input=text.encode("utf-8"), capture_output=True, check=False)
    if told.returncode or not told.stdout:
        reason = told.stderr.decode("utf-8", "replace").strip().splitlines()[:1]
        hint = ": install libgvplugin-neato-layout8, or --renderer bundled" if _lacks_neato(reason) else ""
        raise RenderError(f"{Path(command[0]).name} failed: {' '.join(reason) or told.returncode}{hint}")
    return told.stdout


def _lacks_neato(reason: Sequence[str]) -> bool:
    """Whether the engine that takes places as they are is a package of its own, and missing."""
    return any('engine support for "neato"' in line for line in reason)
