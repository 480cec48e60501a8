"""What editors send, as captured from Neovim 0.12, Helix 25.07, Emacs 30 and VS Code 1.139; and any edit."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygls", reason="pip install 'ringproof[lsp]'")

from lsprotocol import types

from ringproof.lsp.edits import edited
from tests.conftest import HOME, sampled
from tests.lsp_client import Client, Message
from tests.lsp_session import COMMAND, ENV, actions, hovered, settled, spread

WRONG = (HOME / "tests" / "wrong" / "ring_reduce_scatter_plus_one.toml").read_text(encoding="utf-8")
SMALL = WRONG.replace("2..64", "2..6")
ROW = SMALL.split("\n").index('  chunk = "(r - s + 1) % N"')
ODD = "# a\N{LINE SEPARATOR}b\N{NEXT LINE}c\N{PARAGRAPH SEPARATOR}\n"  # no editor ends a line there
Place = tuple[int, int]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A session begun as Neovim begins it for a file without a root, settings after `initialized`."""
    with Client(COMMAND, tmp_path, ENV) as begun:
        found = begun.ask(
            "initialize", processId=os.getpid(), clientInfo={"name": "Neovim", "version": "0.12.4"},
            rootPath=None, rootUri=None, trace="off", workDoneToken="1", workspaceFolders=None,
            capabilities={"general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
                          "window": {"workDoneProgress": True}},
        )  # fmt: skip
        assert found["capabilities"]["positionEncoding"] == "utf-8"
        begun.tell("initialized")
        begun.tell("workspace/didChangeConfiguration", settings={"ringproof": {"N": 3}})
        yield begun


def edit(client: Client, uri: str, version: int, start: Place, end: Place, text: str) -> None:
    """One incremental change, with the length that Neovim adds and that LSP has given up."""
    where: Message = {"start": dict(zip(("line", "character"), start, strict=True)),
                      "end": dict(zip(("line", "character"), end, strict=True))}  # fmt: skip
    client.tell("textDocument/didChange", textDocument={"uri": uri, "version": version},
                contentChanges=[{"text": text, "range": where, "rangeLength": 1}])  # fmt: skip


# ---- a session as editors have it ---------------------------------------------------------------


def test_edits_below_characters_that_end_a_line_for_python_alone(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "ring.toml", SMALL)
    edit(client, uri, 2, (0, 0), (0, 0), ODD)
    (finding,) = settled(client, uri, 2, "RP301")
    assert finding["range"] == spread(ROW + 1, 10, 27)
    edit(client, uri, 3, (ROW + 1, 18), (ROW + 1, 19), "-")
    settled(client, uri, 3, None)
    client.until(lambda: hovered(client, uri, 10, 0).startswith("proved"))
    assert " at N = 3: " in hovered(client, uri, ROW + 1)
    lines = '  let = { "ü𝔫" = 1 }\n  chunk = "(r - s - 1) % Q" # é\n'
    edit(client, uri, 4, (ROW + 1, 0), (ROW + 2, 0), lines)
    ranges = [d["range"] for d in client.diagnostics(uri, 4)]
    assert ranges == [spread(ROW + 1, 10, 18), spread(ROW + 2, 25, 26)]  # in bytes
    assert client.end() == 0


@pytest.mark.parametrize("name", sampled(["a b.toml", "Mühle.toml", "50%25.toml", "c:[x].toml"], 2, 1))
def test_edits_of_a_file_whose_name_is_written_otherwise_in_an_address(
    client: Client, tmp_path: Path, name: str
) -> None:
    uri = client.open(tmp_path / name, SMALL)
    assert "%" in uri
    edit(client, uri, 2, (ROW, 18), (ROW, 19), "-")
    settled(client, uri, 2, None)
    client.until(lambda: hovered(client, uri, 9, 0).startswith("proved"))


def test_a_text_with_carriage_returns_is_edited_at_the_ends_of_its_lines(
    client: Client, tmp_path: Path
) -> None:
    uri = client.open(tmp_path / "ring.toml", SMALL.replace("\n", "\r\n"))
    (finding,) = settled(client, uri, 1, "RP301")
    assert finding["range"] == spread(ROW, 10, 27)
    edit(client, uri, 2, (ROW, 27), (ROW, 27), " # é\r\n# x")
    edit(client, uri, 3, (ROW, 18), (ROW, 19), "-")
    edit(client, uri, 4, (ROW + 1, 99), (ROW + 1, 99), "y")
    settled(client, uri, 4, None)
    client.until(lambda: hovered(client, uri, 8, 0).startswith("proved"))


def test_a_repair_is_offered_in_the_whole_line_of_its_finding(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "ring.toml", SMALL)
    settled(client, uri, 1, "RP301")
    assert [len(actions(client, uri, spread(ROW, at, at + 1))) for at in (0, 9, 12, 40)] == [1] * 4
    assert [actions(client, uri, spread(line, 0, 1)) for line in (ROW - 1, ROW + 1)] == [[], []]


GREETINGS: list[tuple[str, Message, Any, int]] = [
    ("Helix", {"positionEncodings": ["utf-8", "utf-32", "utf-16"]}, {"N": 3}, 3),
    ("Eglot", {"positionEncodings": ["utf-32", "utf-8", "utf-16"]}, {}, 4),
    ("code-server", {"positionEncodings": ["utf-16"]}, {"ringproof": {"N": 3}}, 3),
    ("none", {}, None, 4),
]


