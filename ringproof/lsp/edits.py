"""What a client changes in a text, as the client counts its lines and columns."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from ringproof.lsp.told import Encoding, column


def edited(text: str, changes: Sequence[types.TextDocumentContentChangeEvent], encoding: Encoding) -> str:
    """The text after some changes, one after another; a place beyond the text is its end.

    A line ends where editors end it, at each line feed: LSP also names a lone carriage return, but Neovim,
    Helix and Emacs keep one within a line.  Python's own lines end at U+0085, U+2028 and others too.
    """
    lines = text.split("\n")  # kept, as an editor that replaces a word everywhere sends thousands of changes
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            start = _place(lines, change.range.start, encoding)
            end = max(start, _place(lines, change.range.end, encoding))
            new = lines[start[0]][: start[1]] + change.text + lines[end[0]][end[1] :]
            lines[start[0] : end[0] + 1] = new.split("\n")
        else:
            lines = change.text.split("\n")
    return "\n".join(lines)


def _place(lines: Sequence[str], place: types.Position, encoding: Encoding) -> tuple[int, int]:
    """A line, and the characters before a place in it; a carriage return at its end is no part of it."""
    last = len(lines) - 1
    if place.line > last:
        return last, len(lines[last])
    line = lines[place.line]
    return place.line, column(line.removesuffix("\r") if place.line < last else line, place, encoding)
