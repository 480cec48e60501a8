"""Reading tables, and finding every value of them in the text again."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringproof.table.source import Source, SourceError, Span, locate, parse, read
from ringproof.verdict import Finding, Label, Place, Route, Spot, TableError

HOME = Path(__file__).parents[1]
TABLES = sorted(
    str(path.relative_to(HOME))
    for folder in ("schedules", "tests")
    for path in (HOME / folder).rglob("*.toml")
)

TRICKY = {
    "headers": '[a] # c\nb = 1\n[ a . c ]\nd = 2\n[x.y.z]\nw = 1\n[x]\nv = 2\n',
    "arrays of tables": (
        '[[phase]]\nname = "one"\n  [[phase.send]]\n  to = "r"\n  [phase.send.let]\n  k = "1"\n'
        '  [[phase.send]]\n  to = "s"\n  [phase.send.for]\n  j = "0..1"\n'
        '[[phase]]\n  [phase.let]\n  h = "2"\n  [[phase.send]]\n  chunk = \'c\'\n'
    ),
    "dotted keys": (
        'claims.steps = "N"\nclaims . "total sends" = 1\na.b.c = [{d.e = 1}]\n[q]\nr.s = 1\n'
    ),
    "inline": 'p = { L = "divisors(N)", S = [1, 2, [3, {}]] , "q r" = { } }\n',
    "list of sends": (
        'sends = [ # first\n  { step = 0, from = 0, op = "copy" }, # é\n'
        "  # nothing\n  { step = 1, from = 2 },\n]\n"
    ),
    "quoted keys": (
        '"a.b" = 1\n\'c d\' = 2\n"e\\u00e9\\"" = 3\n"" = 4\n["x y"."z"]\n"日本" = "語"\n'
    ),
    "bare keys": "1 = 1\n4.2.3 = 2\n-_ = 3\ntrue = 4\n",
    "escapes": 'a = "t\\tq\\"b\\\\u\\u00e9U\\U0001F600 \\u002d"\nb = "é😀日" # 😀\nc = "😀"\n',
    "literal": "a = 'c:\\n \"x\"'\nb = ''\nc = \"\"\n",
    "multi-line": (
        'a = """\none\n  two \\\n     three \\   \n\n   four\\\n"""\nb = \'\'\'\nx \\\ny\'\'\'\n'
        'c = """x"""\nd = """"q"""""\ne = \'\'\'\'q\'\'\'\'\'\nf = """"""\ng = """\n"""\nh = 1\n'
    ),
    "scalars": (
        "a = 1_000\nb = 0xff\nc = -1.5e3\nd = true\ne = 1979-05-27T07:32:00Z\nf = 07:32:00\n"
        "g = inf\nh = 1979-05-27 07:32:00\ni=0b1\n"
    ),
    "one line": "a=1",
    "windows": 'a = "x"\r\nb = """\r\none\r\ntwo"""\r\n[c]\r\nd = 1\r\n',
    "byte order mark": '\ufeffa = 1\n["é"]\n',
    "nothing": "# only words\n",
}  # fmt: skip


def walk(value: Any, route: Route = ()) -> Iterator[tuple[Route, Any]]:
    if route:
        yield route, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, (*route, key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from walk(item, (*route, position))


def piece(text: str, span: Span) -> str:
    lines = text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def loads(literal: str) -> Any:
    try:
        return tomllib.loads(f"x = {literal}")["x"]
    except tomllib.TOMLDecodeError:
        return None


def key_of(literal: str) -> str:
    return next(iter(tomllib.loads(f"{literal} = 0")))


def check_everything(source: Source) -> None:
    """Every value, every key and every character of every string stands where it is said to."""
    values = list(walk(source.values))
    places = [Place(route, on=on) for route, _ in values for on in ("value", "key")]
    spans = locate(source, places)
    for route, value in values:
        written = piece(source.text, spans[Place(route)])
        last = next(key for key in reversed(route) if isinstance(key, str))
        if loads(written) != value:
            assert isinstance(value, dict | list), (route, written)
            named = tomllib.loads(f"[{written.strip('[]')}]")
            assert last in _names(named), (route, written)
        if isinstance(route[-1], str):
            assert key_of(piece(source.text, spans[Place(route, on="key")])) == last
    check_characters(source, [(r, v) for r, v in values if isinstance(v, str)])


def _names(value: dict[str, Any]) -> list[str]:
    return [key for route, _ in walk(value) for key in route if isinstance(key, str)]


def check_characters(source: Source, strings: list[tuple[Route, str]]) -> None:
    places = {Place(r, i, i + 1): c for r, v in strings for i, c in enumerate(v)}
    for place, span in locate(source, places).items():
        written = piece(source.text, span)
        assert written == places[place] or loads(f'"{written}"') == places[place], (place, written)


@pytest.mark.parametrize("path", TABLES)
def test_every_route_of_every_table_is_found(path: str) -> None:
    try:
        source = read(str(HOME / path))
    except SourceError:
        pytest.skip("not TOML on purpose")
    check_everything(source)


@pytest.mark.parametrize("name", TRICKY)
def test_every_route_of_tricky_tables_is_found(name: str) -> None:
    check_everything(parse(TRICKY[name], name))


KEYS = st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=4)
STRINGS = st.text(st.sampled_from("a\"'\\\n\té😀N+ #[]{}=,"), max_size=12)
VALUES = st.recursive(
    st.integers(-9, 9) | st.booleans() | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A TOML text that writes the same kind of value in many ways."""

    def string(value: str) -> str:
        inner = value.replace("\\", "\\\\").replace('"', '\\"').lstrip("\n")
        start = draw(st.sampled_from(["", "\n", "\\\n  ", "\\ \n\n"]))
        ways = [json.dumps(value, ensure_ascii=False), f'"""{start}{inner}"""']
        if "'" not in value:
            ways += [f"'''\n{value}'''", *([] if "\n" in value else [f"'{value}'"])]
        return draw(st.sampled_from(ways))

    def key(name: str) -> str:
        plain = name.isascii() and name.replace("_", "a").isalnum()
        return name if plain and draw(st.booleans()) else json.dumps(name, ensure_ascii=False)

    def literal(value: Any) -> str:
        blank = draw(st.sampled_from(["", " "]))
        if isinstance(value, str):
            return string(value)
        if isinstance(value, dict):
            pairs = [f"{key(k)}{blank}={literal(v)}" for k, v in value.items()]
            return f"{{{blank}{', '.join(pairs)}{blank}}}"
        if isinstance(value, list):
            end = draw(st.sampled_from([",", ", # é]\n", " ,\n"]))
            return f"[{blank}{end.join(map(literal, value))}{blank}]"
        return json.dumps(value)

    def table(value: dict[str, Any], path: str) -> str:
        now, later = "", ""
        for name, item in value.items():
            full = f"{path}.{key(name)}" if path else key(name)
            tables = isinstance(item, list) and item and all(isinstance(v, dict) for v in item)
            if isinstance(item, dict) and item and draw(st.booleans()):
                later += f"[{full}] # é\n{table(item, full)}"
            elif tables and draw(st.booleans()):
                later += "".join(f"[[ {full}]]\n{table(v, full)}" for v in item)
            elif isinstance(item, dict) and len(item) == 1 and draw(st.booleans()):
                inner, only = next(iter(item.items()))
                now += f"{key(name)} . {key(inner)} = {literal(only)}\n"
            else:
                now += f"  {key(name)} = {literal(item)} # x\n"
        return now + later

    return table(draw(st.dictionaries(KEYS, VALUES, max_size=4)), "")


