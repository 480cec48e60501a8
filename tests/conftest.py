"""What the tests share: ``--bless``, and running a command as a shell at the root of the repository."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from ringproof.__main__ import MANY
from ringproof.cli import main

HOME = Path(__file__).parents[1]
if str(HOME) not in sys.path:  # at the end: `tests` is found, and ringproof stays the installed one
    sys.path.append(str(HOME))

Blessed = Callable[[Path, str], None]
Run = Callable[..., tuple[int, str]]


def sampled(things: Iterable[Any], every: int, first: int = 0) -> list[Any]:
    """Parameters of a test: all of them in a sweep, by default one of ``every`` so many."""
    return [thing if i % every == first else pytest.param(thing, marks=pytest.mark.sweep)
            for i, thing in enumerate(things)]  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bless", action="store_true",
        help="rewrite the expected outputs that lie beside their inputs; read the diff before you commit",
    )  # fmt: skip
    parser.addoption("--sweep", action="store_true", help="also run the full sweeps")


def pytest_configure(config: pytest.Config) -> None:
    """Hypothesis draws the same on every machine, however slow it is; in a sweep it draws anew."""
    drawn_anew = config.getoption("--sweep")
    settings.register_profile("ringproof", deadline=None, database=None, derandomize=not drawn_anew)
    settings.load_profile("ringproof")


def pytest_xdist_auto_num_workers() -> int | None:
    """One more than there are cores: many tests wait for a process, and a core with them."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """Garbage is looked for as seldom as the command looks for it, and never among the tests themselves."""
    gc.set_threshold(MANY, 20, 20)
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A full sweep has its own command; the default run takes a sample of it."""
    if not config.getoption("--sweep"):
        skip = pytest.mark.skip(reason="a full sweep: pytest --sweep")
        for item in items:
            if item.get_closest_marker("sweep"):
                item.add_marker(skip)


@pytest.fixture
def blessed(request: pytest.FixtureRequest) -> Blessed:
    """Compare a text with the file that says what it must be, or rewrite that file under --bless."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--bless"):
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
            return
        name = path.relative_to(HOME) if path.is_relative_to(HOME) else path.name
        if not path.exists():
            pytest.fail(f"{name} does not exist; `pytest --bless` writes it")
        expected = path.read_text(encoding="utf-8")
        assert text == expected, f"{name} differs; `pytest --bless` rewrites it"

    return compare


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run a ringproof command line at the root: its exit code, and what it prints to stdout."""
    monkeypatch.chdir(HOME)
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "RINGPROOF_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def command(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        code = int(main(list(arguments)))
        return code, capsys.readouterr().out

    return command
