"""Completion and hover in an editor that uses taplo: asked of taplo's own language server, by our schema.

The `taplo` of PyPI has no server in it (`taplo lsp stdio` leaves without a word), so this is the one of
npm, that Even Better TOML runs in VS Code: ``npm install @taplo/lsp``, found in ``node_modules`` here or
where ``RINGPROOF_TAPLO_LSP`` says.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ringproof.collective import COLLECTIVES
from ringproof.table.json_schema import schema
from ringproof.table.reader import WAIVABLE
from ringproof.table.source import locate, read
from ringproof.verdict import Place, Route
from tests.conftest import HOME
from tests.lsp_client import Client

PACKAGE = Path(os.environ.get("RINGPROOF_TAPLO_LSP") or HOME / "node_modules" / "@taplo" / "lsp")
NODE = shutil.which("node")
if not NODE or not (PACKAGE / "package.json").exists():
    reason = "taplo's server is not here: npm install @taplo/lsp, and say where in RINGPROOF_TAPLO_LSP"
    pytest.skip(reason, allow_module_level=True)
COMMAND = [NODE, str(HOME / "tests" / "taplo_stdio.cjs"), str(PACKAGE)]
SCHEDULES = sorted((HOME / "schedules").glob("*.toml"))
ROW = '[[phase]]\nname = "p"\nsteps = 1\n[[phase.send]]\nto = "r"\n'
UNANSWERED = 3.0  # seconds


class Taplo:
    """One session; every table has a folder of its own beside a schema."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.client, self.folder, self.opened = client, folder, 0

    def open(self, text: str, by: Any = None) -> str:
        """Open a table that names a schema, ours by default; returns its address."""
        self.opened += 1
        home = self.folder / str(self.opened)
        home.mkdir()
        (home / "schema.json").write_text(json.dumps(by or schema()), encoding="utf-8")
        uri = self.client.open(home / "table.toml", f"#:schema schema.json\n{text}")
        self.client.diagnostics(uri)
        return uri

    def hover(self, uri: str, line: int, character: int) -> str:
        found = self.client.ask("textDocument/hover", **_at(uri, line, character))
        return str(found["contents"]["value"]) if found else ""

    def complete(self, text: str, by: Any = None) -> dict[str, str]:
        """What is proposed where ``|`` stands, each with what is said of it."""
        uri, line, character = self._typed(text, by)
        found = self.client.ask("textDocument/completion", **_at(uri, line, character)) or []
        return {one["label"]: one.get("documentation", {}).get("value", "") for one in found}

    def silent(self, text: str, by: Any = None) -> None:
        """Completion where ``|`` stands is never answered; after that a session is of no use."""
        uri, line, character = self._typed(text, by)
        with pytest.raises(AssertionError, match="the server is silent"):
            self.client.ask_within(UNANSWERED, "textDocument/completion", **_at(uri, line, character))

    def _typed(self, text: str, by: Any) -> tuple[str, int, int]:
        before = text[: text.index("|")]
        uri = self.open(text.replace("|", "", 1), by)
        return uri, 1 + before.count("\n"), len(before) - before.rfind("\n") - 1


def _at(uri: str, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


@contextmanager
def session(folder: Path) -> Iterator[Taplo]:
    with Client(COMMAND, folder) as client:
        able = client.begin(textDocument={"completion": {"completionItem": {"snippetSupport": True}}})
        assert {"hoverProvider", "completionProvider"} <= set(able["capabilities"])
        yield Taplo(client, folder)


@pytest.fixture(scope="module")
def taplo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taplo]:
    with session(tmp_path_factory.mktemp("taplo")) as begun:
        yield begun


# ---- hover --------------------------------------------------------------------------------------


def described(route: Route) -> str:
    """What our schema says of a key, found as a validator finds it."""
    whole = part = schema()
    for step in route:
        part = part["items"] if isinstance(step, int) else _key(part, step)
        if "$ref" in part:
            part = whole["definitions"][part["$ref"].rpartition("/")[2]]
    return str(part["description"])


def _key(part: Any, key: str) -> Any:
    return part["properties"][key] if key in part.get("properties", {}) else part["additionalProperties"]


def written(values: Any, route: Route = ()) -> Iterator[Route]:
    """Every key of a table."""
    for step, inner in values.items() if isinstance(values, dict) else enumerate(values):
        if isinstance(step, str):
            yield (*route, step)
        if isinstance(inner, dict | list):
            yield from written(inner, (*route, step))


