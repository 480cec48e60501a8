"""What may be typed at a cursor, in tables that are whole and in tables that are broken."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygls", reason="pip install 'ringproof[lsp]'")

from lsprotocol import types

from ringproof.collective import COLLECTIVES
from ringproof.lsp.complete import MOST_TEXT, Offer, meaning, offers
from ringproof.lsp.opened import may_become_table
from ringproof.lsp.told import offset, position
from ringproof.table.cursor import cursor_at
from ringproof.table.expr import HELPERS
from ringproof.table.json_schema import schema
from ringproof.table.reader import OPTIMAL, WAIVABLE
from ringproof.table.scope import KEYS
from ringproof.table.source import locate, read
from ringproof.verdict import Place, Route
from tests.conftest import HOME, sampled
from tests.lsp_client import Client
from tests.lsp_session import COMMAND, ENV, change, hovered, settled

SCHEDULES = sorted((HOME / "schedules").glob("*.toml"))
RING = (HOME / "schedules" / "ring.toml").read_text(encoding="utf-8")
BOTH = [*KEYS["phase"], *(key for key in KEYS["use"] if key not in KEYS["phase"])]
HEAD = 'ranks = "2..8"\nchunks = "N"\nlet = { h = "N // 2", g = "h + 1" }\nparams = { L = [1, 2] }\n'
PHASE = '[[phase]]\nsteps = "N - 1"\nlet = { q = "s + 1" }\n'
ROW = f'{HEAD}{PHASE}[[phase.send]]\nfor = {{ j = "1..3" }}\nto = "r"\n'


def found(text: str, path: str = "/x/a.toml") -> dict[str, Offer]:
    """What is offered where ``|`` stands."""
    at = text.index("|")
    return {offer.label: offer for offer in offers(text.replace("|", "", 1), path, at).found}


def typed(text: str, label: str) -> str:
    """The text after one of the offers was taken."""
    at = text.index("|")
    text = text.replace("|", "", 1)
    offered = offers(text, "/x/a.toml", at)
    (chosen,) = [offer for offer in offered.found if offer.label == label]
    return text[: at - offered.width] + chosen.text + text[at:]


def variables(offered: Iterable[Offer]) -> set[str]:
    return {offer.label for offer in offered if offer.kind == types.CompletionItemKind.Variable}


def plain(labels: dict[str, Offer]) -> set[str]:
    return {label for label in labels if not label.startswith("[")}


# ---- keys ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("|", KEYS["table"]),
        ("#:schema schema.json\n|", KEYS["table"]),
        ("na|", KEYS["table"]),
        ('name = "x"\n|\nranks = 2\n[[phase]]\nsteps = 1', set(KEYS["table"]) - {"name", "ranks"}),
        ("[[phase]]\n|", BOTH),
        ("[[phase]]\nna|", BOTH),
        ("[[phase]]\n  |\n[[phase]]\nname = 1", BOTH),
        ('[[phase]]\nuse = "x"\n|', set(KEYS["use"]) - {"use"}),
        ("[[phase]]\n|\nsteps = 1", set(KEYS["phase"]) - {"steps"}),
        ("[[phase]]\n[[phase.send]]\n|", KEYS["send"]),
        ("[[phase]]\n[[phase.send]]\nch|", KEYS["send"]),
        ("[[phase]]\n[[phase.send]]\nto = 1\n|", set(KEYS["send"]) - {"to", "from"}),
        ("[[phase]]\n[[phase.send]]\n|\nfrom = 1", set(KEYS["send"]) - {"to", "from"}),
        ("[[phase]]\nsend = [{ op = 1, |", set(KEYS["send"]) - {"op"}),
        ("[[phase]]\nsends = [\n  { step = 0, from = 1 },\n  { step = 1, |", set(KEYS["sends"]) - {"step"}),
        ("[[phase.sends]]\n|", KEYS["sends"]),
        ("[claims]\n|", KEYS["claims"]),
        ("claims.|", KEYS["claims"]),
        ("claims = { st|", KEYS["claims"]),
        ("[[phase]]\nensures = { |", KEYS["ensures"]),
        ('[[phase]]\nensures = { collective = "all-reduce", |}', set(KEYS["ensures"]) - {"collective"}),
        ("[[phase]]\n[phase.ensures]\n|", KEYS["ensures"]),
        ("[let]\n|", ()),
        ("[[phase]]\n[[phase.send]]\n[phase.send.for]\n|", ()),
        ("[other]\n|", ()),
        ("name |", ()),
        ("# |", ()),
        ('notes = """\n|', ()),
        ('"na|', ()),
        ("x.y.|", ()),
    ],
)
def test_keys_are_those_of_the_place_that_are_not_there_yet(text: str, keys: list[str]) -> None:
    assert plain(found(text)) == set(keys)


