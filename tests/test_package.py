"""What is shipped: wheel and sdist hold the whole package, licence and changes, and need no network."""

from __future__ import annotations

import socket
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from urllib.request import urlopen

import pytest

import ringproof
from ringproof.verdict import Exit
from tests.conftest import HOME, Run

PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = f"ringproof-{PROJECT['version']}"
needs_sources = pytest.mark.skipif(
    not (HOME / "ringproof").is_dir(), reason="builds the package, and its sources are not here"
)


def committed(*folders: str) -> set[str]:
    """The files below some folders: those that git knows or would add, else all but what Python left."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard", *folders]
    if (HOME / ".git").exists():
        told = subprocess.run(command, cwd=HOME, capture_output=True, check=True).stdout.decode()
        return {name for name in told.split("\0") if name and (HOME / name).is_file()}
    paths = [path for folder in folders for path in (HOME / folder).rglob("*") if path.is_file()]
    return {path.relative_to(HOME).as_posix() for path in paths if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and an sdist, made without a network."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in folder.iterdir()} == {f"{NAME}-py3-none-any.whl", f"{NAME}.tar.gz"}
    return folder


@needs_sources
def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(built / f"{NAME}-py3-none-any.whl") as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        licence = wheel.read(f"{NAME}.dist-info/licenses/LICENSE")
    assert names == committed("ringproof")
    assert {"ringproof/py.typed", "ringproof/explanations/RP301.txt",
            "ringproof/figure/player/page.html"} <= names  # fmt: skip
    assert licence == (HOME / "LICENSE").read_bytes()


@needs_sources
def test_the_sdist_holds_what_the_tests_need(built: Path) -> None:
    with tarfile.open(built / f"{NAME}.tar.gz") as sdist:
        names = {member.name.removeprefix(f"{NAME}/") for member in sdist if member.isfile()}
    wanted = committed("ringproof", "schedules", "tests", "figures")
    wanted |= {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", ".pre-commit-hooks.yaml"}
    assert names - {"PKG-INFO", ".gitignore"} == wanted


def test_what_is_installed_has_its_data() -> None:
    package = Path(ringproof.__file__).parent
    assert (package / "py.typed").is_file()
    assert list((package / "figure" / "player").glob("*.js"))
    told = distribution("ringproof").metadata
    assert told["License-Expression"] == "MIT"
    assert told["Requires-Python"] == PROJECT["requires-python"] == ">=3.11"


def test_the_changes_of_this_version_are_told() -> None:
    changes = (HOME / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{PROJECT['version']}]" in changes
    versions = {c.rpartition(" ")[2] for c in PROJECT["classifiers"] if "Python :: 3." in c}
    assert versions == {"3.11", "3.12", "3.13", "3.14"}


# ---- no network ---------------------------------------------------------------------------------

OFFLINE = {
    "check": ["check", "-N", "2..4", "--bounded", "-j", "1", "schedules/ring.toml"],
    "check a program": ["check", "tests/programs/ring_all_reduce.xml"],
    "trace": ["trace", "schedules/ring.toml", "-N", "3"],
    "cost": ["cost", "schedules/ring.toml", "-N", "8"],
    "draw": ["draw", "schedules/ring.toml", "-N", "4", "-o", "{tmp}/ring.svg"],
    "draw a player": ["draw", "schedules/ring.toml", "-N", "4", "-o", "{tmp}/ring.html"],
    "certify": ["certify", "schedules/ring.toml", "-o", "{tmp}/certificate"],
    "verify-figure": ["verify-figure", "figures/ring4.svg"],
    "schema": ["schema"],
}


class NetworkUsed(BaseException):
    """No `except` of a library may swallow it."""


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for a socket or an address gets an error."""

    def refused(*_: object, **__: object) -> None:
        raise NetworkUsed

    for name in ("__init__", "connect", "bind", "sendto"):
        monkeypatch.setattr(socket.socket, name, refused)
    for name in ("getaddrinfo", "gethostbyname", "create_connection", "socketpair"):
        monkeypatch.setattr(socket, name, refused)


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("what", OFFLINE)
def test_no_command_opens_a_socket(what: str, run: Run, tmp_path: Path) -> None:
    code, _ = run(*(word.format(tmp=tmp_path) for word in OFFLINE[what]))
    assert code == Exit.PROVED


@pytest.mark.usefixtures("offline")
def test_what_would_be_refused() -> None:
    with pytest.raises(NetworkUsed):
        urlopen("http://localhost:9", timeout=1)
    with pytest.raises(NetworkUsed):
        socket.socket()
