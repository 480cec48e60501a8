"""What goes to and fro, handled with care: garbage, or a client that is gone, ends the conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

from ringproof.textfile import LARGEST_PROGRAM

LONGEST_HEADER = 4096
LARGEST_MESSAGE = 2 * LARGEST_PROGRAM + LONGEST_HEADER  # in JSON each quotation mark of a program is two
_HEADER = re.compile(rb"[A-Za-z-]+: [^\r\n]*\r\n")
_LENGTH = re.compile(rb"Content-Length: ([0-9]{1,9})\r\n")


class Wire:
    """Standard input as pygls reads it, line by line and then a message whole.

    ``refused`` says why the rest is not read; empty while the client speaks sense.  After that, and
    after the end, every read is empty, which is how pygls learns that there is no more.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.refused = ""

    def readline(self) -> bytes:
        """One header, or the empty line after the last."""
        line = b"" if self.refused else self.stream.readline(LONGEST_HEADER + 1)
        if not line or line == b"\r\n":
            return line
        if not _HEADER.fullmatch(line):
            return self._refuse("what should be a header is none")
        if line.lower().startswith(b"content-length:"):
            length = _LENGTH.fullmatch(line)
            if length is None or not 0 < int(length[1]) <= LARGEST_MESSAGE:
                return self._refuse(f"a message has 1 to {LARGEST_MESSAGE} bytes")
        return line

    def read(self, count: int) -> bytes:
        """A message of ``count`` bytes."""
        body = b"" if self.refused else self.stream.read(count)
        if not body:
            return b""
        if len(body) < count:
            return self._refuse("a message ends in the middle")
        try:
            sensible = isinstance(json.loads(body), dict)
        except (ValueError, RecursionError):
            sensible = False
        return body if sensible else self._refuse("a message is not JSON")

    def _refuse(self, why: str) -> bytes:
        self.refused = why
        return b""


class Out:
    """Standard output as pygls writes to it; ``gone`` is called when nobody reads it any more."""

    def __init__(self, stream: BinaryIO, gone: Callable[[], None]) -> None:
        self.stream, self.gone = stream, gone

    def write(self, content: bytes) -> int:
        """Write all of it at once."""
        try:
            self.stream.write(content)
            self.stream.flush()
        except OSError:
            self.gone()
        return len(content)

    def flush(self) -> None:
        """Nothing waits to be written."""

    def close(self) -> None:
        """Say no more."""
        with suppress(OSError):
            self.stream.close()
