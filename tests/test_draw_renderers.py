"""Both renderers and the PDF: the same ink from the bundled Graphviz and the system's, fonts embedded.

What a machine lacks is skipped with the reason: Graphviz, poppler, the extra `pdf`, or TeX.
"""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

from ringproof.cli import main
from ringproof.figure import pdf
from ringproof.figure.ink import metadata_of, read_ink
from ringproof.figure.legibility import illegible
from ringproof.figure.verify import verify
from ringproof.verdict import Exit
from tests.conftest import HOME, sampled

RING = "schedules/ring.toml"
WRONG = "tests/wrong/ring_one_rotation_shifted.toml"
KINDS = {
    "token": (RING, "-N", "4"),
    "token, wide": (RING, "-N", "8", "--width", "2col"),
    "vector": ("schedules/halving_doubling.toml", "-N", "8", "--width", "2col"),
    "matrix and life": (RING, "-N", "12", "--width", "2col"),
    "counterexample": (WRONG, "-N", "4", "--counterexample"),
    "double count": ("tests/wrong/swing_six.toml", "--counterexample", "--layout", "vector"),
    "compare": ("--compare", RING, WRONG, "-N", "4", "--width", "2col"),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def pins() -> bool:
    """Whether a Graphviz is here, with the engine that leaves places as they are."""
    try:
        asked = ["dot", "-Kneato", "-n2", "-Tsvg"]
        return subprocess.run(asked, input=b"graph{}", capture_output=True, check=False).returncode == 0
    except OSError:
        return False


needs_graphviz = pytest.mark.skipif(not pins(), reason="no Graphviz with neato on this system")
needs_poppler = pytest.mark.skipif(not shutil.which("pdffonts"), reason="no poppler on this system")
NEAR, NEAR_TEXT = 0.03, 0.25  # points; the bundled port sets labels 0.18 pt above where the scene has them


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOME)


def drawn(kind: str, path: Path, *options: str) -> bytes:
    assert main(["draw", *KINDS[kind], *options, "-o", str(path)]) == Exit.PROVED
    return path.read_bytes()


@needs_graphviz
@every_kind
def test_the_system_draws_the_same_ink(kind: str, tmp_path: Path) -> None:
    bundled = drawn(kind, tmp_path / "a.svg").decode()
    system = drawn(kind, tmp_path / "b.svg", "--renderer", "system").decode()
    assert verify(system).wrong == ()
    assert illegible(read_ink(system)) == []
    one, other = read_ink(bundled).shapes, read_ink(system).shapes
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        assert (a.kind, a.fill, a.stroke, a.text, a.size) == (b.kind, b.fill, b.stroke, b.text, b.size)
        far = max(abs(p - q) for p, q in zip(a.box, b.box, strict=True))
        assert far < (NEAR_TEXT if a.kind == "text" else NEAR), a


def facts_in(text: str) -> dict[str, object]:
    """What a file says of itself, without what only an SVG can say."""
    found: dict[str, object] = json.loads(text)
    return {key: value for key, value in found.items() if key not in ("ink", "seal")}


@every_kind
def test_every_format_says_the_same_of_itself(kind: str, tmp_path: Path) -> None:
    svg = facts_in(metadata_of(drawn(kind, tmp_path / "x.svg").decode()))
    assert {"tool", "version", "layout"} <= set(svg)
    for suffix, lead in (("dot", "// "), ("tikz", "% ")):
        lines = drawn(kind, tmp_path / f"x.{suffix}").decode().splitlines()
        assert facts_in(lines[1].removeprefix(lead)) == svg
    png = drawn(kind, tmp_path / "x.png")
    chunks, at = {}, 8
    while at < len(png):
        (length,), name = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        data, crc = png[at + 8 : at + 8 + length], png[at + 8 + length : at + 12 + length]
        assert zlib.crc32(name + data) == struct.unpack(">I", crc)[0]
        if name == b"tEXt":
            key, _, text = data.decode("latin-1").partition("\0")
            chunks[key] = text
        at += 12 + length
    assert facts_in(chunks["ringproof"]) == svg


@needs_graphviz
def test_the_system_draws_png_too(tmp_path: Path) -> None:
    assert drawn("token", tmp_path / "x.png", "--renderer", "system").startswith(b"\x89PNG")


def told(*command: object) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(params=["graphviz", "reportlab"])
def writer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which of the two ways to a PDF is taken."""
    found = shutil.which
    if request.param == "graphviz" and not found("dot"):
        pytest.skip("no Graphviz on this system")
    if request.param == "reportlab":
        if not pdf.possible():
            pytest.skip("the extra pdf is not installed")
        monkeypatch.setattr(shutil, "which", lambda name: None if name == "dot" else found(name))
    return str(request.param)


@needs_poppler
@pytest.mark.parametrize("kind", sampled(KINDS, 2))
def test_a_pdf_embeds_its_fonts_and_keeps_words_apart_on_the_page(
    kind: str, writer: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.pdf"
    content = drawn(kind, path)
    fonts = told("pdffonts", path).splitlines()[2:]
    assert fonts
    for line in fonts:
        assert "Type 3" not in line
        assert re.search(r"\byes +(yes|no) +(yes|no)\b", line), line
    page = re.search(r"Page size: +([\d.]+) x ([\d.]+) pts", told("pdfinfo", path))
    assert page
    text = drawn(kind, tmp_path / "x.svg").decode()
    subject = re.search(r"^Subject: +(.*)$", told("pdfinfo", path), re.MULTILINE)
    assert subject
    assert facts_in(subject[1]) == facts_in(metadata_of(text))
    svg = read_ink(text)
    assert (float(page[1]), float(page[2])) == pytest.approx((svg.width, svg.height), abs=1)
    listed = told("pdftotext", "-bbox", path, "-")
    found = re.findall(r'xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">', listed)
    boxes = [tuple(map(float, word)) for word in found]
    labels = [word for shape in svg.shapes if shape.kind == "text" for word in shape.text.split()]
    assert len(boxes) >= len(labels) * 0.6  # poppler joins runs that touch, such as bold and regular
    core = [(a + 0.2, b + (d - b) * 0.3, c - 0.2, d - (d - b) * 0.3) for a, b, c, d in boxes]
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= svg.width + 0.5
        assert -0.5 <= top < bottom <= svg.height + 1
    for i, a in enumerate(core):
        for b in core[i + 1 :]:
            assert not (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]), (a, b)
    assert drawn(kind, tmp_path / "y.pdf") == content


def test_a_pdf_whose_date_cannot_be_taken_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from ringproof.figure import imprint, render
    from ringproof.figure.scene import Scene

    scene = Scene(9.0, 9.0, ())
    for content in (b"%PDF-1.5\n", b"%PDF-1.5\n/CreationDate (D:20260101000000Z)\ntrailer\n"):
        assert imprint.pdf(content, scene) is None
    monkeypatch.setattr(render, "_graphviz", lambda *_: b"%PDF-1.5\n")
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(pdf, "possible", lambda: False)
    with pytest.raises(render.RenderError, match=r"ringproof\[pdf\]"):
        render.pdf(scene)