@pytest.mark.parametrize(
    "broken",
    [
        "name = ",
        'name = "x',
        'let = { a = "',
        'waive = ["once",',
        "[claims",
        "x = [\n 1,",
        "= 3",
        "]]]",
        "op = 'cop",
        "notes = 'it''s'",
        "[[phase]",
        '""',
        "a b c",
        "{",
        "\\",
    ],
)
def test_a_broken_line_above_hides_nothing(broken: str) -> None:
    assert plain(found(f"{broken}\n[[phase]]\n[[phase.send]]\n|")) == set(KEYS["send"])
    below = plain(found(f"[[phase]]\n[[phase.send]]\n|\n{broken}\n"))
    assert below >= set(KEYS["send"]) - {"op", "let"}


def test_a_key_brings_its_meaning_and_what_follows_it() -> None:
    whole = schema()
    for label, offer in found("|").items():
        if label in KEYS["table"]:
            assert offer.says == whole["properties"][label]["description"]
    assert typed("na|", "name") == "name = "
    assert typed('na|   = "x"', "name") == 'name   = "x"'
    assert typed("[[phase]]\n|", "[[phase.send]]") == "[[phase]]\n[[phase.send]]"


@pytest.mark.parametrize("written", ["[|", "[|]", "[phase.send.l|]", "[|]]"])
def test_a_header_is_completed_whole(written: str) -> None:
    offered = found(f"{ROW}{written}")
    assert {"[[phase]]", "[[phase.send]]", "[[phase.sends]]"} <= set(offered)
    single = not written.endswith("]]")
    assert [label in offered for label in ("[claims]", "[phase.send.let]")] == [single, single]
    for label in offered:
        after = typed(f"{ROW}{written}", label)
        assert after == ROW + label
        if not label.startswith(("[let", "[params", "[phase.let", "[phase.send.for")):  # there already
            tomllib.loads(after)


@pytest.mark.parametrize("written", ["[[|", "[[|]", "[[ph|]]", "  [[phase.s|]]"])
def test_a_header_in_double_brackets_is_completed_by_its_name(written: str) -> None:
    offered = found(f"{ROW}{written}")
    assert list(offered) == ["phase", "phase.send", "phase.sends"]
    for label in offered:
        after = typed(f"{ROW}{written}", label)
        assert after == ROW + written[: written.index("[")] + f"[[{label}]]"
        tomllib.loads(after)


@pytest.mark.parametrize(
    ("text", "word", "labels"),
    [
        ("[[phase]]\nse|", "se", ["[[phase.send]]", "send", "[[phase.sends]]", "sends"]),
        ("ph|", "ph", ["[[phase]]", "phase"]),
        ("[phase.s|", "[phase.s",
         ["[[phase.send]]", "[phase.send.for]", "[phase.send.let]", "[[phase.sends]]"]),
        ("[[phase.s|", "phase.s", ["phase.send", "phase.sends"]),
        ('collective = "all-r|"', "all-r", ["all-reduce"]),
    ],
)  # fmt: skip
def test_what_is_typed_is_the_beginning_of_what_is_sought(text: str, word: str, labels: list[str]) -> None:
    """As Neovim compares: with the text that an offer replaces, from its first letter on."""
    at = text.index("|")
    offered = offers(text.replace("|", ""), "/x/a.toml", at)
    assert text[at - offered.width : at] == word
    fits = [offer.label for offer in offered.found if (offer.sought or offer.label).startswith(word)]
    assert sorted(fits) == sorted(labels)


