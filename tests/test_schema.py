"""The JSON Schema of a table: up to date, and of one mind with the reader about keys, types and words."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ringproof.published import schema_text
from ringproof.strategies import values_of_tables
from ringproof.table.json_schema import schema
from ringproof.table.reader import read_schedule
from ringproof.table.scope import KEYS
from ringproof.table.source import read
from ringproof.verdict import Exit, Finding, Place, Route, TableError
from tests.conftest import HOME, Blessed, Run

COMMITTED = HOME / "schedules" / "schema.json"
SCHEDULES = sorted((HOME / "schedules").rglob("*.toml"))
WRONG = sorted((HOME / "tests" / "wrong").glob("*.toml"))
VALIDATOR = jsonschema.Draft7Validator(schema())
# What the schema can know: unknown keys, missing ones, types, words, and `to` beside `from`.
KNOWN = {"RP101", "RP102", "RP103", "RP104", "RP111", "RP115"}


def says(values: dict[str, Any], path: Path) -> list[str]:
    """The codes of what the reader finds wrong in this very file, not in one that it uses."""
    try:
        read_schedule(values, str(path))
    except TableError as error:
        used = [inner.route for inner in error.used]
        return [f.code for f in error.findings
                if not any(_route(f)[: len(route)] == route for route in used)]  # fmt: skip
    return []


def _route(finding: Finding) -> Route:
    place = finding.primary.place if finding.primary else None
    return place.route if isinstance(place, Place) else ()


def test_the_committed_schema_is_what_the_code_says(blessed: Blessed, run: Run) -> None:
    blessed(COMMITTED, schema_text("table"))
    assert run("schema") == (Exit.PROVED, COMMITTED.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema())


@pytest.mark.parametrize("path", SCHEDULES, ids=lambda path: path.stem)
def test_every_schedule_names_its_schema_and_is_valid(path: Path) -> None:
    first = path.read_text(encoding="utf-8").split("\n")[0]
    assert first == "#:schema schema.json"
    assert (path.parent / "schema.json") == COMMITTED
    assert [error.message for error in VALIDATOR.iter_errors(read(str(path)).values)] == []


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_table_that_is_only_wrong_in_meaning_is_valid(path: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(read(str(path)).values)] == []


def test_the_schema_refuses_the_keys_types_and_words_that_the_reader_refuses() -> None:
    refused = 0
    for path in sorted((HOME / "tests" / "bad").glob("*.toml")):
        try:
            values = read(str(path)).values
        except TableError:
            continue
        codes = set(says(values, path))
        valid = VALIDATOR.is_valid(values)
        if codes & KNOWN - {"RP103"}:
            assert not valid, (path.name, codes)
            refused += 1
        if not valid:
            assert codes, path.name
    assert refused > 10


def test_every_key_is_described_and_no_other_is() -> None:
    found = schema()
    parts = {"table": found, **found["definitions"], "claims": found["properties"]["claims"],
             "ensures": found["definitions"]["phase"]["properties"]["ensures"]}  # fmt: skip
    assert set(parts) == set(KEYS) - {"use"}
    for of, part in parts.items():
        wanted = [*KEYS["phase"], *KEYS["use"]] if of == "phase" else KEYS[of]
        assert sorted(part["properties"]) == sorted(set(wanted))
        for key, value in part["properties"].items():
            assert len(value["description"]) > 8, key


def test_the_schema_has_no_shape_that_taplo_cannot_follow() -> None:
    """What each does to taplo is written in the generator; `test_taplo` asks taplo itself."""

    def parts(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict):
            yield value
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from parts(inner)

    whole = schema()
    for part in parts(whole):
        assert not {"allOf", "oneOf", "anyOf"} & set(part)
        assert len(part) == 1 or not isinstance(part.get("$ref"), str), "draft 7 sees nothing beside it"
    for of, item in whole["definitions"].items():
        assert item["items"] == {"$ref": f"#/definitions/{of}"}


# ---- one edit of the keys -----------------------------------------------------------------------


def spots(value: Any, route: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every route of some values, but for the names that a table defines."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*route, key)
            if key not in ("let", "for", "params"):
                yield from spots(inner, (*route, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from spots(inner, (*route, i))


def parent_of(values: dict[str, Any], route: tuple[Any, ...]) -> Any:
    found: Any = values
    for step in route[:-1]:
        found = found[step]
    return found


@given(values_of_tables(), st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_schema_and_reader_agree_on_every_edit_of_a_key(values: dict[str, Any], data: st.DataObject) -> None:
    edited = copy.deepcopy(values)
    route = data.draw(st.sampled_from(list(spots(edited))))
    at = parent_of(edited, route)
    edit = data.draw(st.sampled_from(["lose", "rename", "list", "float", "table", "word", "nothing"]))
    if edit == "lose":
        del at[route[-1]]
    elif edit == "rename" and isinstance(route[-1], str):
        at[f"{route[-1]}z"] = at.pop(route[-1])
    elif edit in ("list", "float", "table", "word"):
        at[route[-1]] = {"list": [[]], "float": 1.5, "table": {"zz": {}}, "word": "no such word"}[edit]
    codes, valid = set(says(edited, HOME / "x.toml")), VALIDATOR.is_valid(edited)
    if not valid:
        assert codes, edited
    if codes & KNOWN:
        assert not valid, (codes, edited)


# ---- taplo --------------------------------------------------------------------------------------


def taplo(*files: Path, cwd: Path = HOME) -> tuple[int, str]:
    """Lint tables as an editor with taplo does: by the schema that each names in its first line."""
    beside = Path(sysconfig.get_path("scripts")) / "taplo"
    command = str(beside) if beside.exists() else shutil.which("taplo")
    if not command:
        pytest.skip("taplo is not installed: pip install 'ringproof[test]'")
    done = subprocess.run([command, "lint", "--colors", "never", *map(str, files)], cwd=cwd,
                          capture_output=True, text=True, timeout=60)  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_taplo_finds_every_schedule_right() -> None:
    code, shown = taplo(*SCHEDULES)
    assert code == 0, shown
    assert "error" not in shown


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('ranks      = "2..64"', 'rank = "2..64"', "'rank' was unexpected"),
        ('chunks     = "N"', "", '"chunks" is a required property'),
        ('op    = "reduce"', 'op = "add"', '"add" is not one of'),
        ('  to    = "(r + 1) % N"', '  too = "(r + 1) % N"', "'too' was unexpected"),
        ('steps   = "N - 1"', "steps = 1.5", "1.5 is not of type"),
        ('"all-reduce"', '"all-reduse"', '"all-reduse" is not one of'),
        ("sends_per_rank", "sends_a_rank", "'sends_a_rank' was unexpected"),
        ('owner = "c" }', 'ownr = "c" }', "'ownr' was unexpected"),
        ('  op    = "copy"', '  op    = "copy"\n  from = "r"', 'False schema does not allow "r"'),
    ],
)
def test_taplo_finds_a_wrong_key_by_the_schema(tmp_path: Path, before: str, after: str, told: str) -> None:
    right = (HOME / "schedules" / "ring.toml").read_text(encoding="utf-8")
    assert right.count(before) >= 1
    shutil.copy(COMMITTED, tmp_path / "schema.json")
    table = tmp_path / "ring.toml"
    table.write_text(right, encoding="utf-8")
    assert taplo(table, cwd=tmp_path)[0] == 0
    table.write_text(right.replace(before, after, 1), encoding="utf-8")
    code, shown = taplo(table, cwd=tmp_path)
    assert code != 0
    assert told in shown


def test_the_schema_of_a_report_is_another(run: Run) -> None:
    assert json.loads(run("schema", "--report")[1]) != json.loads(run("schema")[1])
