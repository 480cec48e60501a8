"""One question to Z3."""

from __future__ import annotations

from typing import Any

from ringproof.turn import go_on


def ask(solver: Any, *assumed: Any) -> Any:
    """Whether what a solver holds, and what is assumed, can be: `z3.sat`, `z3.unsat` or `z3.unknown`.

    Left to itself Z3 takes an interrupt for the end of this one question, says "unknown", and Python
    hears nothing of it: the check would go on, undecided.  So Python hears it, once Z3 has answered.
    Errors: `KeyboardInterrupt`.
    """
    go_on()
    solver.set("ctrl_c", False)
    return solver.check(*assumed)
