"""The catalogue of codes: complete, unique, and with examples that are TOML."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ringproof import codes
from ringproof.codes import CODES, Code, find

PACKAGE = Path(codes.__file__).parent


def examples(code: Code) -> list[str]:
    """The indented blocks of an explanation; blank lines inside a block belong to it."""
    blocks: list[list[str]] = [[]]
    for line in code.explanation.splitlines():
        if line.startswith("    ") or (not line and blocks[-1]):
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]


def test_codes_and_names_are_unique() -> None:
    assert len(codes._ALL) == len(CODES) == len({code.name for code in codes._ALL})
    assert list(CODES) == sorted(CODES)


def test_every_explanation_is_of_a_code() -> None:
    written = {path.stem for path in (PACKAGE / "explanations").iterdir()}
    assert written == set(CODES)


@pytest.mark.parametrize("code", CODES.values(), ids=str)
def test_every_rule_is_explained(code: Code) -> None:
    assert re.fullmatch(r"RP[0-9]{3}", code.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code.name)
    assert 10 < len(code.summary) < 90
    assert not code.summary.endswith(".")
    lines = code.explanation.splitlines()
    assert len(lines) >= 4
    assert max(map(len, lines)) <= 92
    assert code.explanation.isascii()
    assert "\t" not in code.explanation
    if code.code.startswith("RP1"):
        assert "Wrong" in code.explanation
        assert "Right" in code.explanation
        assert len(examples(code)) >= 2


@pytest.mark.parametrize("code", CODES.values(), ids=str)
def test_every_example_can_be_read(code: Code) -> None:
    """As TOML, and where a rule is about programs as XML."""
    for example in examples(code):
        if code.code.startswith("RP6"):
            assert ElementTree.fromstring(example).tag in ("algo", "gpu", "tb", "step")
        else:
            assert tomllib.loads(example)


def test_every_code_that_is_used_is_in_the_catalogue() -> None:
    used = {
        code
        for path in PACKAGE.rglob("*.py")
        for code in re.findall(r'"(RP\d{3})"', path.read_text(encoding="utf-8"))
    }
    assert used <= set(CODES)


def test_a_rule_is_found_by_code_and_by_name() -> None:
    assert find("rp301") is find(" Incomplete ") is CODES["RP301"]
    assert find("RP999") is None
    assert find("") is None
