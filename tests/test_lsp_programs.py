"""Programs in an editor: the findings of `check`, with their places, while the file is edited."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="pip install 'ringproof[lsp]'")

from ringproof.convert.xml import write_xml
from ringproof.inputs import ProgramText
from ringproof.lsp import opened
from ringproof.lsp.opened import item_of, kind_of
from ringproof.table.source import Source
from ringproof.textfile import LARGEST, LARGEST_PROGRAM
from ringproof.verdict import Report
from tests.conftest import HOME, Run, sampled
from tests.lsp_client import Client
from tests.lsp_session import (
    COMMAND,
    ENV,
    change,
    ends,
    held_worker,
    hovered,
    next_worker,
    settled,
    until_gone,
)  # fmt: skip
from tests.ring_programs import split_ring

PROGRAMS = sampled(sorted((HOME / "tests" / "programs").glob("*.xml")), 8)
RACE = HOME / "tests" / "programs" / "all_gather_dependence_dropped.xml"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Client(COMMAND, tmp_path, ENV) as begun:
        begun.begin(general={"positionEncodings": ["utf-32"]})
        yield begun


def done(client: Client, uri: str) -> str:
    """Wait for the end of the check; how it ended."""
    client.until(lambda: hovered(client, uri, 0) not in ("", "being checked"))
    return hovered(client, uri, 0)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with Client(COMMAND, tmp_path_factory.mktemp("programs"), ENV) as begun:
        begun.begin(general={"positionEncodings": ["utf-32"]})
        yield begun


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_an_editor_shows_what_check_says_where_it_says_it(session: Client, run: Run, path: Path) -> None:
    _, printed = run("check", "--format", "json", str(path.relative_to(HOME)))
    (report,) = json.loads(printed)["reports"]
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        pytest.skip("an editor has no such text")
    uri = session.open(session.folder / path.name, text)
    if "<algo" not in text:
        assert session.diagnostics(uri) == []
        assert hovered(session, uri, 0) == ""
        return
    done(session, uri)
    wanted = [_start(finding["primary"]) for finding in report["findings"]]
    shown = session.diagnostics(uri)
    assert [(d["range"]["start"]["line"], d["range"]["start"]["character"]) for d in shown] == wanted
    assert [d["code"] for d in shown] == [finding["code"] for finding in report["findings"]]
    assert [d["message"].split("\n")[0].startswith(f["title"]) for d, f in
            zip(shown, report["findings"], strict=True)] == [True] * len(shown)  # fmt: skip
    assert hovered(session, uri, 0).startswith(report["outcome"])


def _start(primary: dict[str, int] | None) -> tuple[int, int]:
    return (primary["line"] - 1, primary["column"] - 1) if primary else (0, 0)


def test_a_program_is_checked_again_as_it_is_edited(client: Client, tmp_path: Path) -> None:
    text = (HOME / "tests" / "programs" / "gather.xml").read_text(encoding="utf-8")
    uri = client.open(tmp_path / "gather.xml", text)
    assert done(client, uri).startswith("proved")
    assert client.diagnostics(uri, 1) == []
    change(client, uri, 2, text.replace('coll="gather"', 'coll="gathr"'))
    (found,) = settled(client, uri, 2, "RP605")
    line = found["range"]["start"]["line"]
    assert 'coll="' in text.split("\n")[line]
    change(client, uri, 3, text[: len(text) // 2])
    settled(client, uri, 3, "RP601")
    change(client, uri, 4, text)
    assert done(client, uri).startswith("proved")
    assert client.diagnostics(uri, 4) == []
    assert client.end() == 0


def test_windows_line_ends_move_no_finding(client: Client, tmp_path: Path) -> None:
    text = RACE.read_text(encoding="utf-8")
    found = []
    for i, one in enumerate((text, text.replace("\n", "\r\n"), "\ufeff" + text)):
        uri = client.open(tmp_path / f"{i}.xml", one)
        done(client, uri)
        found.append([(d["code"], d["range"]) for d in client.diagnostics(uri)])
    assert found[0]
    assert found[0] == found[1] == found[2]


def test_a_change_ends_the_check_that_it_makes_vain(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "race.xml", RACE.read_text(encoding="utf-8"))
    pid = held_worker(client)
    change(client, uri, 2, "<algo>")
    settled(client, uri, 2, "RP601")
    until_gone(pid)
    change(client, uri, 3, RACE.read_text(encoding="utf-8"))
    settled(client, uri, 3, "RP621")


def test_a_client_that_vanishes_while_a_program_is_checked(client: Client, tmp_path: Path) -> None:
    client.open(tmp_path / "race.xml", RACE.read_text(encoding="utf-8"))
    held_worker(client)
    assert ends(client, 1) == ""


def test_a_long_program_is_checked(client: Client, tmp_path: Path) -> None:
    long = write_xml(split_ring(32, 4, 64))
    assert 1 << 20 < len(long) < LARGEST_PROGRAM
    uri = client.open(tmp_path / "long.xml", long)
    assert done(client, uri).startswith("proved")


# ---- what a document is -------------------------------------------------------------------------

TABLE, ALGO = 'name = "x"\ncollective = "all-reduce"\n', '<algo name="x">\n</algo>'


@pytest.mark.parametrize(
    ("text", "path", "language", "kind"),
    [
        (TABLE, "/x/a.toml", "toml", "table"), ("[[ phase ]]", "/x/a.TOML", "", "table"),
        (TABLE, "untitled:1", "toml", "table"), (TABLE, "/x/a.toml", "xml", "table"),
        (TABLE, "/x/a.txt", "plaintext", "table"), ("name = 1", "/x/a.toml", "toml", ""),
        (ALGO, "/x/a.xml", "xml", "program"), (ALGO, "/x/a.XML", "", "program"),
        (ALGO, "untitled:2", "xml", "program"), (ALGO, "/x/a.toml", "toml", ""),
        ("<project/>", "/x/pom.xml", "xml", ""), ("<algorithm/>", "/x/a.xml", "xml", ""),
        ("", "/x/a.xml", "xml", ""), ("", "/x/a.toml", "toml", ""),
    ],
)  # fmt: skip
def test_what_a_document_is(text: str, path: str, language: str, kind: str) -> None:
    assert kind_of(text, path, language) == kind


def test_many_empty_lines_are_no_work() -> None:
    began = time.monotonic()
    assert kind_of("\n" * 3_000_000, "/x/a.toml", "toml") == ""
    assert kind_of(" " * 3_000_000, "/x/a.toml", "toml") == ""
    assert time.monotonic() - began < 10


def test_what_there_is_to_check_in_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(item_of(RACE.read_text(encoding="utf-8"), "a.xml", "program"), ProgramText)
    right = (HOME / "schedules" / "ring.toml").read_text(encoding="utf-8")
    assert isinstance(item_of(right, "a.toml", "table"), Source)
    wrong = item_of(right.replace("chunks", "chunk", 1), "a.toml", "table")
    assert isinstance(wrong, Report)
    assert [finding.code for finding in wrong.findings] == ["RP101"]
    for kind, largest in (("table", LARGEST), ("program", LARGEST_PROGRAM)):
        for letter in (" ", "é"):
            text = letter * (largest // len(letter.encode()) + 1)
            large = item_of(text, "a", kind)  # type: ignore[arg-type]
            assert isinstance(large, Report)
            assert [finding.code for finding in large.findings] == ["RP005"]
            assert (large.kind, large.text) == (kind, "")


def test_a_long_table_waits_for_a_pause_and_is_told_like_a_short_one(client: Client, tmp_path: Path) -> None:
    wrong = (HOME / "schedules" / "ring.toml").read_text(encoding="utf-8").replace("(r + 1)", "(q + 1)")
    long = wrong + f"# {'x' * opened.AT_ONCE}\n"
    uri, other = client.open(tmp_path / "a.toml", wrong), client.open(tmp_path / "b.toml", long)
    assert settled(client, other, 1, "RP106") == settled(client, uri, 1, "RP106")
    change(client, other, 2, long.replace("(q + 1)", "(r + 1)").replace("2..64", "2..4"))
    assert done(client, other).startswith("proved")
    large = client.open(tmp_path / "c.toml", f"{wrong}# {'x' * LARGEST}\n")
    (found,) = settled(client, large, 1, "RP005")
    assert found["range"]["end"] == {"line": 0, "character": 0}
    assert hovered(client, large, 0) == "cannot check  1 error"


def test_a_program_that_no_worker_lives_to_check_is_said_to_be_unchecked(
    client: Client, tmp_path: Path
) -> None:
    uri = client.open(tmp_path / "race.xml", RACE.read_text(encoding="utf-8"))
    first = next_worker(client)
    os.kill(first, signal.SIGKILL)
    os.kill(next_worker(client, first), signal.SIGKILL)
    (found,) = settled(client, uri, 1, "RP506")
    assert "the process was ended by SIGKILL" in found["message"]
    change(client, uri, 2, RACE.read_text(encoding="utf-8"))
    settled(client, uri, 2, "RP621")
    assert client.end() == 0
