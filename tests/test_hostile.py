"""Hostile files for every reader: an answer in bounded time and memory, never a traceback."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ringproof.cli import main
from ringproof.figure.facts import sealed
from ringproof.figure.ink import metadata_of
from ringproof.figure.verify import verify
from ringproof.verdict import Exit
from tests.conftest import HOME, Run

ANSWERS = {Exit.PROVED, Exit.REFUTED, Exit.CANNOT_CHECK, Exit.UNDECIDED}
TABLE = (HOME / "schedules" / "ring.toml").read_bytes()
PROGRAM = (HOME / "tests" / "programs" / "ring_all_reduce.xml").read_bytes()
PICTURE = (HOME / "figures" / "ring4.svg").read_bytes()
POST = b'ends = "r > 0"\npart = "k == r - 1"\nchunk = "c"\n'
READERS: dict[str, tuple[bytes, str, tuple[str, ...]]] = {
    "table": (TABLE, "t.toml", ("check", "-N", "2,3", "--bounded", "--memory", "64MiB")),
    "program": (PROGRAM, "t.xml", ("check", "--memory", "64MiB")),
    "picture": (PICTURE, "t.svg", ("verify-figure",)),
    "wanted result": (POST, "p.toml", ("check", "tests/programs/custom.xml", "--post")),
}
INSERTED = (b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"(" * 2000, b"[" * 5000, b"<a>" * 3000,
            b"9" * 5000, b'<!DOCTYPE a [<!ENTITY b "bbbb">]>', b"&#x41;", b"\xed\xa0\x80", b"-1",
            b"1e999")  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, raw: bytes) -> bytes:
    """A file that is cut off, flipped, reordered, doubled, or has something strange in it."""
    kind = draw(st.sampled_from(["cut", "flip", "insert", "lines", "double"]))
    at = draw(st.integers(0, len(raw) - 1))
    if kind == "cut":
        return raw[:at]
    if kind == "flip":
        return raw[:at] + bytes([raw[at] ^ (1 << draw(st.integers(0, 7)))]) + raw[at + 1 :]
    if kind == "insert":
        return raw[:at] + draw(st.sampled_from(INSERTED)) + raw[at + draw(st.integers(0, 3)) :]
    lines = raw.split(b"\n")
    first, other = draw(st.tuples(*[st.integers(0, len(lines) - 1)] * 2))
    if kind == "lines":
        lines[first], lines[other] = lines[other], lines[first]
    else:
        lines.insert(first, lines[other])
    return b"\n".join(lines)


@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_file_gets_an_answer(reader: str, tmp_path: Path, run: Run) -> None:
    raw, name, command = READERS[reader]

    @settings(max_examples=40, deadline=20_000,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(damaged(raw))
    def answered(written: bytes) -> None:
        (tmp_path / name).write_bytes(written)
        assert run(*command, str(tmp_path / name))[0] in ANSWERS

    answered()


# ---- pictures -----------------------------------------------------------------------------------


def resealed(change: Callable[[dict[str, Any]], None]) -> str:
    """A picture whose metadata were changed by somebody who knows how to seal them."""
    svg = PICTURE.decode()
    found: dict[str, Any] = json.loads(metadata_of(svg))
    change(found)
    start, end = svg.index(">", svg.index("<metadata")) + 1, svg.index("</metadata>")
    return svg[:start] + html.escape(json.dumps(sealed(found)), quote=False) + svg[end:]


FORGED: dict[str, tuple[str, Any]] = {
    "slots beyond every machine": ("slots", 2**31), "steps beyond every machine": ("steps", 10**12),
    "a chunk beyond": ("chunk", 2**64), "ranks that are no number": ("N", "x"), "negative": ("slots", -1),
    "a phase without end": ("phases", [["a", 0, 10**9]]),
    "parts beyond": ("parts", 10**7), "parts beyond every machine": ("parts", 10**12),
    "no slots and many ranks": ("slots", 0), "a phase of three words": ("phases", [["a", "b", "c"]]),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
def test_sizes_that_no_picture_has_are_not_believed(what: str) -> None:
    key, value = FORGED[what]
    found = verify(resealed(lambda facts: facts.update({key: value})))
    assert found.wrong


@pytest.mark.parametrize("value", [None, 1, "x", [], ["x"], {"L": "x"}, {"L": None}])
@pytest.mark.parametrize("key", ["params", "version"])
def test_a_forged_picture_of_a_table_is_told_and_no_crash(
    key: str, value: Any, tmp_path: Path, run: Run
) -> None:
    if isinstance(value, str) and key == "version":
        pytest.skip("a version")
    (tmp_path / "t.svg").write_text(resealed(lambda facts: facts.update({key: value})), encoding="utf-8")
    code, printed = run("verify-figure", str(tmp_path / "t.svg"), "--table", "schedules/ring.toml")
    assert (code, "WRONG" in printed) == (Exit.REFUTED, True)


def test_the_cost_chart_is_of_no_one_table(run: Run) -> None:
    code, printed = run("verify-figure", "figures/cost.svg", "--table", "schedules/ring.toml")
    assert (code, "leave out --table" in printed) == (Exit.CANNOT_CHECK, True)


@pytest.mark.parametrize("key", ["chunk", "starts", "ends", "part"])
@pytest.mark.parametrize("value", [[], [1], [["0"]], "x", ["1"], [[10**30]], None])
def test_a_promise_of_other_sizes_is_not_run(key: str, value: Any) -> None:
    assert verify(resealed(lambda facts: facts["promise"].update({key: value}))).wrong


def test_ink_far_off_the_page_is_refused() -> None:
    for far in ("99999999999", "1e308"):
        svg = PICTURE.decode().replace("989.06,-530", f"989.06,{far}", 1)
        assert svg != PICTURE.decode()
        assert any("far off the page" in why for why in verify(svg).wrong)


# ---- certificates -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "certificate"
    command = [sys.executable, "-m", "ringproof", "certify", "schedules/ring.toml", "-o", str(folder)]
    assert subprocess.run(command, cwd=HOME, capture_output=True, timeout=120).returncode == Exit.PROVED
    return folder


def test_a_damaged_certificate_gets_an_answer(certificate: Path, tmp_path: Path, run: Run) -> None:
    raw, table = (certificate / "certificate.json").read_bytes(), (certificate / "ring.toml").read_bytes()
    copy = tmp_path / "c"
    shutil.copytree(certificate, copy)

    @settings(max_examples=40, deadline=20_000,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(damaged(raw), damaged(table), st.booleans())
    def answered(data: bytes, written: bytes, of_table: bool) -> None:
        digests = (hashlib.sha256(text).hexdigest().encode() for text in (table, written))
        (copy / "certificate.json").write_bytes(raw.replace(*digests) if of_table else data)
        (copy / "ring.toml").write_bytes(written if of_table else table)
        assert run("verify", "--solver", "python", str(copy))[0] in ANSWERS

    answered()


NO_FILES = ["a\0b", "\ud800", "x" * 5000, "..", "/etc/passwd", "", "pipe", "loop", "questions"]


@pytest.mark.parametrize("name", NO_FILES, ids=ascii)
def test_a_certificate_that_names_what_is_no_file(
    name: str, certificate: Path, tmp_path: Path, run: Run
) -> None:
    copy = tmp_path / "c"
    shutil.copytree(certificate, copy)
    os.mkfifo(copy / "pipe")
    (copy / "loop").symlink_to("loop")
    data = json.loads((copy / "certificate.json").read_text(encoding="utf-8"))
    data["tables"] = {name: "0" * 64}
    (copy / "certificate.json").write_text(json.dumps(data), encoding="utf-8")
    assert run("verify", str(copy))[0] == Exit.CANNOT_CHECK


# ---- what is no file, or has no end -------------------------------------------------------------


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", ["folder", "loop"])
def test_what_is_no_file_is_told(
    reader: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(HOME)
    _, name, command = READERS[reader]
    path = tmp_path / name
    if kind == "folder":
        path.mkdir()
        (path / "x.txt").touch()
    else:
        path.symlink_to(name)
    assert main([*command, str(path)]) == Exit.CANNOT_CHECK
    told = capsys.readouterr()
    assert str(path) in told.out + told.err


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", ["endless", "one line", "bomb"])
def test_what_has_no_end_is_refused_in_bounded_memory(reader: str, kind: str, tmp_path: Path) -> None:
    _, name, command = READERS[reader]
    path = tmp_path / name
    if kind == "endless":
        path.symlink_to("/dev/zero")
    elif kind == "one line":
        path.write_bytes(b"<" + b"a" * 3_000_000)
    else:
        entities = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(12))
        path.write_text(f'<svg ><!DOCTYPE x [<!ENTITY e0 "ha">{entities}]><x>&e12;</x>', encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "ringproof", *command, str(path)], cwd=HOME, text=True,
                          capture_output=True, timeout=60, preexec_fn=limited)  # fmt: skip
    assert done.returncode == Exit.CANNOT_CHECK, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout or done.stderr


def test_a_pipe_in_a_folder_is_told_and_not_waited_for(tmp_path: Path, run: Run) -> None:
    os.mkfifo(tmp_path / "a.toml")
    (tmp_path / "b.toml").write_bytes(TABLE)
    code, printed = run("check", "-N", "2", "--bounded", str(tmp_path))
    assert code == Exit.CANNOT_CHECK
    assert "it is no regular file" in printed
    assert "proved  8 of 8 properties" in printed


@pytest.mark.parametrize("command", [("check", "--bounded"), ("cost",)], ids=" ".join)
def test_a_folder_that_cannot_be_read_is_told(
    command: tuple[str, ...], tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in it is not proved, so the rest is not green."""
    (tmp_path / "a.toml").write_bytes(TABLE)
    (tmp_path / "closed").mkdir()
    assert run(*command, "-N", "2", str(tmp_path))[0] == Exit.PROVED
    listed = os.scandir

    def scandir(path: str) -> object:
        if os.path.basename(path) == "closed":
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    code, printed = run(*command, "-N", "2", str(tmp_path))
    assert code == Exit.CANNOT_CHECK
    assert printed.count("cannot read the folder: you have no permission to read it") == 1
    code, printed = run("check", str(tmp_path / "closed"), str(tmp_path / "closed"))
    assert (code, printed.count("RP001]"), "RP004" in printed) == (Exit.CANNOT_CHECK, 1, False)


