"""Every key of a table, and every attribute of a program, with every value that does not belong there.

The keys and what may stand there come from the JSON Schema of a table, so a new key is tried at once.
What the schema refuses must be refused at that very value; nothing may end in an exception.
"""

from __future__ import annotations

import datetime
import math
import re
from typing import Any

import pytest
from jsonschema import Draft7Validator

from ringproof.assess import Options
from ringproof.check import prepare
from ringproof.program.msccl_xml import read_program
from ringproof.report import concise
from ringproof.table.json_schema import schema
from ringproof.table.scope import KEYS
from ringproof.table.source import SourceError, parse
from ringproof.table.written import written
from ringproof.verdict import Exit, Place, Report, Route, Spot
from tests.conftest import HOME

PATH = str(HOME / "schedules" / "made.toml")
MARK = "@@"
SENDS = {"step": 0, "from": 0, "to": 1, "chunk": 0, "into": 0, "op": "copy"}
ROW = {"to": "(r + d) % N", "chunk": "r", "into": "r", "op": "copy", "when": "d > 0",
       "for": {"d": "1..N - 1"}, "let": {"h": "d"}}  # fmt: skip
PHASE = {"name": "p", "steps": 1, "let": {"g": "N"}, "ensures": {"collective": "all-gather", "owner": "c",
         "root": 0}, "send": [ROW]}  # fmt: skip
USE = {"name": "u", "use": "ring_all_gather.toml", "group": 0, "rank": "r", "when": "r < N", "chunk": "c + j",
       "for": {"j": "0..0"}, "params": {}, "let": {"g": "N"},
       "ensures": {"collective": "all-gather"}}  # fmt: skip
TABLE = {"name": "t", "collective": "all-gather", "ranks": "4", "chunks": "N", "where": "N > 1", "root": 0,
         "owner": "c", "scratch": 0, "let": {"f": "N"}, "params": {"k": [1]}, "waive": ["no-resend"],
         "optimal": ["steps"], "reference": "x", "notes": "x",
         "claims": dict.fromkeys(KEYS["claims"], 1), "phase": [PHASE]}  # fmt: skip
HOSTS: dict[str, tuple[Route, Any]] = {  # of each kind of table: where it is, and one with every key
    "table": ((), TABLE), "phase": (("phase", 0), PHASE), "use": (("phase", 0), USE),
    "send": (("phase", 0, "send", 0), ROW), "sends": (("phase", 0, "sends", 0), SENDS),
    "ensures": (("phase", 0, "ensures"), PHASE["ensures"]), "claims": (("claims",), TABLE["claims"]),
}  # fmt: skip
VALUES: dict[str, Any] = {  # as TOML writes them, and what a schema sees
    "1.5": 1.5, "1e400": math.inf, "nan": math.nan, "true": True, "false": False, "-7": -7,
    "9223372036854775807": 2**63 - 1, "9" * 4000: 10**4000 - 1, '""': "", '"x y"': "x y", '"\\u0000"': "\0",
    f'"{"(" * 400}"': "(" * 400, "[]": [], "[[]]": [[]], "[[[1]]]": [[[1]]], "[1.5]": [1.5], "[{}]": [{}],
    "{}": {}, "{ x = 1.5 }": {"x": 1.5}, "{ x = {} }": {"x": {}}, '{ "" = 1 }': {"": 1}, "[1, true, \"x\"]":
    [1, True, "x"], "1979-05-27": datetime.date(1979, 5, 27), "07:32:00": datetime.time(7, 32),
    "1979-05-27T07:32:00Z": datetime.datetime(1979, 5, 27, 7, 32, tzinfo=datetime.UTC),
}  # fmt: skip
EVERY = [(of, key) for of in KEYS for key in KEYS[of]]


def test_the_tables_here_have_every_key_and_are_right() -> None:
    assert set(HOSTS) == set(KEYS)
    for of, (_, host) in HOSTS.items():
        assert set(KEYS[of]) - set(host) == {"send": {"from"}, "phase": {"sends"}}.get(of, set()), of
        assert not reported(text_with(of, "", "")).findings, of


def text_with(of: str, key: str, value: str) -> str:
    """A right table but for one key of one of its parts; ``value`` as TOML."""
    part = dict(HOSTS[of][1])
    if key:
        part[key] = MARK
    if (of, key) == ("send", "from"):
        del part["to"]
    phase = {"phase": part, "use": part, "send": {**PHASE, "send": [part]},
             "sends": {"name": "p", "steps": 1, "sends": [part]},
             "ensures": {**PHASE, "ensures": part}}.get(of, PHASE)  # fmt: skip
    if (of, key) == ("phase", "sends"):
        del phase["send"]
    table = {**TABLE, "phase": [phase], **({"claims": part} if of == "claims" else {})}
    return written({**table, **part} if of == "table" else table).replace(f'"{MARK}"', value)