@pytest.mark.parametrize("path", SCHEDULES, ids=lambda path: path.stem)
def test_a_hover_on_every_key_says_what_it_means(taplo: Taplo, path: Path) -> None:
    """But for the last word of `[[phase.send]]` and `[phase.send.let]`, see the end of this file."""
    text = path.read_text(encoding="utf-8")
    uri = taplo.open(text.partition("\n")[2])
    routes = list(written(read(str(path)).values))
    lines, asked = text.split("\n"), 0
    for place, span in locate(read(str(path)), [Place(route, on="key") for route in routes]).items():
        if not lines[span.line - 1].lstrip().startswith(("[[phase.", "[phase.")):
            assert taplo.hover(uri, span.line - 1, span.column) == described(place.route), place
            asked += 1
    assert asked > 10


def test_a_hover_in_the_header_of_a_row_speaks_of_the_phase(taplo: Taplo) -> None:
    uri = taplo.open(ROW)
    assert taplo.hover(uri, 1, 4) == taplo.hover(uri, 4, 4) == described(("phase",))


# ---- completion ---------------------------------------------------------------------------------


def keys(of: str) -> dict[str, str]:
    """The keys of our tables, and what they mean."""
    part = schema() if of == "table" else schema()["definitions"][of]
    return {key: str(one["description"]) for key, one in part["properties"].items()}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('name = "x"\n|\n', {key: said for key, said in keys("table").items() if key != "name"}),
        ("[[phase]]\n|\n", keys("phase")),
        ('[[phase]]\nname = "p"\nst|\n', keys("phase")),
        (f"{ROW}c|", keys("send")),
        ("[[phase]]\nsend = [{ | }]\n", keys("send")),
        ("[[phase]]\nsends = [{ step = 0, | }]\n", keys("sends")),
    ],
)
def test_keys_are_completed_each_with_its_meaning(taplo: Taplo, text: str, wanted: dict[str, str]) -> None:
    found = taplo.complete(text)
    assert {key: said for key, said in found.items() if "." not in key and key} == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("collective = |", list(COLLECTIVES)),
        ('[[phase]]\nensures = { collective = "|" }', list(COLLECTIVES)),
        ('[[phase]]\nsend = [{ op = "|" }]', ["reduce", "copy"]),
        ('waive = ["|"]', list(WAIVABLE)),
        ('waive = ["once", |]', list(WAIVABLE)),
    ],
)
def test_words_are_completed(taplo: Taplo, text: str, wanted: list[str]) -> None:
    assert list(taplo.complete(text)) == [f'"{word}"' for word in wanted]


def test_a_header_is_completed(taplo: Taplo) -> None:
    assert taplo.complete(f"[[ph|]]\n{ROW}") == {"phase": described(("phase",))}
    assert taplo.complete(f"[cl|]\n{ROW}")["claims"] == described(("claims",))


# ---- what taplo itself cannot do ----------------------------------------------------------------

LEAST = {"properties": {"a": {"items": {"properties": {"b": {"items": {"properties": {"c": {}}}}}}}}}


@pytest.mark.parametrize(
    ("text", "by"),
    [("[[a]]\n[[a.b]]\n|\n", LEAST), ('[[a]]\n[[a.b]]\nc = "|"\n', LEAST),
     (f"{ROW}|\n", None), (f'{ROW}op = "|"\n', None)],
)  # fmt: skip
def test_no_schema_makes_taplo_complete_all_below_a_second_array_of_tables(
    tmp_path: Path, text: str, by: Any
) -> None:
    """It panics on an empty line and in a value there, by the least schema too.

    A letter is enough to have keys completed, as is tested above; `ringproof lsp` completes all of it.
    """
    with session(tmp_path) as begun:
        begun.silent(text, by)


def test_no_schema_makes_taplo_hover_the_last_word_of_such_a_header(taplo: Taplo) -> None:
    inner = {"description": "b", "items": {"description": "item of b"}}
    outer = {"description": "a", "items": {"description": "item of a", "properties": {"b": inner}}}
    uri = taplo.open("[[a]]\n[[a.b]]\nc = 1\n", {"properties": {"a": outer}})
    assert taplo.hover(uri, 1, 3) == "item of a"
    assert taplo.hover(uri, 2, 5) == ""
