"""Real Dask clusters on this machine, each in processes of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.conftest import HOME

WAIT = 60.0
WITH_NANNIES = """
import dask, json, sys
from distributed import LocalCluster
if __name__ == "__main__":
    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        print(json.dumps(cluster.scheduler_address), flush=True)
        for line in sys.stdin:
            if line == "tasks\\n":
                told = [str(key) for key in cluster.scheduler.tasks]
            else:
                told = list(cluster.scheduler.workers)
            print(json.dumps(told), flush=True)
"""
IN_ONE = """
import asyncio, json, sys
from distributed import Scheduler, Worker

async def begin():
    scheduler = await Scheduler(host="127.0.0.1", port=0, dashboard=False)
    worker = await Worker(scheduler.address, nthreads=1)
    print(json.dumps(scheduler.address), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

if __name__ == "__main__":
    asyncio.run(begin())
"""


class Cluster:
    """A scheduler with workers; ``script`` is one of the above."""

    def __init__(self, path: Path, script: str, environment: Mapping[str, str]) -> None:
        path.write_text(script, encoding="utf-8")
        self.process = subprocess.Popen([sys.executable, str(path)], stdin=subprocess.PIPE, cwd=HOME,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env=environment, start_new_session=True)  # fmt: skip
        self.address = self._line()

    def _line(self) -> object:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def _asked(self, what: str) -> list[object]:
        assert self.process.stdin
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        told = self._line()
        assert isinstance(told, list)
        return told

    def there(self) -> int:
        """How many workers the scheduler knows."""
        return len(self._asked("there"))

    def tasks(self) -> list[object]:
        """The keys of what the scheduler has to do or keeps."""
        return self._asked("tasks")

    def on(self) -> tuple[str, ...]:
        """The options that have a check done here."""
        return "--executor", "dask", "--scheduler", str(self.address)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        self.process.communicate(timeout=WAIT)