@pytest.mark.parametrize("greeting", sampled(GREETINGS, 2), ids=lambda greeting: greeting[0])
def test_columns_and_settings_are_those_of_the_editor(
    tmp_path: Path, greeting: tuple[str, Message, Any, int]
) -> None:
    """Two edits in one message, the lower one first, a request that is given up, and a file renamed."""
    name, general, settings, ranks = greeting
    with Client(COMMAND, tmp_path, ENV) as client:
        client.ask("initialize", processId=os.getpid(), clientInfo={"name": name}, locale="en",
                   rootPath=str(tmp_path), rootUri=tmp_path.as_uri(), initializationOptions=settings,
                   capabilities={"general": general, "workspace": {"configuration": True}})  # fmt: skip
        client.tell("initialized")
        uri = client.open(tmp_path / "ring.toml", SMALL)
        client.tell("workspace/didChangeConfiguration", settings=settings)
        client.tell("$/setTrace", value="off")
        settled(client, uri, 1, "RP301")
        assert f" at N = {ranks}: " in hovered(client, uri, ROW)
        both = [
            {"range": spread(at, 0, 0), "rangeLength": 0, "text": text}
            for at, text in ((ROW + 1, '  let = { "ü𝔫" = 1, h = "Q" }\n'), (0, "# 𝔫é\n"))
        ]
        client.tell("textDocument/didChange", textDocument={"uri": uri, "version": 2}, contentChanges=both)
        client.tell("$/cancelRequest", id=client.last)
        columns = {"Helix": (10, 18, 30), "Eglot": (10, 14, 26)}.get(name, (10, 15, 27))
        (name_, value) = (d["range"] for d in client.diagnostics(uri, 2))
        assert name_ == spread(ROW + 2, *columns[:2])
        assert value["end"]["character"] == columns[2]
        other = client.open(tmp_path / "other.toml", SMALL)
        client.tell("textDocument/didClose", textDocument={"uri": uri})
        settled(client, other, 1, "RP301")
        assert client.diagnostics(uri) == []
        assert client.end() == 0


# ---- any edit -----------------------------------------------------------------------------------

_TEXTS = st.text(st.sampled_from("ab é𝔫\n\u2028\x85\x0c\x1e\r"), max_size=30)


def lines_of(text: str) -> list[str]:
    """The lines between line feeds, without the carriage return that belongs to the end of one."""
    *ended, last = text.split("\n")
    return [*(line.removesuffix("\r") for line in ended), last]


@given(_TEXTS, _TEXTS, st.data(), st.sampled_from(["utf-8", "utf-16-le", "utf-32-le"]))
def test_an_edit_changes_what_stands_between_its_places(
    text: str, new: str, data: st.DataObject, encoding: str
) -> None:
    unit = {"utf-8": 1, "utf-16-le": 2, "utf-32-le": 4}[encoding]
    lines = lines_of(text)
    line = data.draw(st.integers(0, len(lines) - 1))
    column = data.draw(st.integers(0, len(lines[line])))
    end_line = data.draw(st.integers(line, len(lines) - 1))
    end_column = data.draw(st.integers(column if end_line == line else 0, len(lines[end_line])))

    def place(number: int, at: int) -> types.Position:
        return types.Position(number, len(lines[number][:at].encode(encoding)) // unit)

    change = types.TextDocumentContentChangePartial(
        types.Range(place(line, column), place(end_line, end_column)), new
    )
    before = sum(len(one) + 1 for one in text.split("\n")[:line]) + column
    after = sum(len(one) + 1 for one in text.split("\n")[:end_line]) + end_column
    assert edited(text, [change], encoding.removesuffix("-le")) == text[:before] + new + text[after:]


@pytest.mark.parametrize(("start", "end", "text"), [
    ((0, 9), (0, 9), "ab+\ncd"), ((9, 0), (9, 9), "ab\ncd+"), ((1, 9), (1, 9), "ab\ncd+"),
    ((1, 2), (0, 0), "ab\ncd+"), ((0, 2), (9, 0), "ab+"),
])  # fmt: skip
def test_a_place_beyond_a_line_or_the_text_is_its_end(start: Place, end: Place, text: str) -> None:
    where = types.Range(types.Position(*start), types.Position(*end))
    changes: list[Any] = [types.TextDocumentContentChangePartial(where, "+")]
    assert edited("ab\ncd", changes, "utf-16") == text
    changes.append(types.TextDocumentContentChangeWholeDocument("z"))
    assert edited("ab\ncd", changes, "utf-16") == "z"


def test_a_word_that_is_replaced_everywhere_is_no_long_work() -> None:
    count = 10_000
    text = '  op    = "reduce" # é\n' * count
    changes = [types.TextDocumentContentChangePartial(types.Range(types.Position(line, 11),
                                                                  types.Position(line, 17)), "copy")
               for line in reversed(range(count))]  # fmt: skip
    began = time.perf_counter()
    assert edited(text, changes, "utf-16") == text.replace("reduce", "copy")
    assert time.perf_counter() - began < 2.0
