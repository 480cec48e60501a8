"""What tests of the language server ask in a session, and what they look at when it ends."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import HOME
from tests.lsp_client import Client, Message

COMMAND = [sys.executable, "-m", "ringproof", "lsp"]
ENV = {**os.environ, "PYTHONPATH": str(HOME)}


def settled(client: Client, uri: str, version: int, code: str | None) -> list[Message]:
    """Wait until one version of a document has this finding, or none."""

    def found() -> bool:
        codes = [d["code"] for d in client.diagnostics(uri, version)]
        return codes == [] if code is None else code in codes

    client.until(lambda: found() or client._read())
    return client.diagnostics(uri, version)


def change(client: Client, uri: str, version: int, text: str) -> None:
    client.tell("textDocument/didChange", textDocument={"uri": uri, "version": version},
                contentChanges=[{"text": text}])  # fmt: skip


def hovered(client: Client, uri: str, line: int, character: int = 12) -> str:
    answer = client.ask("textDocument/hover", textDocument={"uri": uri},
                        position={"line": line, "character": character})  # fmt: skip
    return answer["contents"]["value"] if answer else ""


def actions(client: Client, uri: str, where: Message) -> list[Message]:
    asked = client.ask("textDocument/codeAction", textDocument={"uri": uri}, range=where,
                       context={"diagnostics": []})  # fmt: skip
    return list(asked or ())


def spread(line: int, start: int, end: int) -> Message:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def children(pid: int) -> list[int]:
    """The processes that a process has begun and that still run."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("there is no /proc here to see processes in")
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended meanwhile
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(int(stat.parent.name))
    return found


def workers(server: int) -> set[int]:
    """The processes that check for a server."""
    commands = {pid: Path(f"/proc/{pid}/cmdline") for pid in children(server)}
    found = set()
    for pid, path in commands.items():
        with suppress(OSError):  # it ended meanwhile
            if b"spawn_main" in path.read_bytes():
                found.add(pid)
    return found


def next_worker(client: Client, *before: int) -> int:
    """The process that begins to check, none of those before it."""
    deadline = time.monotonic() + 20
    while not (found := workers(client.process.pid) - {*before}):
        assert time.monotonic() < deadline, "nobody checks"
        time.sleep(0.005)
    return found.pop()


def held_worker(client: Client) -> int:
    """The process that checks, stopped at its work: it will neither answer nor end by itself."""
    pid = next_worker(client)
    os.kill(pid, signal.SIGSTOP)
    return pid


def until_gone(*pids: int, seconds: float = 10.0) -> None:
    """Wait until these processes have ended."""
    deadline = time.monotonic() + seconds
    while left := [pid for pid in pids if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < deadline, f"left behind: {left}"
        time.sleep(0.02)


def ends(client: Client, code: int) -> str:
    """The server ends by itself, with this code and nothing left behind; what it says on stderr."""
    left = children(client.process.pid)
    assert client.process.stdin
    with suppress(BrokenPipeError):
        client.process.stdin.close()
    assert client.process.wait(20) == code
    until_gone(*left)
    assert client.process.stderr
    said = client.process.stderr.read().decode()
    assert "Traceback" not in said
    return said