def test_there_is_no_header_within_braces() -> None:
    assert not [label for label in found("[[phase]]\nsend = [{ |") if label.startswith("[")]


# ---- words --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words", "after"),
    [
        ("collective = |", COLLECTIVES, 'collective = "all-reduce"'),
        ('collective = "al|"', COLLECTIVES, 'collective = "all-reduce"'),
        ('[[phase]]\nensures = { collective = "|', COLLECTIVES, ""),
        ("[[phase]]\n[[phase.send]]\nop = |", ("reduce", "copy"), ""),
        ('[[phase]]\nsends = [{ op = "|', ("reduce", "copy"), ""),
        ("waive = [|", WAIVABLE, ""),
        ('waive = ["once", "|"]', WAIVABLE, ""),
        ("waive = [\n  |\n]", WAIVABLE, ""),
        ("optimal = |", OPTIMAL, ""),
        ('optimal = ["|', OPTIMAL, ""),
        ("waive = |", (), ""),
        ("name = |", (), ""),
        ('name = "|', (), ""),
        ("collective = 'x' |", (), ""),
        ("colective = |", (), ""),
        ('waive = ["once"] |', (), ""),
    ],
)
def test_words_are_those_of_the_key(text: str, words: tuple[str, ...], after: str) -> None:
    assert list(found(text)) == list(words)
    if after:
        assert typed(text, "all-reduce") == after


# ---- names --------------------------------------------------------------------------------------

ALWAYS = {"N", "h", "g", "L", "chunks", "root"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f'{ROW}chunk = "|"', {*ALWAYS, "r", "s", "q", "j"}),
        (f'{ROW}chunk = "(r - |', {*ALWAYS, "r", "s", "q", "j"}),
        (f'{ROW}when = "r == |\nop = "copy"\n', {*ALWAYS, "r", "s", "q", "j"}),
        (f'{ROW}op = "copy\nchunk = "|', {*ALWAYS, "r", "s", "q", "j"}),
        (f'{ROW}let = {{ k = "|', {*ALWAYS, "r", "s", "q", "j"}),
        (f'{ROW}[phase.send.let]\nk = "2"\nm = "|', {*ALWAYS, "r", "s", "q", "j", "k"}),
        (f'{HEAD}[[phase]]\nsteps = "|"', ALWAYS),
        (f"{HEAD}[[phase]]\nlet = {{ k = '|", {*ALWAYS, "r", "s"}),
        (f'{HEAD}owner = "|"', {*ALWAYS, "c"}),
        (f'{HEAD}where = "|', ALWAYS),
        (f'{HEAD}[claims]\ntraffic = "<= |"', ALWAYS),
        (f'{HEAD}[[phase]]\nensures = {{ owner = "|', {*ALWAYS, "c"}),
        (f'{HEAD}[[phase]]\nuse = "ring.toml"\ngroup = "|"', {*ALWAYS, "r"}),
        (f'{HEAD}[[phase]]\nuse = "ring.toml"\nchunk = "|', {*ALWAYS, "c", "group"}),
        ('ranks = "|"', set()),
        ('name = "|"', set()),
        ('[[phase]]\nuse = "|"', set()),
        (f'{HEAD}[[phase]]\nsends = [{{ step = "|', set()),
        ('colour = "|"', set()),
    ],
)
def test_names_are_those_that_have_a_value_there(text: str, names: set[str]) -> None:
    offered = found(text)
    assert variables(offered.values()) == names
    assert (set(HELPERS) <= set(offered)) == bool(names)
    if names:
        assert offered["N"].detail == "the number of ranks"
        assert offered["h"].detail == "= N // 2"


def test_lists_are_offered_where_variables_run() -> None:
    assert "divisors" in found(f'{HEAD}[[phase]]\nsteps = 1\n[[phase.send]]\nfor = {{ j = "|')
    assert "divisors" in found('params = { L = "|')
    assert "divisors" not in found(f'{ROW}chunk = "|')
    assert "L" not in found('params = { L = "|')
    assert typed(f'{ROW}chunk = "bi|"', "bit").endswith('chunk = "bit("')


