"""A language server session as an editor has it: over a pipe, with a client that may be of any kind."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygls", reason="pip install 'ringproof[lsp]'")

from lsprotocol import types

from ringproof.lsp.checker import Checker
from ringproof.lsp.hover import MEMORY, hover, nearest, row_at
from ringproof.lsp.told import position, told
from ringproof.lsp.wire import LARGEST_MESSAGE, Wire
from ringproof.report.places import stands_of
from ringproof.table.reader import read_schedule
from ringproof.table.source import parse, read
from ringproof.verdict import Exit, Finding, Label, Place, Repair, Report
from tests.conftest import HOME, Run, sampled
from tests.lsp_client import Client, Message
from tests.lsp_session import (
    COMMAND,
    ENV,
    actions,
    change,
    ends,
    held_worker,
    hovered,
    next_worker,
    settled,
    spread,
    until_gone,
    workers,
)  # fmt: skip

WRONG = HOME / "tests" / "wrong" / "ring_reduce_scatter_plus_one.toml"
SMALL = WRONG.read_text(encoding="utf-8").replace("2..64", "2..6")
LONG = (HOME / "schedules" / "ring.toml").read_text(encoding="utf-8").replace("2..64", "2..300")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Client(COMMAND, tmp_path, ENV) as begun:
        yield begun


def edited(text: str, edit: Message) -> str:
    """A text with one edit within one line, columns in UTF-16."""
    start, end = edit["range"]["start"], edit["range"]["end"]
    assert start["line"] == end["line"]
    lines = text.split("\n")
    raw = lines[start["line"]].encode("utf-16-le")
    new = edit["newText"].encode("utf-16-le")
    raw = raw[: 2 * start["character"]] + new + raw[2 * end["character"] :]
    lines[start["line"]] = raw.decode("utf-16-le")
    return "\n".join(lines)


# ---- a session ----------------------------------------------------------------------------------


def test_a_session_from_a_mistake_to_its_proved_repair(client: Client, tmp_path: Path) -> None:
    able = client.begin()["capabilities"]
    assert able["hoverProvider"]
    assert able["codeActionProvider"] == {"codeActionKinds": ["quickfix"]}
    uri = client.open(tmp_path / "ring.toml", SMALL)
    (finding,) = settled(client, uri, 1, "RP301")
    line = SMALL.split("\n").index('  chunk = "(r - s + 1) % N"')
    assert finding["range"] == spread(line, 10, 27)
    assert (finding["severity"], finding["source"]) == (1, "ringproof")
    assert "rank 1 ends with what rank 0 was to have of chunk 0" in finding["message"]
    (action,) = actions(client, uri, finding["range"])
    assert action["title"] == "`(r - s - 1) % N` here is proved for N = 2..6"
    assert action["kind"] == "quickfix"
    assert action["isPreferred"] is True
    (edit,) = action["edit"]["changes"][uri]
    mended = edited(SMALL, edit)
    assert mended == SMALL.replace("(r - s + 1)", "(r - s - 1)")
    change(client, uri, 2, mended)
    settled(client, uri, 2, None)
    client.until(lambda: "proved" in hovered(client, uri, 0))
    assert actions(client, uri, finding["range"]) == []
    assert client.end() == 0
    assert client.process.stderr is not None
    assert client.process.stderr.read() == b""


def test_mistakes_are_told_while_they_are_typed(client: Client, tmp_path: Path) -> None:
    client.begin()
    uri = client.open(tmp_path / "ring.toml", SMALL.replace('op    = "reduce"', 'op    = "add"'))
    assert [d["code"] for d in client.diagnostics(uri, 1)] == ["RP104"]
    for version, (before, after, code) in enumerate([
        ("N", "N", None), ("(r + 1)", "(q + 1)", "RP106"), ("(r + 1)", "(r + 1", "RP105"),
        ("steps", "stepz", "RP101"), ("[[phase]]", "[[phase]", "RP003"),
    ], 2):  # fmt: skip
        change(client, uri, version, SMALL.replace(before, after, 1))
        codes = [d["code"] for d in client.diagnostics(uri, version)]
        assert codes[:1] == ([code] if code else [])
    assert client.end() == 0


def test_edits_within_a_line_are_applied(client: Client, tmp_path: Path) -> None:
    client.begin()
    uri = client.open(tmp_path / "ring.toml", SMALL)
    line = SMALL.split("\n").index('  chunk = "(r - s + 1) % N"')
    where = spread(line, 18, 19)
    client.tell("textDocument/didChange", textDocument={"uri": uri, "version": 2},
                contentChanges=[{"range": where, "text": "-"}])  # fmt: skip
    settled(client, uri, 2, None)
    client.until(lambda: "proved" in hovered(client, uri, 0))


def test_a_hover_shows_what_a_row_sends_at_the_chosen_ranks(client: Client, tmp_path: Path) -> None:
    client.begin()
    uri = client.open(tmp_path / "ring.toml", SMALL)
    line = SMALL.split("\n").index('  chunk = "(r - s + 1) % N"')
    assert hovered(client, uri, line).startswith("`reduce-scatter` at N = 4: 12 sends in 3 steps, reduce\n")
    client.tell("workspace/didChangeConfiguration", settings={"ringproof": {"N": 3}})
    assert hovered(client, uri, line) == (
        "`reduce-scatter` at N = 3: 6 sends in 2 steps, reduce\n\n```text\n"
        "step 0: 0 -> 1 chunk 1,  1 -> 2 chunk 2,  2 -> 0 chunk 0\n"
        "step 1: 0 -> 1 chunk 0,  1 -> 2 chunk 1,  2 -> 0 chunk 2\n```"
    )
    client.tell("workspace/didChangeConfiguration", settings={"ringproof": {"N": "many"}})
    client.tell("workspace/didChangeConfiguration", settings=None)
    assert " at N = 3: " in hovered(client, uri, line)
    client.tell("workspace/didChangeConfiguration", settings={"N": 99})
    assert " at N = 6: " in hovered(client, uri, line)


def test_ranks_are_chosen_on_the_command_line(tmp_path: Path) -> None:
    with Client([*COMMAND, "-N", "5"], tmp_path, ENV) as client:
        client.begin()
        uri = client.open(tmp_path / "ring.toml", SMALL)
        assert " at N = 5: " in hovered(client, uri, SMALL.split("\n").index('  chunk = "(r - s + 1) % N"'))


def test_columns_are_counted_as_the_client_counts() -> None:
    lines = ["a𝔫é日x"]
    for encoding, units in (("utf-32", 5), ("utf-16", 6), ("utf-8", 11)):
        assert position(lines, 1, 6, encoding) == types.Position(0, units)
    assert position([], 1, 1, "utf-16") == types.Position(0, 0)


def test_a_wide_character_before_a_finding_moves_it(client: Client, tmp_path: Path) -> None:
    wide = SMALL.replace('op    = "reduce"', 'op    = "reduce"\n  let   = { "𝔫𝔫" = 1, h = "q" }')
    client.begin(general={"positionEncodings": ["utf-16"]})
    uri = client.open(tmp_path / "ring.toml", wide)
    found = client.diagnostics(uri, 1)
    line = next(text for text in wide.split("\n") if "𝔫" in text)
    (unknown,) = [d for d in found if d["code"] == "RP106"]
    assert unknown["range"]["start"]["character"] == line.index('"q"') + 1 + 2
    assert unknown["range"]["end"]["character"] == line.index('"q"') + 2 + 2


def test_other_toml_files_are_left_alone(client: Client, tmp_path: Path) -> None:
    client.begin()
    uri = client.open(tmp_path / "pyproject.toml", '[project]\nname = "x"\nphase = 1\n')
    assert client.diagnostics(uri) == []
    broken = client.open(tmp_path / "broken.toml", "[[project]\n")
    assert client.diagnostics(broken) == []
    assert hovered(client, uri, 1) == ""
    assert client.end() == 0


def test_a_closed_document_has_no_findings(client: Client, tmp_path: Path) -> None:
    client.begin()
    uri = client.open(tmp_path / "ring.toml", SMALL.replace('"reduce"', '"add"'))
    assert client.diagnostics(uri)
    client.tell("textDocument/didClose", textDocument={"uri": uri})
    client.until(lambda: client.diagnostics(uri) == [] or client._read())
    assert hovered(client, client.open(tmp_path / "other.toml", ""), 0) == ""


def test_a_finding_in_a_used_table_stands_where_it_is_used(client: Client, tmp_path: Path) -> None:
    client.begin()
    (tmp_path / "ring.toml").write_text(SMALL.replace('"reduce"', '"add"'), encoding="utf-8")
    outer = (
        'name = "o"\ncollective = "reduce-scatter"\nranks = "2..6"\nchunks = "N"\n\n[[phase]]\nname = "all"\n'
        'use = "ring.toml"\ngroup = "0"\nrank = "r"\nchunk = "c"\n'
    )
    uri = client.open(tmp_path / "outer.toml", outer)
    (finding,) = client.diagnostics(uri, 1)
    assert finding["code"] == "RP104"
    assert finding["range"]["start"] == {"line": 7, "character": 6}
    (related,) = finding["relatedInformation"]
    assert related["location"]["uri"] == (tmp_path / "ring.toml").as_uri()
    (tmp_path / "ring.toml").write_text(SMALL.replace("(r - s + 1)", "(r - s - 1)"), encoding="utf-8")
    client.tell("textDocument/didSave", textDocument={"uri": uri})
    settled(client, uri, 1, None)
    client.until(lambda: "proved" in hovered(client, uri, 0))
    assert "15" not in hovered(client, uri, 7)
    assert hovered(client, uri, 7).startswith("`all` at N = 4: 12 sends in 3 steps, reduce")


def test_a_document_without_a_file(client: Client) -> None:
    client.begin()
    client.tell("textDocument/didOpen", textDocument={"uri": "untitled:Untitled-1", "languageId": "toml",
                                                      "version": 1, "text": SMALL})  # fmt: skip
    assert [d["code"] for d in settled(client, "untitled:Untitled-1", 1, "RP301")] == ["RP301"]


def test_a_change_ends_the_check_that_it_makes_vain(client: Client, tmp_path: Path) -> None:
    client.begin()
    uri = client.open(tmp_path / "t.toml", LONG)
    pid = held_worker(client)
    change(client, uri, 2, SMALL)
    until_gone(pid)
    settled(client, uri, 2, "RP301")
    assert not [m for m in client.told if m["params"].get("version") == 1 and m["params"].get("diagnostics")]


def test_a_check_is_ended_at_whatever_moment_it_becomes_vain() -> None:
    async def begun_and_cancelled(checker: Checker, seconds: float) -> None:
        check = asyncio.ensure_future(checker.check(parse(LONG, "t.toml")))
        await asyncio.sleep(seconds)
        check.cancel()
        await asyncio.wait([check])

    async def left() -> set[int]:
        checker = Checker()
        for i in range(40):
            await begun_and_cancelled(checker, i * 0.0002)
        await begun_and_cancelled(checker, 0.5)  # at its work
        await asyncio.sleep(0.1)
        return workers(os.getpid())

    assert asyncio.run(left()) == set()


def test_a_machine_that_gives_no_process_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(*given: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr("ringproof.lsp.checker.Worker", begin)
    said = asyncio.run(Checker().check(parse(SMALL, "t.toml")))
    assert said == f"no process can be begun: {os.strerror(errno.EAGAIN).lower()}"


# ---- rows and places ----------------------------------------------------------------------------


def test_every_line_of_a_row_belongs_to_it_and_no_other() -> None:
    source = read(str(HOME / "schedules" / "ring.toml"))
    lines = source.text.split("\n")
    rows = [row_at(source, number) for number in range(1, len(lines) + 1)]
    starts = [i for i, line in enumerate(lines) if "[[phase.send]]" in line]
    assert [rows[i] for i in starts] == [("phase", 0, "send", 0), ("phase", 1, "send", 0)]
    assert [len([r for r in rows if r == rows[i]]) for i in starts] == [4, 4]
    assert {r for i, r in enumerate(rows) if not any(s <= i < s + 4 for s in starts)} == {()}


def test_a_hover_on_sends_that_are_written_out_and_on_a_used_table() -> None:
    written = read(str(HOME / "schedules" / "ring4_sends.toml"))
    line = next(i for i, text in enumerate(written.text.split("\n"), 1) if "step = 0" in text)
    assert "1 send in 1 step" in hover(written, line, 9)
    used = read(str(HOME / "schedules" / "hierarchical_composed.toml"))
    line = next(i for i, text in enumerate(used.text.split("\n"), 1) if text.lstrip().startswith("use"))
    assert " at N = 8, L = 2: 32 sends in 1 step, reduce\n" in hover(used, line, 8)


def test_a_hover_where_a_row_cannot_be_unrolled_says_why() -> None:
    def words(row: str, N: int = 900, **keys: str) -> str:
        head = {"name": "x", "collective": "all-reduce", "ranks": "2..900", "chunks": "N", **keys}
        text = "".join(f'{key} = "{value}"\n' for key, value in head.items())
        text += '[[phase]]\nname = "p"\nsteps = "N"\n[[phase.send]]\n' + row
        return hover(parse(text, "t.toml"), len(text.split("\n")) - 1, N)

    send = 'to = "r"\nop = "copy"\nchunk = "{}"'
    assert "division by zero, at N = 4, rank r = 0, step s = 0" in words(send.format("1 // s"), 4)
    assert "memory" in words(send.format("0") + '\nfor = { i = "0..N - 1", j = "0..N - 1" }')
    assert words('to = "r"\nop = "copy"\nwhen = "r < 0"\nchunk = "0"', 4).endswith("0 sends.")
    assert words("op = 1") == ""
    assert words(send.format("0"), where="1 // (N - N) == 0") != ""
    assert MEMORY <= 1 << 27


def test_the_nearest_size_that_is_claimed() -> None:
    schedule = read_schedule(read(str(HOME / "schedules" / "halving_doubling.toml")).values)
    assert [nearest(schedule, n)[0].N for n in (1, 6, 8, 15, 70)] == [2, 8, 8, 16, 64]


def test_a_repair_in_another_file_changes_that_file() -> None:
    from ringproof.verdict import Used

    place = Place(("phase", 0, "use", "name"))
    finding = Finding("RP301", "t", primary=Label(place), repairs=(Repair(place, "new", "says"),))
    report = Report("/x/a.toml", "", "", "", findings=(finding,),
                    used=(Used(("phase", 0, "use"), "/x/b.toml", 'name = "old"\n'),))  # fmt: skip
    assert stands_of(report, [finding])[place].path == "/x/b.toml"
    found = told(report, "file:///x/a.toml", "utf-16")
    ((_, title, edit),) = found.repairs
    assert title == "says"
    assert list(edit.changes or ()) == ["file:///x/b.toml"]


# ---- clients that are none ----------------------------------------------------------------------


def test_a_client_that_leaves_without_a_word(client: Client) -> None:
    client.begin()
    assert ends(client, 1) == ""


def test_a_client_that_vanishes_while_a_table_is_checked(client: Client, tmp_path: Path) -> None:
    client.begin()
    client.open(tmp_path / "t.toml", LONG)
    next_worker(client)
    time.sleep(0.5)  # it is at its work
    assert ends(client, 1) == ""


def test_a_client_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, subprocess, time\np = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)\n"
        "print(p.pid, flush=True)\ntime.sleep(60)"
    )
    client = subprocess.Popen([sys.executable, "-c", script, *COMMAND], cwd=tmp_path, env=ENV,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    assert client.stdout
    server = int(client.stdout.readline())
    time.sleep(0.5)
    client.send_signal(signal.SIGKILL)
    client.communicate()
    deadline = time.monotonic() + 20
    while Path(f"/proc/{server}").exists() and "Z" not in Path(f"/proc/{server}/stat").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_server_that_is_killed_leaves_no_check_behind(client: Client, tmp_path: Path) -> None:
    client.begin()
    client.open(tmp_path / "t.toml", LONG.replace("2..300", "2..2000"))
    pid = next_worker(client)
    time.sleep(1)  # it is at its work
    client.process.kill()
    until_gone(pid)


def test_exit_without_shutdown_is_one(client: Client) -> None:
    client.begin()
    client.tell("exit")
    assert client.process.wait(20) == 1


GARBAGE = [
    (b"hello\n", "what should be a header is none"),
    (b"\x00\xff" * 9000, "what should be a header is none"),
    (b"A" * 100_000, "what should be a header is none"),
    (b"Content-Length: many\r\n\r\n", "a message has 1 to"),
    (b"Content-Length: 0\r\n\r\n", "a message has 1 to"),
    (b"content-length: -4\r\n\r\n", "a message has 1 to"),
    (b"Content-Length: 99999999999999\r\n\r\n", "a message has 1 to"),
    (f"Content-Length: {LARGEST_MESSAGE + 1}\r\n\r\n".encode(), "a message has 1 to"),
    (b"Content-Length: 30\r\n\r\n{}", "a message ends in the middle"),
    (b"Content-Length: 4\r\n\r\n{\xff}}", "a message is not JSON"),
    (b"Content-Length: 2\r\n\r\n[]", "a message is not JSON"),
    (b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000, "a message is not JSON"),
]


@pytest.mark.parametrize(("content", "why"), GARBAGE)
def test_garbage_is_refused(content: bytes, why: str) -> None:
    wire, length = Wire(BytesIO(content)), 0
    while line := wire.readline():
        if line == b"\r\n":
            wire.read(length)
        else:
            length = int(line.rpartition(b" ")[2])
    assert wire.refused.startswith(why)


@pytest.mark.parametrize("garbage", sampled(GARBAGE, 3))
def test_garbage_ends_the_server(client: Client, garbage: tuple[bytes, str]) -> None:
    content, why = garbage
    client.begin()
    with suppress(BrokenPipeError):  # it may have left before it has heard all
        client.raw(content)
    said = ends(client, Exit.CANNOT_CHECK)
    assert said.startswith(f"the client speaks no LSP: {why}")
    assert said.count("\n") == 1


MAKE_NO_SENSE: list[Any] = [
    {}, {"jsonrpc": "1.0"}, {"jsonrpc": "2.0", "id": 77, "method": "textDocument/hover"},
    {"jsonrpc": "2.0", "id": 77, "method": "no/such", "params": {}},
    {"jsonrpc": "2.0", "id": 77, "method": "textDocument/hover", "params": {"textDocument": 3}},
    {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "x"}}},
    {"jsonrpc": "2.0", "id": 1, "result": "not asked"}, {"jsonrpc": "2.0", "id": [], "method": 4},
    {"jsonrpc": "2.0", "id": 77, "method": "textDocument/codeAction", "params": {
        "textDocument": {"uri": "file:///none.toml"}, "context": {"diagnostics": []},
        "range": {"start": {"line": 9, "character": 9}, "end": {"line": 9, "character": 9}}}},
]  # fmt: skip


def test_messages_that_make_no_sense_are_survived(client: Client, tmp_path: Path) -> None:
    client.begin()
    for i, message in enumerate(MAKE_NO_SENSE):
        client.write(message)
        uri = client.open(tmp_path / f"{i}.toml", SMALL.replace('"reduce"', '"add"'))
        assert [d["code"] for d in client.diagnostics(uri)] == ["RP104"], message
    assert client.end() == 0


def test_a_request_before_the_first_is_survived(client: Client) -> None:
    params = {"textDocument": {"uri": "x"}, "position": {"line": 0, "character": 0}}
    client.write({"jsonrpc": "2.0", "id": 5, "method": "textDocument/hover", "params": params})
    client.begin()
    assert client.end() == 0


_PIECES = st.binary(max_size=40) | st.sampled_from([b"Content-Length: 2\r\n", b"\r\n", b"{}", b"A: b\r\n"])


@given(st.lists(_PIECES))
def test_a_wire_ends_whatever_comes(pieces: list[bytes]) -> None:
    wire = Wire(BytesIO(b"".join(pieces)))
    for _ in range(len(b"".join(pieces)) + 2):
        if not wire.readline():
            break
        wire.read(2)
    assert wire.readline() == b""
    assert wire.read(1) == b""
    assert LARGEST_MESSAGE < 1 << 27


# ---- the command --------------------------------------------------------------------------------


def test_nobody_types_lsp(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert run("lsp")[0] == Exit.CANNOT_CHECK


def test_without_pygls_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from ringproof.cli import main

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["lsp"]) == Exit.CANNOT_CHECK
    assert "pip install 'ringproof[lsp]'" in capsys.readouterr().err
