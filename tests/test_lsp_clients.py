"""Clients that are none, and what they are told: an answer to every request, never a traceback."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="pip install 'ringproof[lsp]'")

from tests.conftest import HOME
from tests.lsp_client import Client, Message
from tests.lsp_session import COMMAND, ENV, change, children, held_worker, settled, until_gone

RING = (HOME / "schedules" / "ring.toml").read_text(encoding="utf-8")
WRONG = RING.replace('"reduce"', '"add"', 1)
PLACE = {"line": 0, "character": 0}
ASKED = ["textDocument/hover", "textDocument/completion"]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Client(COMMAND, tmp_path, ENV) as begun:
        yield begun


def answer(client: Client, method: str, params: Any) -> Message:
    """The whole answer to a request, an error or not."""
    client.last += 1
    number = client.last
    client.write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    client.until(lambda: number in client.answers, 20)
    found = client.answers.pop(number)
    assert "raceback" not in json.dumps(found)
    return found


def code(client: Client, method: str, params: Any) -> int:
    return int(answer(client, method, params).get("error", {"code": 0})["code"])


def alive(client: Client) -> None:
    """The server goes on, has told its user nothing, and ends as it should."""
    uri = client.open(client.folder / "ring.toml", WRONG)
    assert [d["code"] for d in client.diagnostics(uri)] == ["RP104"]
    assert {m["method"] for m in client.told} == {"textDocument/publishDiagnostics"}
    assert client.end() == 0
    assert client.process.stderr
    assert client.process.stderr.read() == b""


# ---- requests -----------------------------------------------------------------------------------


def test_a_request_before_initialize_is_refused(client: Client) -> None:
    params = {"textDocument": {"uri": "file:///a.toml"}, "position": PLACE}
    assert {code(client, method, params) for method in [*ASKED, "shutdown", "no/such"]} == {-32002}
    client.tell("textDocument/didOpen", textDocument={"uri": "file:///a.toml", "languageId": "toml",
                                                      "version": 1, "text": WRONG})  # fmt: skip
    assert code(client, "initialize", {"capabilities": 7}) == -32602
    client.begin()
    assert answer(client, "textDocument/hover", params)["result"] is None
    assert code(client, "initialize", {"capabilities": {}, "processId": None, "rootUri": None}) == -32600
    assert code(client, "no/such", {}) == -32601
    alive(client)


def test_a_request_after_shutdown_is_refused(client: Client) -> None:
    client.begin()
    client.ask("shutdown")
    assert code(client, "textDocument/hover", {"textDocument": {"uri": "x"}, "position": PLACE}) == -32600
    assert code(client, "initialize", {"capabilities": {}, "processId": None, "rootUri": None}) == -32600
    client.tell("exit")
    assert client.process.wait(20) == 0


@pytest.mark.parametrize("method", ASKED)
def test_parameters_of_a_wrong_type_are_refused(client: Client, method: str) -> None:
    client.begin()
    uri = client.open(client.folder / "a.toml", RING)
    here = {"textDocument": {"uri": uri}, "position": PLACE}
    places = [{"line": -1}, {"character": -1}, {"line": 2**31}, {"line": 10**30}, {"character": [0]}]
    wrong = [[], 3, "x", {}, {**here, "position": None}, {**here, "textDocument": []},
             *({**here, "position": {**PLACE, **off}} for off in places)]  # fmt: skip
    assert [code(client, method, params) for params in wrong] == [-32602] * len(wrong)
    assert code(client, method, None) == -32602
    assert code(client, method, here) == 0
    alive(client)


@pytest.mark.parametrize("method", ASKED)
def test_a_place_beyond_the_text_is_its_end(client: Client, method: str) -> None:
    client.begin()
    text = 'collective = "all-reduce"\n[[phase]]\nst'
    uri = client.open(client.folder / "a.toml", text)
    for line, character in ((2, 2**31 - 1), (2**31 - 1, 0), (2**31 - 1, 2**31 - 1), (2, 3)):
        place = {"line": line, "character": character}
        found = answer(client, method, {"textDocument": {"uri": uri}, "position": place})["result"]
        if method == "textDocument/completion":
            assert {item["textEdit"]["range"]["end"]["character"] for item in found} == {2}
            assert {item["textEdit"]["range"]["end"]["line"] for item in found} == {2}
        else:
            assert found["contents"]["value"].startswith(("`st", "being checked", "cannot check"))
    alive(client)


@pytest.mark.parametrize("method", [*ASKED, "textDocument/codeAction"])
def test_a_document_that_was_never_opened_is_not_read(client: Client, tmp_path: Path, method: str) -> None:
    client.begin()
    os.mkfifo(tmp_path / "pipe.toml")  # whoever opens this waits for ever
    (tmp_path / "there.toml").write_text(WRONG, encoding="utf-8")
    names = ("pipe.toml", "there.toml", "none.toml", ".")
    paths = [*(tmp_path / name for name in names), Path("/dev/zero")]
    others = ["", "x", "file://", "file:///%00", "untitled:x", "\ud800"]
    for uri in [*(path.as_uri() for path in paths), *others]:
        params: Message = {"textDocument": {"uri": uri}, "position": PLACE}
        if method == "textDocument/codeAction":
            params |= {"range": {"start": PLACE, "end": PLACE}, "context": {"diagnostics": []}}
        found = answer(client, method, params)
        assert found.get("result", 1) in (None, []), (uri, found)
    alive(client)


# ---- notifications ------------------------------------------------------------------------------


def test_a_change_of_a_document_that_was_never_opened_is_nothing(client: Client, tmp_path: Path) -> None:
    client.begin()
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "there.toml").write_text(WRONG, encoding="utf-8")
    for uri in ((tmp_path / "pipe.toml").as_uri(), (tmp_path / "there.toml").as_uri(), "file:///dev/zero"):
        change(client, uri, 2, WRONG)
        client.tell("textDocument/didChange", textDocument={"uri": uri, "version": 3},
                    contentChanges=[{"range": {"start": PLACE, "end": PLACE}, "text": "x"}])  # fmt: skip
        client.tell("textDocument/didSave", textDocument={"uri": uri})
        client.tell("textDocument/didClose", textDocument={"uri": uri})
    alive(client)
    assert {m["params"]["uri"] for m in client.told} == {(tmp_path / "ring.toml").as_uri()}


NONSENSE: list[tuple[str, Any]] = [
    ("textDocument/didOpen", {"textDocument": {"uri": "file:///b.toml", "languageId": "toml"}}),
    ("textDocument/didOpen", {"textDocument": [WRONG]}), ("textDocument/didOpen", None),
    ("textDocument/didChange", {"contentChanges": []}), ("textDocument/didSave", []),
    ("textDocument/didClose", {"textDocument": None}), ("workspace/didChangeConfiguration", {}),
    ("workspace/didChangeConfiguration", {"settings": [1, {"N": 3}]}), ("no/such", {"x": 1}),
    ("$/cancelRequest", {"id": "none"}), ("$/cancelRequest", {}), ("$/setTrace", {"value": "loud"}),
    ("initialize", {}), ("initialized", 7),
]  # fmt: skip


def test_a_notification_that_makes_no_sense_is_nothing(client: Client) -> None:
    client.begin()
    for method, params in NONSENSE:
        client.write({"jsonrpc": "2.0", "method": method, "params": params})
        assert code(client, "no/such", {}) == -32601, (method, params)  # it still answers
    alive(client)


NO_MESSAGES: list[Message] = [
    {}, {"a": 1}, {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "id": 9},
    {"jsonrpc": "1.0", "id": 9, "method": "x"},
    {"jsonrpc": "2.0", "id": {}, "method": "shutdown"}, {"jsonrpc": "2.0", "id": None, "method": []},
    {"jsonrpc": "2.0", "id": 9, "error": 4}, {"jsonrpc": {"jsonrpc": "2.0", "method": "exit"}},
    {"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "x"}},
]  # fmt: skip


def test_what_is_no_message_is_nothing(client: Client) -> None:
    client.begin()
    client.last = 100  # none of the numbers below is waited for
    for message in NO_MESSAGES:
        client.write(message)
        assert code(client, "no/such", {}) == -32601, message
    alive(client)


def test_a_change_beyond_the_text_keeps_the_server_alive(client: Client) -> None:
    client.begin()
    uri = client.open(client.folder / "a.toml", RING)
    far = {"line": 2**31 - 1, "character": 2**31 - 1}
    for version, (start, end) in enumerate([(far, far), (far, PLACE), (PLACE, far)], 2):
        client.tell("textDocument/didChange", textDocument={"uri": uri, "version": version},
                    contentChanges=[{"range": {"start": start, "end": end}, "text": ""}])  # fmt: skip
    change(client, uri, 9, WRONG)
    settled(client, uri, 9, "RP104")
    alive(client)


# ---- a client that is gone ----------------------------------------------------------------------


def gone(client: Client, pids: list[int]) -> None:
    """The server and its processes end within some time."""
    assert client.process.wait(10) != 0
    until_gone(*pids)
    assert client.process.stderr
    assert b"Traceback" not in client.process.stderr.read()


@pytest.mark.parametrize("what", ["stdin", "stdout", "both"])
def test_a_client_that_is_gone_ends_the_server_and_its_check(client: Client, what: str) -> None:
    client.begin()
    client.open(client.folder / "ring.toml", RING)
    held_worker(client)
    left = children(client.process.pid)
    assert client.process.stdin
    assert client.process.stdout
    if what != "stdin":
        client.process.stdout.close()
        client.process.stdout = None
    if what == "stdout":  # it learns of it when it has something to say
        client.open(client.folder / "wrong.toml", WRONG)
    else:
        client.process.stdin.close()
        client.process.stdin = None
    gone(client, left)


def test_a_client_that_reads_nothing_and_leaves_ends_the_server(client: Client) -> None:
    client.begin()
    wrong = "\n".join(f"{'x' * 60}{i} = 1" for i in range(99)) + f"\n{RING}"
    for i in range(4):  # more is said of these than a pipe holds
        client.open(client.folder / f"{i}.toml", wrong)
    time.sleep(0.5)
    left = children(client.process.pid)
    assert client.process.stdin
    client.process.stdin.close()
    client.process.stdin = None
    assert client.process.stdout
    client.process.stdout.close()
    client.process.stdout = None
    gone(client, left)


def test_an_internal_error_is_told_without_a_traceback() -> None:
    from lsprotocol import types

    from ringproof.lsp.features import made

    class Writer:
        told = b""

        def write(self, data: bytes) -> None:
            self.told += data

        def close(self) -> None:
            """Nothing is open."""

    protocol, writer = made(4).protocol, Writer()
    protocol.set_writer(writer)
    protocol._send_response(1, error=types.ResponseError(-32603, "why", {"traceback": ["File x.py"]}))
    assert b'"why"' in writer.told
    assert b"x.py" not in writer.told