def test_every_expression_of_every_schedule_has_the_names_that_it_uses() -> None:
    asked = 0
    for path in SCHEDULES[::6]:
        text = path.read_text(encoding="utf-8")
        source = read(str(path))
        for place, span in locate(source, [Place(r) for r in _texts(source.values)]).items():
            lines = text.split("\n")
            at = sum(len(line) + 1 for line in lines[: span.line - 1]) + span.column
            if span.line != span.end_line or text[at - 1] not in "\"'":
                continue
            cursor = cursor_at(text, at)
            assert (cursor.what, cursor.route, cursor.word) == ("text", place.route, ""), (path.name, place)
            names = variables(offers(text, str(path), at).found)
            value = source.values
            for step in place.route:
                value = value[step]  # type: ignore[index]
            used = {word for word in ("N", "r", "s", "c") if word in str(value).replace("(", " ").split()}
            if names:
                assert used <= names, (path.name, place, value)
                asked += 1
    assert asked > 50


def _texts(values: object, route: Route = ()) -> Iterator[Route]:
    steps = (
        values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    )
    for step, inner in steps:
        if isinstance(inner, str):
            yield (*route, step)
        yield from _texts(inner, (*route, step))


# ---- hover on a key -----------------------------------------------------------------------------


def test_the_meaning_of_a_key_is_that_of_the_schema() -> None:
    at = RING.index("chunks ")
    said = schema()["properties"]["chunks"]["description"]
    assert {meaning(RING, at + i) for i in range(7)} == {f"`chunks`: {said}"}
    assert meaning(RING, RING.index('"N"') + 1) == ""
    assert meaning(RING, RING.index("owner")).startswith("`owner`: which rank has chunk c then")
    assert meaning(RING, RING.index("phase.send") + 7).startswith("`send`: a row, read for every rank")
    assert meaning(RING, RING.index("[phase]") + 2).startswith("`phase`: consecutive steps")
    assert meaning("colour = 1", 2) == meaning("", 0) == meaning("# name", 4) == ""


# ---- any text, any place ------------------------------------------------------------------------

_PIECES = st.sampled_from(
    [
        "[[phase]]\n",
        "[[phase.send]]\n",
        'to = "(r + 1) % N"\n',
        "let = { ",
        "}",
        "[",
        "]",
        '"',
        "'",
        '"""',
        "=",
        ",",
        ".",
        "#",
        "\n",
        "\\",
        " ",
        "é𝔫",
        "for",
        "sends = [ {",
        'name = "x"\n',
        "\r",
        "\t",
        "0",
        "ranks = ",
    ],
)


@given(st.lists(_PIECES, max_size=25), st.integers(min_value=0, max_value=200))
def test_any_text_has_offers_that_fit_the_place(pieces: list[str], at: int) -> None:
    text = "".join(pieces)
    at = min(at, len(text))
    offered = offers(text, "/x/a.toml", at)
    assert 0 <= offered.width <= at
    assert "\n" not in text[at - offered.width : at]
    meaning(text, at)


HOSTILE = ["[", "{a=", "\n", "a.", '"', "'''", '\\"', "[[a.b]]\n", "x = [", " "]