@given(documents())
@settings(max_examples=300)
def test_every_route_of_any_text_is_found(text: str) -> None:
    try:
        source = parse(text, "any")
    except SourceError:
        return
    check_everything(source)


@given(documents(), st.data())
@settings(max_examples=200)
def test_a_broken_text_is_a_finding_within_it(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    gone = data.draw(st.integers(0, 3))
    text = (
        text[:at]
        + data.draw(st.sampled_from(["", '"', "[", "\\", "\n", "a = 1\n"]))
        + text[at + gone :]
    )
    try:
        parse(text, "any")
    except SourceError as error:
        (only,) = error.findings
        if only.primary:
            assert isinstance(only.primary.place, Spot)
            lines = text.split("\n")
            assert 1 <= only.primary.place.line <= len(lines)
            assert 1 <= only.primary.place.column <= len(lines[only.primary.place.line - 1]) + 1


TABLE = """\
name = "x"
claims.steps = "N"
ensures = { collective = "reduce" }
sends = [
  { step = 0 },
]

[[phase]]
name = "a"

  [[phase.send]]
  to = "r"
"""


@pytest.mark.parametrize(
    ("route", "line", "written"),
    [
        (("ranks",), 1, ""),
        ((), 1, ""),
        (("claims", "traffic"), 2, "claims"),
        (("ensures", "owner"), 3, '{ collective = "reduce" }'),
        (("sends", 7), 4, "sends"),
        (("sends", 0, "to"), 5, "{ step = 0 }"),
        (("phase", 0, "steps"), 8, "[[phase]]"),
        (("phase", 4, "steps"), 8, "[[phase]]"),
        (("phase", 0, "send", 0, "op", "x"), 11, "[[phase.send]]"),
        (("name", "deeper", 3), 1, '"x"'),
    ],
)
def test_what_is_missing_stands_at_its_nearest_ancestor(
    route: Route, line: int, written: str
) -> None:
    source = parse(TABLE, "t")
    for on in ("value", "key"):
        place = Place(route, on=on)
        span = locate(source, [place])[place]
        assert (span.line, piece(source.text, span)) == (line, written)


def test_a_range_is_cut_to_the_string_and_ignored_where_there_is_none() -> None:
    source = parse('a = "xy"\nb = 12\nc = ""\nd = "\\""\n', "t")
    places = [Place(("a",), 1, 9), Place(("a",), 2, 2), Place(("a",), 1), Place(("b",), 1, 2)]
    places += [Place(("c",), 0, 1), Place(("d",), 1, 1), Place(("d",), 0, 1)]
    found = locate(source, places)
    assert [found[place] for place in places] == [
        Span(1, 7, 1, 8),
        Span(1, 8, 1, 8),
        Span(1, 7, 1, 8),
        Span(2, 5, 2, 7),
        Span(3, 6, 3, 6),
        Span(4, 8, 4, 8),
        Span(4, 6, 4, 8),
    ]


def finding(text: str) -> Finding:
    with pytest.raises(SourceError) as caught:
        parse(text, "t.toml")
    assert caught.value.path == "t.toml"
    (only,) = caught.value.findings
    assert only.code == "RP003"
    assert "(at " not in only.title
    return only


@pytest.mark.parametrize(
    ("text", "title", "spot"),
    [
        ("steps = N - 1", "no value of TOML begins here", Spot(1, 9)),
        ("a = 1\nsteps = 2*N", "the line should end here", Spot(2, 10)),
        ('a = "x\nb = 2', "the string is not closed on its line", Spot(1, 7)),
        ('a = """\nx\n\n', "a string is never closed", Spot(2, 2)),
        ("a = [1,2\nb=3", "the list goes wrong here: `,` or `]` expected", Spot(2, 1)),
        ("é = 1", "a line begins with a key, a `[table]` or a `#` comment", Spot(1, 1)),
        ("a", "`=` is missing after the key", Spot(1, 2)),
        ('a = "é\\q"', "a backslash in a string begins no known escape", Spot(1, 9)),
        ("x = " + "1" * 5000, "a number has too many digits", Spot(1, 5, 5000)),
        ("a = 1 # \x00", "the control character U+0000 does not belong in a table", Spot(1, 9)),
    ],
)
def test_a_syntax_error_says_what_and_where(text: str, title: str, spot: Spot) -> None:
    found = finding(text)
    assert found.title == title
    assert found.primary is not None
    assert found.primary.place == spot


def test_an_expression_without_quotes_is_told_of_quotes() -> None:
    assert finding("steps = N - 1").helps == (
        'an expression is text and stands in quotes: `steps = "N - 1"`',
    )


@pytest.mark.parametrize(
    ("text", "name", "again", "first"),
    [
        ("a = 1\nb = 2\na = 3", "a", Spot(3, 1), Spot(1, 1)),
        ("[p]\nx = 1\n[q]\n[p]\n", "p", Spot(4, 2), Spot(1, 2)),
        ('"é\\"" = 1\n"é\\"" = 2', 'é"', Spot(2, 1, 5), Spot(1, 1, 5)),
        ("[[p]]\nx = 1\n[[p]]\nx = 1\ny.z = 1\ny.z = 2", "z", Spot(6, 3), Spot(5, 3)),
        ("a = { x = 1, x = 2 }", "x", Spot(1, 14), Spot(1, 7)),
        ("a = 1\na.b = 2", "a", Spot(2, 1), Spot(1, 1)),
        ("a.b = 2\na = 1", "a", Spot(2, 1), Spot(1, 1)),
        ("a = { b = 1 }\n[a.c]\n", "a", Spot(2, 2), Spot(1, 1)),
        ("[a.b]\n[a]\nb = 1", "b", Spot(3, 1), Spot(1, 4)),
    ],
)
def test_a_key_given_twice_shows_both(text: str, name: str, again: Spot, first: Spot) -> None:
    found = finding(text)
    assert found.title == f"`{name}` is given twice"
    assert found.primary == Label(again, "given again here")
    assert found.related == (Label(first, "first given here"),)


@pytest.mark.parametrize("opening", ["[", "{a=", "[{a="])
def test_deep_nesting_is_a_finding(opening: str) -> None:
    assert finding("x = " + opening * 5000).title.endswith("nested too deeply to read")


def test_the_deepest_nesting_that_can_be_read_can_be_located() -> None:
    for depth in range(600, 0, -20):
        try:
            source = parse("x = " + "[" * depth + "]" * depth, "t")
        except SourceError:
            continue
        place = Place(("x", *[0] * (depth - 1)))
        assert locate(source, [place])[place] == Span(1, 4 + depth, 1, 6 + depth)
        return


def unreadable(path: str) -> SourceError:
    with pytest.raises(TableError) as caught:
        read(path)
    assert isinstance(caught.value, SourceError)
    return caught.value


def test_a_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "ring.toml").write_text("a = 1")
    error = unreadable(str(tmp_path / "rng.toml"))
    assert error.findings[0].code == "RP001"
    assert error.findings[0].title == "cannot read the file: there is no such file"
    assert error.findings[0].helps == (f"did you mean `{tmp_path / 'ring.toml'}`?",)


