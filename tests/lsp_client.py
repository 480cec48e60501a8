"""An LSP client over a pipe, as small as can be: it writes bytes and reads messages."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Message = dict[str, Any]
SECONDS = 60.0


class Client:
    """A session with one server process; what the server asks of us is answered with nothing."""

    def __init__(self, command: list[str], folder: Path, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        self.folder = folder
        self.told: list[Message] = []  # notifications, in order
        self.answers: dict[int, Message] = {}
        self.buffer = b""
        self.last = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                with suppress(BrokenPipeError):  # what it did not read is of no use to anyone
                    stream.close()

    def begin(self, **capabilities: Any) -> Message:
        """Initialize; returns what the server can do."""
        given = {"processId": os.getpid(), "rootUri": self.folder.as_uri(), "capabilities": capabilities,
                 "workspaceFolders": [{"uri": self.folder.as_uri(), "name": "tables"}]}  # fmt: skip
        found = self.ask("initialize", **given)
        self.tell("initialized")
        return found

    def open(self, path: Path, text: str) -> str:
        """Open a document; returns its address."""
        uri = path.as_uri()
        self.tell("textDocument/didOpen",
                  textDocument={"uri": uri, "languageId": "toml", "version": 1, "text": text})  # fmt: skip
        return uri

    def tell(self, method: str, **params: Any) -> None:
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, **params: Any) -> Any:
        """Ask and wait: the result; a failure is an `AssertionError` with what the server said."""
        return self.ask_within(SECONDS, method, **params)

    def ask_within(self, seconds: float, method: str, **params: Any) -> Any:
        """Ask and wait so long."""
        self.last += 1
        number = self.last
        request: Message = {"jsonrpc": "2.0", "id": number, "method": method}
        self.write({**request, "params": params} if params else request)
        self.until(lambda: number in self.answers, seconds)
        answer = self.answers.pop(number)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def diagnostics(self, uri: str, version: int | None = None) -> list[Message]:
        """Wait for what is said of a document (of this version, if given), newest first."""

        def found() -> list[Message]:
            return [m["params"] for m in reversed(self.told)
                    if m["method"] == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
                    and version in (None, m["params"].get("version"))]  # fmt: skip

        self.until(lambda: bool(found()))
        listed: list[Message] = found()[0]["diagnostics"]
        return listed

    def write(self, message: Message) -> None:
        body = json.dumps(message).encode()
        self.raw(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def raw(self, content: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def until(self, done: Any, seconds: float = SECONDS) -> None:
        """Read messages until something holds."""
        ends = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < ends, f"the server is silent; told last: {self.told[-3:]}"
            self._read()

    def _read(self) -> None:
        assert self.process.stdout
        number = self.process.stdout.fileno()
        if not select.select([number], [], [], 0.2)[0]:
            return
        piece = os.read(number, 1 << 16)
        assert piece, f"the server has left: {self.process.stderr.read().decode()[-800:]}"  # type: ignore[union-attr]
        self.buffer += piece
        while (message := self._message()) is not None:
            if "method" in message and "id" in message:
                self.write({"jsonrpc": "2.0", "id": message["id"], "result": self._answer(message)})
            elif "method" in message:
                self.told.append(message)
            else:
                self.answers[message["id"]] = message

    @staticmethod
    def _answer(asked: Message) -> Any:
        """No settings for each section that is asked for, else nothing."""
        if asked["method"] == "workspace/configuration":
            return [{} for _ in asked["params"]["items"]]
        return None

    def _message(self) -> Message | None:
        head, separator, rest = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return None
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
                      if line.lower().startswith(b"content-length:"))  # fmt: skip
        if len(rest) < length:
            return None
        self.buffer = rest[length:]
        found: Message = json.loads(rest[:length])
        return found

    def end(self, seconds: float = 20.0) -> int:
        """Shut down as a client should; returns the exit code."""
        self.ask("shutdown")
        self.tell("exit")
        return self.process.wait(seconds)
