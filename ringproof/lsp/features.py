"""What a client can ask, each answered by one call of the server."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from ringproof.lsp.server import Server
from ringproof.lsp.told import Told

TRIGGERS = '"[{=,.'


def made(ranks: int) -> Server:
    """A server that knows what it can be asked."""
    server = Server(ranks)
    _documents(server)
    _settings(server)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def show(params: types.HoverParams) -> types.Hover | None:
        words = server.hovered(params.text_document.uri, params.position)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, words)) if words else None

    triggers = types.CompletionOptions(trigger_characters=list(TRIGGERS))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, triggers)
    def complete(params: types.CompletionParams) -> list[types.CompletionItem]:
        return server.completed(params.text_document.uri, params.position)

    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def mend(params: types.CodeActionParams) -> Sequence[types.CodeAction]:
        return server.actions(params)

    return server


def _documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        for uri in list(server.documents):  # another table may use the one that is saved
            server.changed(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        if params.text_document.uri in server.documents:
            server.publish(params.text_document.uri, Told())
        server.forget(params.text_document.uri)


def _settings(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def begun(params: types.InitializeParams) -> None:
        server.configure(params.initialization_options)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: types.DidChangeConfigurationParams) -> None:
        server.configure(params.settings)

    @server.feature(types.SHUTDOWN)
    def leaving(_: None) -> None:
        server.farewell = True
        for uri in list(server.documents):
            server.forget(uri)