def reported(text: str) -> Report:
    """As far as a table is read without running it."""
    try:
        found = prepare(parse(text, PATH), Options())
    except SourceError as error:
        return Report(error.path, "", error.text, "", findings=error.findings)
    return found if isinstance(found, Report) else found.report


def valid(of: str, key: str, value: Any) -> bool:
    """What the schema says of a value at a key."""
    whole = rule = schema()
    for step in (*HOSTS[of][0], key):
        rule = rule["items"] if isinstance(step, int) else rule["properties"][step]
        if "$ref" in rule:
            rule = whole["definitions"][rule["$ref"].rpartition("/")[2]]
    rule = {**rule, "definitions": whole["definitions"]}
    return bool(Draft7Validator(rule).is_valid(value))


def inside(text: str, key: str, line: int) -> bool:
    """Whether a line is that of a key."""
    return re.search(rf"\b{key}\b", text.split("\n")[line - 1]) is not None


@pytest.mark.parametrize(("of", "key"), EVERY, ids=lambda word: word)
def test_a_value_that_does_not_belong_is_refused_where_it_stands(of: str, key: str) -> None:
    route, refused = (*HOSTS[of][0], key), 0
    for written_value, value in VALUES.items():
        text = text_with(of, key, written_value)
        report = reported(text)
        assert report.exit is not Exit.INTERNAL
        errors = [f for f in report.findings if f.severity == "error"]
        lines = [line for line in concise.render([report]).splitlines() if ": error[" in line]
        assert all(re.match(r".+?:\d+:\d+: error", line) for line in lines), (written_value, lines)
        if valid(of, key, value):
            continue
        refused += 1
        assert errors, (written_value, "is not refused")
        here = [f for f in errors if f.primary and _at(f.primary.place, route)]
        spots = [f for f in errors if f.primary and isinstance(f.primary.place, Spot)
                 and inside(text, key, f.primary.place.line)]  # fmt: skip
        assert here or spots, (written_value, lines)
    assert refused >= 5


def _at(place: Place | Spot, route: Route) -> bool:
    return isinstance(place, Place) and place.route[: len(route)] == route


# ---- programs -----------------------------------------------------------------------------------

XML = (HOME / "tests" / "programs" / "ring_all_reduce.xml").read_text(encoding="utf-8")
ATTRIBUTES = sorted({(tag, name) for tag, rest in re.findall(r"<(\w+) ([^>]*)>", XML)
                     for name in re.findall(r"(\w+)=", rest)})  # fmt: skip
WORDS = {"name", "proto", "coll", "type", "srcbuf", "dstbuf"}
ODD = ["", "x", "1.5", "0x1", " 1", "-1000000", "+1", "9" * 30, "9" * 100_000, "\u0661", "nan", "&lt;", "1 2"]


@pytest.mark.parametrize(("tag", "name"), ATTRIBUTES, ids=lambda word: word)
def test_an_attribute_that_does_not_belong_is_refused_where_it_stands(tag: str, name: str) -> None:
    found = re.search(rf'<{tag} [^>]*?\b{name}="([^"]*)"', XML)
    assert found
    before, after = XML[: found.start(1)], XML[found.end(1) :]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
    for value in ODD:
        errors = errors_of(before + value + after)
        if errors is None:
            assert name in WORDS or value in (" 1", "+1", "\u0661"), value
            assert name == "name" or not value, value
            continue
        assert None not in errors, value
        assert Spot(line, column, len(value) + 2) in errors, (value, errors)


def errors_of(text: str) -> list[Spot | None] | None:
    """Where the errors of a program stand; None where it is read without any."""
    try:
        read_program("t.xml", text)
    except SourceError as error:
        found = [f.primary and f.primary.place for f in error.findings if f.severity == "error"]
        return [place if isinstance(place, Spot) else None for place in found]
    return None


@pytest.mark.parametrize(("tag", "name"), ATTRIBUTES, ids=lambda word: word)
def test_an_attribute_that_is_not_there_is_missed_at_its_element(tag: str, name: str) -> None:
    cut = re.sub(rf'(<{tag} [^>]*?)\s?\b{name}="[^"]*"', r"\1", XML, count=1)
    assert cut != XML
    line = cut[: cut.index(f"<{tag}")].count("\n") + 1
    assert line in [spot.line for spot in errors_of(cut) or () if spot]
