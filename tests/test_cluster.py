"""Many files on a real Dask cluster: workers and schedulers that die, or are of another kin."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ringproof.verdict import Exit
from tests.clusters import IN_ONE, WITH_NANNIES, Cluster
from tests.conftest import Run
from tests.runs import (
    ENDS,
    HOOK,
    SHORT,
    WAIT,
    Environment,
    Table,
    begun,
    done,
    environment,
    go_on,
    held_up,
    hooked,
    interrupt,
    needs_proc,
    reports,
    table,
    until,
)

__all__ = ["hooked", "table"]  # fixtures

# While there is a file of that name beside it, this Python says that it is of other versions.
STRANGE = '''
import importlib.metadata, json, platform
from pathlib import Path

LIES = Path(__file__).with_name("lies.json")

def version(name):
    lies = json.loads(LIES.read_text()) if LIES.exists() else {}
    return lies.get(name) or version_as_it_is(name)

def python_version_tuple():
    lies = json.loads(LIES.read_text()) if LIES.exists() else {}
    return tuple(lies["python"].split(".")) if "python" in lies else python_version_tuple_as_it_is()

version_as_it_is, importlib.metadata.version = importlib.metadata.version, version
python_version_tuple_as_it_is = platform.python_version_tuple
platform.python_version_tuple = python_version_tuple
'''
BARE = "import sys\nsys.modules['ringproof'] = None\n"


@pytest.fixture(scope="module")
def lies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that makes the cluster claim other versions."""
    return tmp_path_factory.mktemp("cluster") / "lies.json"


@pytest.fixture(scope="module")
def cluster(lies: Path) -> Iterator[Cluster]:
    """One cluster for all tests that do not end it."""
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    made = Cluster(lies.with_name("cluster.py"), WITH_NANNIES, environment(lies.parent, HOOK + STRANGE))
    yield made
    made.end()


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Callable[[str], Cluster]]:
    """Makes a cluster that may be ended, in one process."""
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    made: list[Cluster] = []

    def begin(hook: str, script: str = IN_ONE) -> Cluster:
        made.append(Cluster(tmp_path / "cluster.py", script, environment(tmp_path, hook)))
        return made[-1]

    yield begin
    for one in made:
        one.kill()
        one.end()


def test_a_cluster_gives_the_same_bytes(cluster: Cluster) -> None:
    files = (*SHORT, "nowhere.toml", "schedules/ring.toml", "tests/bad/memory_for.toml", "-N", "2..20")
    here, there = begun(*files), begun(*files, *cluster.on())
    assert there.communicate(timeout=WAIT) == here.communicate(timeout=WAIT)
    assert there.returncode == here.returncode == Exit.REFUTED


def test_a_bug_is_one_files_on_a_cluster(cluster: Cluster, table: Table) -> None:
    buggy = table("buggy")
    code, printed, aside = done(SHORT[0], buggy, *SHORT[1:], "-N", "2..4", "--format", "json", *cluster.on())
    assert (code, aside) == (Exit.INTERNAL, b"")
    found = list(reports(printed).values())
    assert [r["outcome"] for r in found] == [ENDS[0], "internal error", *ENDS[1:]]
    (finding,) = found[1]["findings"]
    assert finding["code"] == "RP508"
    assert finding["title"].endswith("ZeroDivisionError: of ours")
    calls = finding["details"]["traceback"]
    assert re.fullmatch(r"sitecustomize\.py:\d+ in assess_size", calls[-1])
    assert any(call.startswith("ringproof/executors/shares.py") for call in calls)
    code, printed, aside = done(buggy, "-N", "2..4", *cluster.on())
    assert (code, printed) == (Exit.INTERNAL, b"")
    assert aside.startswith(b"internal error: ZeroDivisionError: of ours")


@needs_proc
def test_an_interruption_leaves_a_cluster_without_tasks(cluster: Cluster, table: Table) -> None:
    held = table("held")
    process = begun(*SHORT, held, table("held2"), "-N", "2..4", *cluster.on())
    held_up(held)
    held_up(table("held2"))
    assert cluster.tasks()
    interrupt(process)
    printed, aside = process.communicate(timeout=WAIT)
    assert (process.returncode, aside) == (Exit.INTERRUPTED, b"interrupted\n")
    assert re.fullmatch(r"7 files: (\d proved, )?.*\d interrupted", printed.decode().splitlines()[-1])
    until(lambda: not cluster.tasks())
    go_on(held)
    go_on(held.replace("held", "held2"))
    assert done(SHORT[0], "schedules/naive.toml", "-N", "2..4", *cluster.on())[0] == Exit.PROVED
    until(lambda: len(list(Path(held).parent.glob("*.sizes"))) == 2)
    assert [path.read_text() for path in Path(held).parent.glob("*.sizes")] == [".", "."]  # and no size more


