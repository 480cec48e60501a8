"""Ctrl-C in a program of a user, who calls `ringproof.check` from a notebook or a test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
import z3

from ringproof.proof.ask import ask
from ringproof.turn import in_turn
from tests.conftest import HOME

HARD = """
(declare-const a Int) (declare-const b Int) (declare-const c Int)
(assert (= 114 (+ (* a a a) (* b b b) (* c c c))))
(assert (> (* a a) 100)) (assert (> (* b b) 100)) (assert (> (* c c) 100))
"""  # nobody knows whether 114 is such a sum


def solver(milliseconds: int) -> z3.Solver:
    made = z3.SimpleSolver()
    made.set("timeout", milliseconds)
    made.from_string(HARD)
    return made


def test_an_interrupt_is_no_answer() -> None:
    assert ask(solver(200)) == z3.unknown  # the time is over, and nobody has interrupted
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ask(solver(1500))
    timer.join()
    easy = z3.SimpleSolver()
    easy.from_string("(declare-const a Int) (assert (> a 1))")
    assert ask(easy) == z3.sat
    assert ask(easy, z3.Int("a") < 0) == z3.unsat


@pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_a_finalizer_swallows_is_raised_at_the_next_question() -> None:
    class Freed:
        def __del__(self) -> None:
            raise self.error

        error: BaseException = KeyboardInterrupt()

    said = []

    @in_turn
    def work(kind: type[Freed], then: Callable[[], object]) -> None:
        kind()
        said.append("goes on")
        then()
        said.append("is not reached" if kind is Freed else "ends")

    for then in (lambda: ask(z3.SimpleSolver()), lambda: said.append("no question")):
        with pytest.raises(KeyboardInterrupt):
            work(Freed, then)
    assert said == ["goes on", "goes on", "no question", "is not reached"]
    told = []
    before, sys.unraisablehook = sys.unraisablehook, told.append
    try:
        work(type("Buggy", (Freed,), {"error": ValueError()}), lambda: None)  # nobody has interrupted
    finally:
        sys.unraisablehook = before
    assert [what.exc_type for what in told] == [ValueError]


def test_all_questions_are_asked_there() -> None:
    rooms = HOME / "ringproof" / "proof"
    if not rooms.is_dir():
        pytest.skip("reads the sources, and only the installed package is here")
    own = [path.name for path in sorted(rooms.rglob("*.py")) if "solver.check(" in path.read_text("utf-8")]
    assert own == ["ask.py"]


LONG = """
import os, signal, threading
import ringproof, ringproof.proof.bounded as bounded
from tests.test_interrupted import solver

class Session(bounded._Session):
    def __init__(self, *given):
        super().__init__(*given)
        self.solver = solver(1500)

bounded._Session = Session
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    ringproof.check("schedules/ring.toml", 3)
except KeyboardInterrupt:
    print("interrupted")
bounded._Session = Session.__base__
print(ringproof.check("schedules/ring.toml", 3, every_n="never").exit)
"""


def test_an_interrupted_check_ends_and_the_next_one_is_as_ever() -> None:
    done = subprocess.run([sys.executable, "-c", LONG], cwd=HOME, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("interrupted\n0\n", "")
