"""Settles questions with every solver at hand; what counts is only that nothing satisfies them.

Z3 and cvc5 are believed; the refuter of this repository is not: each of its refutations is checked,
step by step, by a small program of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

SOLVERS = ("z3", "cvc5", "python")
Answer = str  # "proved", "fails", "unknown"


def at_hand() -> tuple[str, ...]:
    """The solvers that are installed."""
    return tuple(name for name in SOLVERS if name == "python" or find_spec(name) is not None)


def discharge(questions: Sequence[str], solver: str, seconds: float = 20.0) -> tuple[Answer, ...]:
    """What a solver makes of every question, each within ``seconds``.

    Errors: `ImportError` where it is not installed, `KeyError` where there is no such solver.
    """
    ask = {"z3": _z3, "cvc5": _cvc5, "python": _python}[solver]
    return tuple(ask(text, seconds) for text in questions)


def _z3(text: str, seconds: float) -> Answer:
    import z3

    from ringproof.proof.ask import ask

    solver = z3.SimpleSolver()
    solver.set("timeout", int(seconds * 1000))
    solver.from_string(text.replace("(check-sat)", ""))
    found = ask(solver)
    return "proved" if found == z3.unsat else "fails" if found == z3.sat else "unknown"


def _cvc5(text: str, seconds: float) -> Answer:
    import cvc5  # type: ignore[import-untyped,import-not-found,unused-ignore]

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, parser.getSymbolManager()))
    return {"unsat": "proved", "sat": "fails"}.get(answer.strip(), "unknown")


def _python(text: str, seconds: float) -> Answer:
    from ringproof.proof.refute import refuted

    return "proved" if refuted(text, seconds) else "unknown"


def needed(text: str) -> tuple[int, ...] | None:
    """The assertions but the last that Z3 needs, few of them; None where it finds no contradiction.

    Not as few as can be: other solvers are lost without what is redundant.
    """
    import z3

    from ringproof.proof.ask import ask

    lines = text.splitlines()
    asserted = [line.removeprefix("(assert ")[:-1] for line in lines if line.startswith("(assert ")]
    declared = "".join(line for line in lines if line.startswith("(declare-const "))
    own = z3.Context()  # what Z3 was asked before would change which premises it picks
    solver = z3.SimpleSolver(ctx=own)
    solver.set("rlimit", 300_000_000)
    marks = [z3.Bool(f"!{i}", own) for i in range(len(asserted) - 1)]
    marked = "".join(f"(declare-const !{i} Bool)(assert (=> !{i} {asserted[i]}))" for i in range(len(marks)))
    solver.from_string(f"{declared}{marked}(assert {asserted[-1]})")

    def core(premises: Sequence[int]) -> list[int] | None:
        if ask(solver, *(marks[i] for i in premises)) != z3.unsat:
            return None
        return sorted(int(str(mark)[1:]) for mark in solver.unsat_core())

    kept = core(range(len(marks)))
    return None if kept is None else tuple(core(kept) or kept)
