"""Many files: on all cores and on a cluster, with workers that are killed, and with Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ringproof.verdict import Exit
from tests.conftest import HOME, Run

COMMAND = (sys.executable, "-m", "ringproof", "check")
SHORT = ("schedules/ring_all_gather.toml", "tests/wrong/ring_flipped_sign.toml", "tests/bad/word_op.toml",
         "schedules/hierarchical_composed.toml", "tests/programs/all_gather_both_ways.xml")  # fmt: skip
WAIT = 60.0
needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")


@pytest.fixture
def long(tmp_path: Path) -> str:
    """A table that takes a worker far longer than any test, and says so by its name."""
    path = tmp_path / "long.toml"
    text = (HOME / "schedules" / "ring.toml").read_text(encoding="utf-8")
    path.write_text(text.replace("2..64", "90..400"), encoding="utf-8")
    return str(path)


def begun(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*COMMAND, *arguments], cwd=HOME, start_new_session=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def children(pid: int) -> set[int]:
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found |= set(map(int, task.read_text().split()))
    return found


def until(what: Callable[[], object]) -> object:
    """What it says as soon as it says something."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if said := what():
            return said
        time.sleep(0.02)
    raise TimeoutError


def busy(pid: int, seconds: float = 1.0) -> bool:
    """Whether a process has worked for so long."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") >= seconds


def kill_workers(parent: subprocess.Popen[bytes], times: int) -> None:
    """Kill the process that is at the long table, as often as that is given to one."""
    killed: set[int] = set()
    for _ in range(times):
        pid = until(lambda: next((p for p in children(parent.pid) - killed if busy(p)), None))
        assert isinstance(pid, int)
        os.kill(pid, signal.SIGKILL)
        killed.add(pid)


def reports(printed: bytes) -> dict[str, dict[str, object]]:
    return {report["path"]: report for report in json.loads(printed)["reports"]}


# ---- all cores ----------------------------------------------------------------------------------


def test_a_summary_counts_verdicts_and_codes(run: Run) -> None:
    code, printed = run("check", *SHORT[:3], "tests/wrong/ring_reduce_scatter_plus_one.toml", "-N", "2..4")
    assert code == Exit.REFUTED
    assert printed.splitlines()[-1] == "4 tables: 1 proved, 2 refuted, 1 cannot check"
    told = dict(re.findall(r"^(RP\d{3})  [\w-]+ +in (\d+) files?$", printed, re.MULTILINE))
    found = {}
    for report in json.loads(run("check", *SHORT[:3], "tests/wrong/ring_reduce_scatter_plus_one.toml",
                                 "-N", "2..4", "--format", "json")[1])["reports"]:  # fmt: skip
        for one in {finding["code"] for finding in report["findings"]}:
            found[one] = str(int(found.get(one, 0)) + 1)
    assert told == found
    assert told["RP301"] == "2"


def test_one_file_has_no_summary(run: Run) -> None:
    assert not re.search(r"^RP104", run("check", "tests/bad/word_op.toml")[1], re.MULTILINE)


def test_progress_is_for_a_terminal(long: str) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*COMMAND, long, long.replace("long", "nowhere"), "-j", "2", "-N", "90..240"],
                               cwd=HOME, stdout=subprocess.PIPE, stderr=theirs)  # fmt: skip
    os.close(theirs)
    process.communicate(timeout=WAIT)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert re.search(r"nowhere\.toml  #{12}\.{12}  1/2", shown)
    assert shown.endswith("\r\x1b[K")


@needs_proc
def test_a_worker_that_dies_once_loses_no_file(long: str) -> None:
    process = begun(long, *SHORT, "-N", "2..100", "-j", "2", "--format", "json", "--bounded")
    kill_workers(process, 1)
    printed, aside = process.communicate(timeout=200)
    whole = begun(long, *SHORT, "-N", "2..100", "-j", "2", "--format", "json", "--bounded")
    assert (aside, process.returncode) == (b"", Exit.REFUTED)
    assert printed == whole.communicate(timeout=200)[0]
    assert reports(printed)[long]["outcome"] == "proved"


@needs_proc
def test_a_file_that_ends_two_workers_is_named(long: str) -> None:
    process = begun("schedules/ring_all_gather.toml", long, "schedules/naive.toml", "-j", "2",
                    "--format", "json", "--bounded", "-N", "2..8,90..400")  # fmt: skip
    kill_workers(process, 2)
    printed, _ = process.communicate(timeout=WAIT)
    assert process.returncode == Exit.CANNOT_CHECK
    found = reports(printed)
    assert list(found)[1] == long
    finding = found[long]["findings"][0]  # type: ignore[index]
    assert finding["code"] == "RP506"
    assert finding["notes"] == ["the process was ended by SIGKILL"]
    assert [r["outcome"] for r in found.values()] == ["proved", "cannot check", "proved"]


@needs_proc
def test_no_worker_outlives_a_killed_parent(long: str) -> None:
    process = begun(long, long.replace("long", "nowhere"), "-j", "2")
    pid = until(lambda: next((p for p in children(process.pid) if busy(p)), None))
    process.kill()
    process.communicate(timeout=WAIT)
    until(lambda: not Path(f"/proc/{pid}").exists())


# ---- Ctrl-C -------------------------------------------------------------------------------------


@needs_proc
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interruption_tells_what_is_done(long: str, jobs: str, form: str) -> None:
    process = begun(*SHORT, long, "-j", jobs, "--format", form, "--bounded", "-N", "2..5,90..400")
    until(lambda: any(busy(p, 2.5) for p in {process.pid, *children(process.pid)}))
    began = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    printed, aside = process.communicate(timeout=WAIT)
    assert (process.returncode, aside) == (Exit.INTERRUPTED, b"interrupted\n")
    assert time.monotonic() - began < 5
    if form == "text":
        assert re.search(r"^6 files: \d proved, .*, \d interrupted$", printed.decode().splitlines()[-1])
        assert b"ring_all_gather" in printed
    else:
        found = reports(printed)
        assert json.loads(printed)["exit"] == Exit.INTERRUPTED
        assert [found[SHORT[0]]["outcome"], found[long]["outcome"]] == ["proved", "interrupted"]


# ---- a cluster ----------------------------------------------------------------------------------

CLUSTER = """
import dask, json, sys
from distributed import LocalCluster
if __name__ == "__main__":
    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        print(json.dumps(cluster.scheduler_address), flush=True)
        for line in sys.stdin:
            pids = [nanny.process.pid for nanny in cluster.workers.values() if nanny.process]
            print(json.dumps(pids), flush=True)
