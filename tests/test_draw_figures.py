"""The committed figures are what `ringproof figures` draws, byte for byte, and each reads back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringproof.cli import main
from ringproof.figure.gallery import EXHIBITS
from ringproof.figure.ink import read_ink
from ringproof.figure.legibility import illegible
from ringproof.figure.verify import verify
from ringproof.verdict import Exit
from tests.conftest import HOME

FOLDER = HOME / "figures"


@pytest.fixture(scope="module")
def redrawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HOME)
        assert main(["figures", "-o", str(folder)]) == Exit.PROVED
    return folder


def test_the_folder_has_what_is_drawn_and_nothing_else() -> None:
    assert {path.stem for path in FOLDER.glob("*.svg")} == {exhibit.name for exhibit in EXHIBITS}


@pytest.mark.parametrize("name", [exhibit.name for exhibit in EXHIBITS])
def test_a_committed_figure_is_drawn_again(name: str, redrawn: Path) -> None:
    committed = (FOLDER / f"{name}.svg").read_bytes()
    again = (redrawn / f"{name}.svg").read_bytes()
    assert committed == again, "run `ringproof figures` and look at the change"
    text = committed.decode()
    assert verify(text).wrong == ()
    assert illegible(read_ink(text)) == []
