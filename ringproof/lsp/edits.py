"""What a client changes in a text, as the client counts its lines and columns."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from ringproof.lsp.told import Encoding, offset


def edited(text: str, changes: Sequence[types.TextDocumentContentChangeEvent], encoding: Encoding) -> str:
    """The text after some changes, one after another; a place beyond the text is its end.

    A line ends where editors end it, at each line feed: LSP also names a lone carriage return, but Neovim,
    Helix and Emacs keep one within a line.  Python's own lines end at U+0085, U+2028 and others too.
    """
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            start = offset(text, change.range.start, encoding)
            end = max(start, offset(text, change.range.end, encoding))
            text = text[:start] + change.text + text[end:]
        else:
            text = change.text
    return text