"""


class Cluster:
    """A real cluster on this machine, in a process of its own."""

    def __init__(self, path: Path) -> None:
        path.write_text(CLUSTER, encoding="utf-8")
        self.process = subprocess.Popen([sys.executable, str(path)], stdin=subprocess.PIPE, cwd=HOME,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)  # fmt: skip
        self.address = self._line()

    def _line(self) -> object:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def workers(self) -> set[int]:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        pids = self._line()
        assert isinstance(pids, list)
        return set(pids)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    made = Cluster(tmp_path / "cluster.py")
    yield made
    made.process.communicate(timeout=WAIT)


def on(cluster: Cluster) -> tuple[str, ...]:
    return "--executor", "dask", "--scheduler", str(cluster.address)


def test_a_cluster_gives_the_same_bytes(cluster: Cluster) -> None:
    files = (*SHORT, "nowhere.toml", "schedules/ring.toml", "tests/bad/memory_for.toml")
    here = begun(*files, "-N", "2..30")
    there = begun(*files, "-N", "2..30", *on(cluster))
    assert there.communicate(timeout=WAIT) == here.communicate(timeout=WAIT)
    assert there.returncode == here.returncode == Exit.REFUTED


@needs_proc
def test_a_dead_machine_of_a_cluster_loses_no_file(cluster: Cluster, long: str) -> None:
    process = begun(long, *SHORT, "-N", "2..96", "--format", "json", "--bounded", *on(cluster))
    idle = {pid: _work(pid) for pid in cluster.workers()}
    pid = until(lambda: next((p for p in idle if _work(p) > idle[p] + 1), None))
    assert isinstance(pid, int)
    os.kill(pid, signal.SIGKILL)
    printed, aside = process.communicate(timeout=200)
    assert (aside, process.returncode) == (b"", Exit.REFUTED)
    assert {path: r["outcome"] for path, r in reports(printed).items()} == {
        long: "proved", SHORT[0]: "proved", SHORT[1]: "refuted", SHORT[2]: "cannot check",
        SHORT[3]: "proved", SHORT[4]: reports(printed)[SHORT[4]]["outcome"],
    }  # fmt: skip


def _work(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@needs_proc
@pytest.mark.sweep
def test_a_file_that_a_cluster_gives_up_twice_is_named(cluster: Cluster, long: str) -> None:
    process = begun(long, "schedules/naive.toml", "-N", "4,200..400", "--format", "json", "--bounded",
                    *on(cluster))  # fmt: skip
    killed: set[int] = set()
    while process.poll() is None:
        for pid in cluster.workers() - killed:
            if busy(pid, 3.0):
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
        time.sleep(0.1)
    printed = process.communicate(timeout=WAIT)[0]
    assert len(killed) >= 4
    found = reports(printed)
    assert [f["code"] for f in found[long]["findings"]] == ["RP506"]  # type: ignore[attr-defined]
    assert found["schedules/naive.toml"]["outcome"] == "proved"
    assert process.returncode == Exit.CANNOT_CHECK


def test_a_cluster_that_is_not_there(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    process = begun(SHORT[0], "--executor", "dask", "--scheduler", "tcp://127.0.0.1:9")
    printed, aside = process.communicate(timeout=WAIT)
    assert (process.returncode, printed) == (Exit.CANNOT_CHECK, b"")
    assert b"the cluster at tcp://127.0.0.1:9 cannot be used" in aside
    assert b"Traceback" not in aside


@pytest.mark.parametrize("line", ["--executor dask", "--scheduler x", "--executor dask --scheduler x -j 2"])
def test_half_a_cluster_is_refused(run: Run, line: str) -> None:
    assert run("check", SHORT[0], *line.split())[0] == Exit.CANNOT_CHECK
