"""The server: what the client tells becomes checks, and reports become what it shows."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from ringproof.executors.task import lost
from ringproof.inputs import ProgramText
from ringproof.lsp.checker import Checker
from ringproof.lsp.complete import meaning, offers
from ringproof.lsp.hover import hover
from ringproof.lsp.opened import AT_ONCE, Kind, item_of, kind_of, may_become_table, plain
from ringproof.lsp.protocol import Nonsense, Protocol
from ringproof.lsp.told import Told, offset, span_of, told
from ringproof.lsp.wire import Out
from ringproof.table.source import Source, parse
from ringproof.textfile import LARGEST
from ringproof.verdict import Report, TableError
from ringproof.version import version
from ringproof.wording import outcome_text

PAUSE = 0.3  # seconds without a change before a document is checked


@dataclass
class Document:
    """What is known of one open document: ``told`` belongs to ``version``, ``task`` finds out more."""

    version: int | None = None
    told: Told = field(default_factory=Told)
    report: Report | None = None
    task: asyncio.Task[None] | None = None
    kind: Kind = ""


class Server(LanguageServer):
    """A language server for tables; hovers show ``ranks`` ranks, unless the client's settings differ."""

    def __init__(self, ranks: int) -> None:
        super().__init__("ringproof", version(), protocol_cls=Protocol)
        self.ranks = ranks
        self.documents: dict[str, Document] = {}
        self.checker = Checker()
        self.farewell = False  # the client has asked to shut down, so leaving is no failure

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Show what went wrong in here; what the client got wrong it knows by its answer."""
        if not isinstance(error, Nonsense):
            super().report_server_error(error, source)

    def configure(self, settings: Any) -> None:
        """Take N from settings such as ``{"ringproof": {"N": 8}}`` or ``{"N": 8}``; else keep it."""
        inner = settings.get("ringproof", settings) if isinstance(settings, dict) else None
        N = inner.get("N") if isinstance(inner, dict) else None
        if type(N) is int and 1 <= N <= 1 << 20:
            self.ranks = N

    def changed(self, uri: str) -> None:
        """Say at once what is wrong with the text, and check what it means when nothing more comes."""
        self.forget(uri)
        document = self.documents[uri] = Document()
        opened = self.workspace.get_text_document(uri)
        document.version = opened.version
        path = to_fs_path(uri) or uri
        kind = document.kind = kind_of(opened.source, path, opened.language_id or "")
        if kind == "table" and len(opened.source) <= AT_ONCE:
            self.checked(uri, item_of(opened.source, path, kind))
            return
        self.publish(uri, Told())
        if kind:
            document.task = asyncio.ensure_future(self.later(uri, opened.source, path, kind))

    async def later(self, uri: str, text: str, path: str, kind: Kind) -> None:
        """Read a long text and check it, unless the document changes meanwhile."""
        await asyncio.sleep(PAUSE)
        item = await asyncio.to_thread(item_of, text, path, kind)
        self.show(uri, item if isinstance(item, Report) else await self.asked(item))

    def checked(self, uri: str, item: Source | ProgramText | Report) -> None:
        """Show what is known, and find out the rest."""
        if isinstance(item, Report):
            self.show(uri, item)
            return
        self.publish(uri, Told())
        self.documents[uri].task = asyncio.ensure_future(self.check(uri, item))

    async def check(self, uri: str, item: Source | ProgramText) -> None:
        """Check a document, unless it changes meanwhile."""
        await asyncio.sleep(PAUSE)
        self.show(uri, await self.asked(item))

    async def asked(self, item: Source | ProgramText) -> Report:
        """What the worker says; one that dies is asked once more."""
        found = await self.checker.check(item)
        if isinstance(found, str):
            found = await self.checker.check(item)
        return lost(item, found) if isinstance(found, str) else found

    def show(self, uri: str, report: Report) -> None:
        self.documents[uri].report = report
        self.publish(uri, told(report, uri, self.encoding))

    def publish(self, uri: str, found: Told) -> None:
        document = self.documents[uri]
        document.told = found
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, list(found.diagnostics), document.version)
        )

    @property
    def encoding(self) -> str:
        """The units in which the client counts columns."""
        return str(self.workspace.position_encoding or types.PositionEncodingKind.Utf16)

    def forget(self, uri: str) -> None:
        """Drop what is known of a document, and end a check of it."""
        known = self.documents.pop(uri, None)
        if known and known.task:
            known.task.cancel()

    def hovered(self, uri: str, place: types.Position) -> str:
        """What the key there means and what the row of the line sends, else how the check ended."""
        opened = self.workspace.get_text_document(uri)
        known = self.documents.get(uri)
        if known is None or not known.kind:
            return ""
        words: list[str] = []
        if known.kind == "table" and len(opened.source) <= LARGEST:
            text = plain(opened.source)
            words = [meaning(text, offset(text, place, self.encoding)), self.sent(uri, text, place.line)]
        if not any(words):
            words = [self.outcome(known)]
        return "\n\n".join(word for word in words if word)

    def sent(self, uri: str, text: str, line: int) -> str:
        """What the row of a line sends; empty where none stands or the table is no TOML."""
        try:
            source = parse(text, to_fs_path(uri) or uri)
        except TableError:
            return ""
        return hover(source, line + 1, self.ranks)

    def outcome(self, known: Document) -> str:
        """How the check of a document ended."""
        if known.task and not known.task.done():
            return "being checked"
        return outcome_text(known.report) if known.report else ""

    def completed(self, uri: str, place: types.Position) -> list[types.CompletionItem]:
        """What may be typed at a place of a table, or of what may become one."""
        if uri not in self.documents:
            return []
        opened = self.workspace.get_text_document(uri)
        path, text = to_fs_path(uri) or uri, plain(opened.source)
        if not may_become_table(text, path, opened.language_id or ""):
            return []
        at = offset(text, place, self.encoding)
        found = offers(text, path, at)
        span = span_of(text, at - found.width, at, self.encoding)
        return [
            types.CompletionItem(
                label=offer.label, kind=offer.kind, detail=offer.detail or None, sort_text=f"{i:03}",
                documentation=offer.says or None, text_edit=types.TextEdit(span, offer.text),
                filter_text=offer.sought or offer.label,  # Neovim 0.11 filters by nothing else
            )
            for i, offer in enumerate(found.found)
        ]  # fmt: skip

    def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """The repairs that are proved for what stands in the lines of a range; none for another version.

        Lines, not columns: an editor that is sent to a line asks for its first column.
        """
        uri = params.text_document.uri
        known = self.documents.get(uri)
        if known is None or known.version != self.workspace.get_text_document(uri).version:
            return []
        wanted = [r for r in known.told.repairs if _meet(r[0].range, params.range)]
        return [
            types.CodeAction(
                title=title, kind=types.CodeActionKind.QuickFix, diagnostics=[diagnostic], edit=edit,
                is_preferred=len(wanted) == 1,
            )
            for diagnostic, title, edit in wanted
        ]  # fmt: skip


def _meet(a: types.Range, b: types.Range) -> bool:
    return a.start.line <= b.end.line and b.start.line <= a.end.line


def serve(server: Server, stdin: Any) -> None:
    """Speak with the client until it leaves; what is printed by mistake goes to stderr."""
    def gone() -> None:
        server.checker.end()
        os._exit(1)  # a thread waits for what this client may still write, for ever

    out = Out(os.fdopen(os.dup(1), "wb"), gone)
    os.dup2(2, 1)
    try:
        server.start_io(stdin, out)  # type: ignore[arg-type]
    finally:
        out.close()
        server.checker.end()
