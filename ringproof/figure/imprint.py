"""What a file says of itself, written into a PNG and into the PDF of a Graphviz: title and facts, no date."""

from __future__ import annotations

import json
import re
import struct
import zlib

from ringproof.figure.scene import Scene

_DATE = re.compile(rb"/(CreationDate|ModDate) \(D:[^)]*\)")
_FIXED = b"D:20000101000000Z00'00'"
_TRAILER = re.compile(
    rb"trailer\s*<<\s*/Size (\d+)\s*/Root (\d+ 0 R)\s*/Info (\d+) 0 R\s*>>\s*startxref\s*(\d+)\s*%%EOF\s*$"
)


def facts(scene: Scene) -> str:
    """The metadata of a scene on one line of ASCII."""
    return json.dumps(scene.metadata, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def png(content: bytes, scene: Scene) -> bytes:
    """The same PNG with its title and facts as text; they stand behind the header."""
    header = 8 + 25
    told = (("Title", scene.title), ("Description", scene.description), ("ringproof", facts(scene)))
    chunks = b"".join(_chunk(b"tEXt", f"{key}\0{text}".encode("latin-1", "replace")) for key, text in told)
    return content[:header] + chunks + content[header:]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def pdf(content: bytes, scene: Scene) -> bytes | None:
    """The same PDF without its date, with new document information; None where it cannot be written in.

    The information is appended as an update of the file, so that nothing before it moves.
    """
    if not _DATE.search(content):
        return None  # newer libraries compress it away
    dated = _DATE.sub(lambda date: _undated(date[0]), content)
    trailer = _TRAILER.search(dated)
    if trailer is None or dated[int(trailer[4]) :][:4] != b"xref":
        return None
    size, root, number, before = trailer[1], trailer[2], int(trailer[3]), trailer[4]
    start = len(dated)
    told = (("Title", scene.title), ("Subject", facts(scene)), ("Creator", "ringproof"))
    words = b"\n".join(f"/{key} ({_escaped(text)})".encode("latin-1", "replace") for key, text in told)
    made = b"%d 0 obj\n<< %s >>\nendobj\n" % (number, words)
    table = b"xref\n%d 1\n%010d 00000 n \n" % (number, start)
    end = b"trailer\n<< /Size %s /Root %s /Info %d 0 R /Prev %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        size, root, number, before, start + len(made))  # fmt: skip
    return dated + made + table + end


def _undated(entry: bytes) -> bytes:
    """A date entry with a fixed date of equal length, so that no offset in the file moves."""
    key, _, value = entry.partition(b" (")
    return key + b" (" + _FIXED[: len(value) - 1].ljust(len(value) - 1) + b")"


def _escaped(text: str) -> str:
    return re.sub(r"([\\()])", r"\\\1", text)