def test_a_folder_of_the_name_of_a_table_is_a_folder(tmp_path: Path, run: Run) -> None:
    inside = tmp_path / "x.toml"
    inside.mkdir()
    (inside / "a.toml").write_bytes(TABLE)
    (inside / "loop.toml").symlink_to("..")
    for path in (tmp_path, inside):
        code, printed = run("check", "-N", "2", "--bounded", "--format", "concise", str(path))
        assert (code, printed.count("proved 8 of 8"), "loop" in printed) == (Exit.PROVED, 1, False)


def test_a_link_to_nowhere_suggests_no_other_file(tmp_path: Path, run: Run) -> None:
    (tmp_path / "ring.toml").write_bytes(TABLE)
    (tmp_path / "rings.toml").symlink_to("nowhere")
    code, printed = run("check", "-N", "2", "--bounded", str(tmp_path))
    assert code == Exit.CANNOT_CHECK
    assert "it is a link to a file that is not there" in printed
    assert "did you mean" not in printed


@pytest.mark.parametrize("name", ["\\u0000", "pipe"])
def test_a_table_that_uses_what_is_no_file(name: str, tmp_path: Path, run: Run) -> None:
    os.mkfifo(tmp_path / "pipe")
    composed = (HOME / "schedules" / "hierarchical_composed.toml").read_text(encoding="utf-8")
    written, count = re.subn(r'(use\s*=\s*)"[^"]*"', lambda found: f'{found[1]}"{name}"', composed)
    assert count
    (tmp_path / "t.toml").write_text(written, encoding="utf-8")
    code, printed = run("check", str(tmp_path / "t.toml"))
    assert code == Exit.CANNOT_CHECK
    assert "RP116" in printed
    assert "it is no file" in printed
