"""Running `ringproof check` in processes of its own, in which a table may wait or meet a bug."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import HOME

COMMAND = (sys.executable, "-m", "ringproof", "check")
SHORT = ("schedules/ring_all_gather.toml", "tests/wrong/ring_flipped_sign.toml", "tests/bad/word_op.toml",
         "schedules/hierarchical_composed.toml", "tests/programs/all_gather_both_ways.xml")  # fmt: skip
ENDS = ["proved", "refuted", "cannot check", "proved", "proved"]
WAIT = 60.0
Environment = dict[str, str]
Table = Callable[[str], str]
needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")

# In every Python that the tests begin here, whoever begins it: a size of a table called held*.toml waits
# until there is a file of that name that ends in .go, after it has said in a file who waits; a size of a
# table called buggy*.toml meets a bug, and the report on one called unprintable*.toml has one.
HOOK = '''
import os, time
from pathlib import Path
from importlib import import_module

check = import_module("ringproof.check")  # the attribute of that name is the function
places = import_module("ringproof.report.places")
progress = import_module("ringproof.executors.progress")
progress.EVERY = float(os.environ.get("EVERY", progress.EVERY))

def assess_size(begun, *others):
    path = Path(begun.source.path)
    if path.name.startswith("buggy"):
        raise ZeroDivisionError("of ours")
    if path.name.startswith("held") and not path.with_suffix(".go").exists():
        path.with_suffix(f".{os.getpid()}").touch()
        while not path.with_suffix(".go").exists():
            time.sleep(0.01)
    if path.name.startswith("held"):
        with path.with_suffix(".sizes").open("a") as sizes:
            sizes.write(".")
    return assess_size_as_it_is(begun, *others)

def stands_of(report, *others):
    if "unprintable" in report.path and report.text:
        raise IndexError("of ours")
    return stands_of_as_it_is(report, *others)

assess_size_as_it_is, check.assess_size = check.assess_size, assess_size
stands_of_as_it_is, places.stands_of = places.stands_of, stands_of
'''


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment with ``HOOK``."""
    return environment(tmp_path_factory.mktemp("hook"), HOOK)


def environment(folder: Path, hook: str) -> dict[str, str]:
    (folder / "sitecustomize.py").write_text(hook, encoding="utf-8")
    path = os.pathsep.join([str(folder), str(HOME), os.environ.get("PYTHONPATH", "")])
    # no thread of numpy's may be there before an interrupt is blocked in all threads
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """A right table, and what it is called; whoever is held up by one is let go at the end."""

    def written(stem: str) -> str:
        path = tmp_path / f"{stem}.toml"
        path.write_text((HOME / "schedules" / "ring.toml").read_text(encoding="utf-8"), encoding="utf-8")
        return str(path)

    yield written
    for path in tmp_path.glob("held*.toml"):
        go_on(str(path))


def begun(*arguments: str, env: Environment | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*COMMAND, *arguments], cwd=HOME, start_new_session=True, env=env,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def done(*arguments: str, env: Environment | None = None) -> tuple[int, bytes, bytes]:
    """Run it to its end: exit code, stdout, stderr."""
    process = begun(*arguments, env=env)
    printed, aside = process.communicate(timeout=WAIT)
    return process.returncode, printed, aside


def until(what: Callable[[], object]) -> object:
    """What it says as soon as it says something."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if said := what():
            return said
        time.sleep(0.02)
    raise TimeoutError


def children(pid: int) -> set[int]:
    found: set[int] = set()
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        found |= set(map(int, listed.read_text().split()))
    return found


def alive(pid: int) -> bool:
    """Whether a process runs; one that is dead may be listed until somebody asks how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def holders(held: str) -> set[int]:
    """The processes that have been held up by a table."""
    return {int(path.suffix[1:]) for path in Path(held).parent.glob(f"{Path(held).stem}.*")
            if path.suffix[1:].isdigit()}  # fmt: skip


def held_up(held: str, before: int = 0) -> int:
    """The last process that is held up by a table, once there are more than so many."""
    until(lambda: len(holders(held)) > before)
    return max(holders(held), key=lambda pid: Path(held).with_suffix(f".{pid}").stat().st_mtime_ns)


def go_on(held: str) -> None:
    Path(held).with_suffix(".go").touch()


def reports(printed: bytes) -> dict[str, dict[str, Any]]:
    return {report["path"]: report for report in json.loads(printed)["reports"]}


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """What a terminal does with Ctrl-C."""
    os.killpg(process.pid, signal.SIGINT)
