"""The README tells the truth: what it prints is printed, and what it lists is all there is."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from ringproof import verdict
from ringproof.cli import cli
from ringproof.collective import COLLECTIVES
from ringproof.results import STATEMENTS
from ringproof.table.expr import HELPERS, LISTS
from ringproof.table.scope import KEYS
from ringproof.verdict import Exit
from tests.conftest import HOME, Blessed, Run

README = HOME / "README.md"
PACKAGE = Path(verdict.__file__).parent  # the installed one, where the sources are not here
QUOTED = HOME / "schedules" / "ring.toml"
TEXT = README.read_text(encoding="utf-8")
INSTALL = (
    "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/ringproof check schedules/ring.toml",
    "python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/pytest",
)
_CONSOLE = re.compile(r"^```console\n\$ (ringproof [^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


_COST = re.compile(r"<!-- cost -->\n.*?<!-- /cost -->", re.DOTALL)


def cost_table(run: Run) -> str:
    """What the library costs, as the tool prints it now."""
    code, output = run("cost", "schedules", "-N", "8,64", "--format", "markdown")
    assert code == Exit.PROVED
    return output.strip()


def section(heading: str) -> str:
    """The part of the README under one heading."""
    return TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def quoted(text: str) -> set[str]:
    """Every word in code quotes, and every word of a longer quote."""
    return {word for quote in re.findall(r"`([^`\n]+)`", text) for word in re.split(r"[^\w-]+", quote)}


def test_what_it_prints_is_what_is_printed(run: Run, blessed: Blessed) -> None:
    codes = []

    def printed(match: re.Match[str]) -> str:
        code, output = run(*shlex.split(match[1])[1:])
        codes.append(code)
        return f"```console\n$ {match[1]}\n{output}```"

    text = _CONSOLE.sub(printed, TEXT)
    text = _TOML.sub(lambda _: f"```toml\n{QUOTED.read_text(encoding='utf-8')}```", text)
    text = _COST.sub(f"<!-- cost -->\n{cost_table(run)}\n<!-- /cost -->", text)
    assert set(codes) == {Exit.PROVED, Exit.REFUTED}
    blessed(README, text)


def test_it_shows_one_table_whole() -> None:
    tables = _TOML.findall(TEXT)
    assert tables == [QUOTED.read_text(encoding="utf-8")]
    assert tomllib.loads(tables[0])["name"] == "ring all-reduce"


@pytest.mark.parametrize("command", INSTALL)
def test_a_fresh_clone_needs_one_command(command: str) -> None:
    assert f"\n```sh\n{command}\n```\n" in TEXT


def test_only_those_two_lines_set_up_an_environment() -> None:
    assert re.findall(r"^python3 -m venv.*$", TEXT, re.MULTILINE) == list(INSTALL)


def test_it_can_be_read_in_ten_minutes() -> None:
    reading = _COST.sub("", TEXT)
    assert len(reading.splitlines()) <= 330
    outside = re.sub(r"^```.*?^```$", "", reading, flags=re.MULTILINE | re.DOTALL)
    assert len(outside.split()) <= 2400


def test_every_key_of_a_table_is_explained() -> None:
    keys = {key for keys in KEYS.values() for key in keys}
    assert keys - quoted(section("The table")) == set()


def test_every_helper_and_collective_is_named() -> None:
    text = section("The table")
    assert {*HELPERS, *LISTS} - quoted(text) == set()
    assert set(COLLECTIVES) - set(re.findall(r"[\w-]+", text)) == set()


def test_every_property_is_listed() -> None:
    listed = re.findall(r"^\| ([a-z, -]+) \|", section("What is proved, and by which engine"), re.MULTILINE)
    assert {name for row in listed for name in row.split(", ")} - {"property"} == set(STATEMENTS)


def test_every_command_option_and_exit_code_is_listed() -> None:
    text = section("Commands")
    for name, command in cli.commands.items():
        assert f"ringproof {name}" in text
        options = [p for p in command.params if isinstance(p, click.Option)]
        for option in options if name == "check" else ():
            assert any(re.search(rf"(?<![\w-]){o}(?![\w-])", text) for o in option.opts), option.opts
    codes = re.findall(r"\b\d+\b", text.partition("Exit codes:")[2].partition("\n###")[0])
    assert set(map(int, codes)) == set(map(int, Exit))


def test_every_file_it_names_is_there() -> None:
    named = set(re.findall(r"(?<![\w/])(?:ringproof|schedules|tests|figures)/[\w/.]*\w", TEXT))
    assert named
    for name in named:
        home = PACKAGE.parent if name.startswith("ringproof/") else HOME
        assert (home / name).exists(), name