def test_a_misspelt_folder_is_guessed_too(tmp_path: Path) -> None:
    (tmp_path / "schedules").mkdir()
    (tmp_path / "schedules" / "ring.toml").touch()
    with pytest.raises(SourceError) as error:
        read(str(tmp_path / "shedules" / "rng.toml"))
    assert error.value.findings[0].helps == (f"did you mean `{tmp_path / 'schedules' / 'ring.toml'}`?",)
    with pytest.raises(SourceError) as error:
        read(str(tmp_path / "elsewhere" / "ring.toml"))
    assert error.value.findings[0].helps == ()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "it is a folder" in unreadable(str(tmp_path)).findings[0].title
    assert "null" in unreadable("a\0b").findings[0].title
    closed = tmp_path / "closed.toml"
    closed.write_text("a = 1")
    closed.chmod(0)
    if not os.access(closed, os.R_OK):
        assert "no permission" in unreadable(str(closed)).findings[0].title


def test_the_first_byte_that_is_not_utf_8_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\r\nname = '\xc3\xa9 caf\xe9'\r\n")
    error = unreadable(str(path))
    (only,) = error.findings
    assert only.code == "RP002"
    assert only.primary == Label(Spot(2, 14), "the byte 0xe9 begins no UTF-8 character")
    assert error.text == "a = 1\nname = 'é caf\ufffd'\n"
    path.write_text("a = 1", encoding="utf-16")
    assert unreadable(str(path)).findings[0].helps == ("the file is in UTF-16; save it as UTF-8",)


def test_a_large_file_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * (4 * 1024 * 1024))
    assert read(str(path)).values == {}
    path.write_bytes(b"#" * (4 * 1024 * 1024 + 1))
    assert unreadable(str(path)).findings[0].code == "RP005"
    if os.path.exists("/dev/zero"):
        assert unreadable("/dev/zero").findings[0].code == "RP005"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO(b"\xef\xbb\xbfa = 1\r\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
    assert read("-") == Source("<stdin>", "a = 1\n", {"a": 1})
    monkeypatch.setattr(sys, "stdin", None)
    error = unreadable("-")
    assert error.path == "<stdin>"
    assert error.findings[0].title == "cannot read standard input: standard input is closed"


def test_tree_sitter_is_imported_only_to_find_places() -> None:
    program = (
        "import sys; from ringproof.table.source import parse, locate; "
        "from ringproof.verdict import Place; s = parse('a = 1', 'x'); "
        "print('tree_sitter' in sys.modules); locate(s, [Place(('a',))]); "
        "print('tree_sitter' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=HOME
    )
    assert done.stdout.split() == ["False", "True"]