@needs_proc
def test_a_dead_machine_of_a_cluster_loses_no_file(cluster: Cluster, table: Table) -> None:
    held = table("held")
    asked = (held, *SHORT, "-N", "2..4", "--format", "json", "--bounded")
    process = begun(*asked, *cluster.on())
    os.kill(held_up(held), signal.SIGKILL)
    held_up(held, before=1)
    go_on(held)
    printed, aside = process.communicate(timeout=WAIT)
    assert (process.returncode, aside) == (Exit.REFUTED, b"")
    assert {path: r["outcome"] for path, r in reports(printed).items()} == {
        held: "proved", **dict(zip(SHORT, ENDS, strict=True))
    }  # fmt: skip


@needs_proc
@pytest.mark.sweep
def test_a_file_that_a_cluster_gives_up_twice_is_named(cluster: Cluster, table: Table) -> None:
    """With one failure allowed, a cluster gives a file to two workers, and is asked twice."""
    held = table("held")
    process = begun(held, SHORT[0], "-N", "4", "--format", "json", "--bounded", *cluster.on())
    for before in range(4):
        os.kill(held_up(held, before), signal.SIGKILL)
    printed, _ = process.communicate(timeout=WAIT)
    found = reports(printed)
    (finding,) = found[held]["findings"]
    assert finding["code"] == "RP506"
    assert finding["notes"] == ["2 workers of the cluster died with it, one after another"]
    assert found[SHORT[0]]["outcome"] == "proved"
    assert process.returncode == Exit.CANNOT_CHECK


@pytest.mark.parametrize(("name", "told"), [
    ("ringproof", r"has ringproof 3\.9, here it is \S+;"),
    pytest.param("z3-solver", r"has z3 3\.9, here it is \S+;", marks=pytest.mark.sweep),
    pytest.param("python", r"has python 3\.9, here it is 3\.\d+;", marks=pytest.mark.sweep),
])  # fmt: skip
def test_a_cluster_of_other_versions_is_refused(cluster: Cluster, lies: Path, name: str, told: str) -> None:
    until(lambda: cluster.there() == 2)
    lies.write_text(json.dumps({name: "3.9"}), encoding="utf-8")
    try:
        code, printed, aside = done(SHORT[0], SHORT[1], *cluster.on())
    finally:
        lies.unlink()
    assert (code, printed) == (Exit.CANNOT_CHECK, b"")
    found = re.fullmatch(rf"Error: the scheduler at {cluster.address} {told[:-1]} \(and 2 more like it\); "
                         r"every machine of the cluster needs what is here: ringproof .*, z3 .*, python .*\n",
                         aside.decode())  # fmt: skip
    assert found, aside


@needs_proc
def test_a_worker_of_other_versions_that_comes_later_gives_no_verdict(
    cluster: Cluster, lies: Path, table: Table
) -> None:
    held = table("held")
    process = begun(SHORT[0], held, "-N", "2..4", "--format", "json", *cluster.on())
    held_up(held)
    try:
        lies.write_text(json.dumps({"z3-solver": "3.9"}), encoding="utf-8")
        go_on(held)
        printed, aside = process.communicate(timeout=WAIT)
    finally:
        lies.unlink()
    assert process.returncode == Exit.CANNOT_CHECK
    assert re.fullmatch(rb"Error: a worker that came later has z3 3\.9, here it is \S+\n", aside)
    (finding,) = reports(printed)[held]["findings"]
    assert (finding["code"], reports(printed)[held]["outcome"]) == ("RP509", "cannot check")


def test_a_cluster_without_ringproof_is_refused(another: Callable[[str], Cluster]) -> None:
    made = another(BARE)
    code, printed, aside = done(SHORT[0], *made.on())
    assert (code, printed) == (Exit.CANNOT_CHECK, b"")
    told = f"Error: the scheduler at {made.address} has no ringproof that can answer: "
    assert aside.startswith(told.encode())
    assert b"No module named" in aside
    assert len(aside.splitlines()) == 1


