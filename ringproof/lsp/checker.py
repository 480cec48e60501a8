"""Checking in a process of its own, that can be ended at any moment: the next letter may be typed."""

from __future__ import annotations

import asyncio

from ringproof.assess import Options
from ringproof.executors.worker import Worker
from ringproof.inputs import ProgramText
from ringproof.table.source import Source
from ringproof.verdict import Report

OPTIONS = Options(induction="never")


class Checker:
    """One process that checks one document after another; begun when it is first needed.

    It is begun and ended in the thread of the event loop and nowhere else: while another thread
    begins a process there is no way to end it, and once that is missed nobody knows of it.
    """

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.worker: Worker | None = None

    async def check(self, item: Source | ProgramText) -> Report | str:
        """The report on a table or program; in words how the process ended, if it died at its work.

        A check that is cancelled ends the process, and with it whatever Z3 is at.
        """
        async with self.turn:
            try:
                if self.worker is None or not self.worker.process.is_alive():
                    self.worker = Worker(OPTIONS, "spawn")
            except OSError as error:
                return f"no process can be begun: {(error.strerror or str(error)).lower()}"
            try:
                return await asyncio.to_thread(_asked, self.worker, item)
            except asyncio.CancelledError:
                self.end()
                raise

    def end(self) -> None:
        """End the process, whatever it is at."""
        if self.worker:
            self.worker.end()
        self.worker = None


def _asked(worker: Worker, item: Source | ProgramText) -> Report | str:
    worker.send(item)
    return worker.answer()