@pytest.mark.parametrize("piece", sampled(HOSTILE, 3))
def test_a_hostile_text_is_no_long_work(piece: str) -> None:
    """Half a mebibyte takes seconds and little memory; a longer text is left alone."""
    whole = piece * (MOST_TEXT // len(piece) - 4)
    for text in (whole, f"x = {whole}") if piece[0] in "[{" else (whole,):
        began = time.monotonic()
        offers(text, "/x/a.toml", len(text))
        meaning(text, len(text))
        may_become_table(text, "/x/a.toml", "toml")
        assert time.monotonic() - began < 20
    long = f"# {'x' * MOST_TEXT}\n"
    assert offers(long, "/x/a.toml", len(long)).found == ()
    assert meaning(f"{long}name = 1", len(long) + 1) == ""


@given(
    st.text(alphabet="aé𝔫\n", max_size=30), st.integers(0, 30), st.sampled_from(["utf-8", "utf-16", "utf-32"])
)
def test_places_are_read_as_they_are_written(text: str, at: int, encoding: str) -> None:
    at = min(at, len(text))
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    place = position(text.split("\n"), line, column, encoding)
    assert offset(text, place, encoding) == at
    assert offset(text, types.Position(10**9, 10**9), encoding) == len(text)
    assert offset(text, types.Position(0, 10**9), encoding) == len(text.split("\n")[0])


@pytest.mark.parametrize(
    ("text", "path", "may"),
    [
        ("", "/x/a.toml", True),
        ("#:schema schema.json\nnam", "/x/a.toml", True),
        ('name = "x"\n', "/x/a.toml", True),
        ("[claims]\n", "/x/a.toml", True),
        ("[project]\nname = 1", "/x/pyproject.toml", False),
        ("[[project]]\n", "/x/a.toml", False),
        ("version = 1", "/x/a.toml", False),
        (RING, "/x/a.toml", True),
        ("", "/x/a.xml", False),
        ("<algo>", "/x/a.xml", False),
        ("", "/x/a.txt", False),
        ("[tool.x]", "/x/a.toml", False),
    ],
)
def test_what_may_become_a_table(text: str, path: str, may: bool) -> None:
    assert may_become_table(text, path, "") is may


# ---- a session ----------------------------------------------------------------------------------


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Client(COMMAND, tmp_path, ENV) as begun:
        able = begun.begin()["capabilities"]
        assert able["completionProvider"]["triggerCharacters"] == ['"', "[", "{", "=", ",", "."]
        yield begun


def asked(client: Client, uri: str, line: int, character: int) -> list[dict[str, object]]:
    return list(
        client.ask(
            "textDocument/completion",
            textDocument={"uri": uri},
            position={"line": line, "character": character},
        )
        or ()
    )


def test_a_table_is_written_by_completion(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "new.toml", "")
    text = ""
    wanted = [
        "name",
        "collective",
        "all-reduce",
        "ranks",
        "chunks",
        "[[phase]]",
        "name",
        "steps",
        "[[phase.send]]",
        "to",
        "chunk",
        "op",
        "copy",
    ]
    given = {
        "name": '"x"',
        "ranks": '"2..4"',
        "chunks": '"N"',
        "steps": "1",
        "to": '"(r + 1) % N"',
        "chunk": '"r"',
    }
    for version, label in enumerate(wanted, 2):
        lines = text.split("\n")
        items = asked(client, uri, len(lines) - 1, len(lines[-1]))
        (item,) = [one for one in items if one["label"] == label]
        edit = item["textEdit"]
        assert edit["range"]["start"] == edit["range"]["end"]  # type: ignore[index]
        text += edit["newText"] + given.get(label, "")  # type: ignore[index]
        text += "" if label in ("collective", "op") else "\n"
        change(client, uri, version, text)
    settled(client, uri, len(wanted) + 1, "RP301")
    said = hovered(client, uri, text.split("\n").index('to = "(r + 1) % N"'), 1)
    assert said.startswith("`to`: the receiver: r sends to it\n\n`x` at N = 4: 4 sends in 1 step, copy")
    assert asked(client, client.open(tmp_path / "pyproject.toml", "[project]\n"), 1, 0) == []
    assert asked(client, client.open(tmp_path / "a.xml", "<algo>\n"), 1, 0) == []
    assert client.end() == 0


def test_wide_letters_before_the_cursor_move_no_edit(client: Client, tmp_path: Path) -> None:
    line = 'let = { h = "1" } # 𝔫'
    uri = client.open(tmp_path / "new.toml", f'{line}\nreference = "𝔫é" # 𝔫\nclaims = {{ steps = "<= 𝔫 ce"')
    items = asked(client, uri, 2, len('claims = { steps = "<= ') + 2 + 3)
    (item,) = [one for one in items if one["label"] == "ceil_log2"]
    span = item["textEdit"]["range"]  # type: ignore[index]
    assert span["end"]["character"] - span["start"]["character"] == 2
    assert span["end"] == {"line": 2, "character": len('claims = { steps = "<= ') + 2 + 3}