@needs_proc
@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.sweep)])
def test_a_scheduler_that_dies_ends_the_run(
    another: Callable[[str], Cluster], table: Table, how: signal.Signals
) -> None:
    made, held = another(HOOK), table("held")
    process = begun(held, *SHORT, "-N", "2..4", "--format", "json", *made.on())
    held_up(held)
    time.sleep(1 if how == signal.SIGTERM else 0)
    began = time.monotonic()
    os.killpg(made.process.pid, how)
    printed, aside = process.communicate(timeout=WAIT)
    assert time.monotonic() - began < 20
    assert aside == b"Error: the connection to the scheduler is gone\n"
    found = reports(printed)
    assert list(found) == [held, *SHORT]
    assert [f["code"] for f in found[held]["findings"]] == ["RP509"]
    assert found[held]["outcome"] == "cannot check"
    assert [f["code"] for f in found[SHORT[2]]["findings"]] == ["RP104"]  # which no worker sees
    assert process.returncode == Exit.CANNOT_CHECK


@pytest.mark.sweep
@needs_proc
def test_a_scheduler_that_does_not_answer_ends_the_run(
    another: Callable[[str], Cluster], table: Table, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made, held = another(HOOK), table("held")
    hasty = HOOK + "import_module('ringproof.executors.connection').ANSWERING = 1\n"
    process = begun(held, SHORT[2], "-N", "2..4", "--format", "json", *made.on(),
                    env=environment(tmp_path_factory.mktemp("hasty"), hasty))  # fmt: skip
    held_up(held)
    os.killpg(made.process.pid, signal.SIGSTOP)
    printed, aside = process.communicate(timeout=WAIT)
    assert aside.startswith(b"Error: the scheduler does not answer any more: ")
    assert len(aside.splitlines()) == 1
    assert [r["outcome"] for r in reports(printed).values()] == ["cannot check"] * 2
    assert process.returncode == Exit.CANNOT_CHECK


@pytest.mark.sweep
def test_a_cluster_without_workers_ends_the_run(
    another: Callable[..., Cluster], tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = another(HOOK, IN_ONE.replace("worker = await", "0 and await"))
    hasty = HOOK + "import_module('ringproof.executors.cluster').WORKERLESS = 1\n"
    code, printed, aside = done(SHORT[0], SHORT[1], SHORT[2], "-N", "2..4", "--format", "json", *made.on(),
                                env=environment(tmp_path_factory.mktemp("hasty"), hasty))  # fmt: skip
    assert aside.startswith(b"Error: the cluster has had no worker for 1 s; ")
    found = list(reports(printed).values())
    assert [f["code"] for r in found for f in r["findings"]] == ["RP509", "RP509", "RP104"]
    assert code == Exit.CANNOT_CHECK


def test_what_is_no_scheduler_is_told_so(hooked: Environment) -> None:
    """Nothing listens; no such kind of address; a server is silent; one says what no scheduler would."""
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    quick = {**hooked, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"}
    addresses = ["tcp://127.0.0.1:9", "nonsense://x"]
    with ExitStack() as stack:
        for said in (b"", b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"):
            server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            threading.Thread(target=_say, args=(server, said), daemon=True).start()
            addresses.append(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        asked = [begun(SHORT[0], "--executor", "dask", "--scheduler", one, env=quick) for one in addresses]
        told = [process.communicate(timeout=WAIT) for process in asked]
    for process, address, (printed, aside) in zip(asked, addresses, told, strict=True):
        assert (process.returncode, printed) == (Exit.CANNOT_CHECK, b"")
        assert aside.startswith(f"Error: there is no Dask scheduler at {address}: ".encode())
        assert len(aside.splitlines()) == 1
    assert told[-1][1].endswith(b": another kind of server answers\n")


def _say(server: socket.socket, said: bytes) -> None:
    kept = []
    while True:
        try:
            kept.append(server.accept()[0])
            kept[-1].sendall(said)
        except OSError:
            break
    for connection in kept:
        connection.close()


@pytest.mark.parametrize("line", ["--executor dask", "--scheduler x", "--executor dask --scheduler x -j 2"])
def test_half_a_cluster_is_refused(run: Run, line: str) -> None:
    assert run("check", SHORT[0], *line.split())[0] == Exit.CANNOT_CHECK
