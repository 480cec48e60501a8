"""The order of a conversation, and what is said to a client that breaks it: errors, never tracebacks."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

from ringproof.lsp.edits import edited

NOT_BEGUN, MISPLACED, WRONG = -32002, -32600, -32602  # as LSP and JSON-RPC number them


class Nonsense(JsonRpcException):
    """A message that no handler was asked about: its sender is told, its user is not."""


class Protocol(LanguageServerProtocol):
    """Answers every request once; a message out of order or of the wrong shape reaches no handler."""

    begun = False

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "method" in data:
                self._refuse(data.get("id"), WRONG, "the parameters are not those of the method")
            raise Nonsense from None

    def handle_message(self, message: Any) -> None:
        method, number = getattr(message, "method", ""), getattr(message, "id", None)
        if not hasattr(message, "jsonrpc") or (method and not isinstance(number, int | str | None)):
            raise Nonsense
        if self._shutdown and method != types.EXIT:
            self._refuse(number if method else None, MISPLACED, "the server is shutting down")
        elif not self.begun and method not in (types.INITIALIZE, types.EXIT):
            self._refuse(number if method else None, NOT_BEGUN, "the first request is `initialize`")
        elif self.begun and method == types.INITIALIZE:
            self._refuse(number, MISPLACED, "`initialize` comes once")
        elif method == types.TEXT_DOCUMENT_DID_CHANGE and not self._whole(message.params):
            return  # else its text would be read from a file, which may be a pipe
        else:
            self.begun = self.begun or method == types.INITIALIZE
            super().handle_message(message)

    def _whole(self, params: types.DidChangeTextDocumentParams) -> bool:
        """Make one change of all, if the document is open: pygls ends lines where Python does."""
        document = self.workspace.text_documents.get(unquote(params.text_document.uri))
        if document is None:
            return False
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        text = edited(document.source, params.content_changes, encoding)
        params.content_changes = [types.TextDocumentContentChangeWholeDocument(text)]
        return True

    def _refuse(self, number: Any, code: int, why: str) -> None:
        if isinstance(number, int | str):
            self._send_response(number, error=types.ResponseError(code, why))

    def _send_response(
        self, msg_id: int | str, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        """Answer; an error without the data of pygls, which is a traceback."""
        told = types.ResponseError(error.code, error.message) if error else None
        super()._send_response(msg_id, result, told)
