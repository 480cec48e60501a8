"""A conversation with Z3 about one context: what it says unsatisfiable is; trusted.

Effort is counted in steps of Z3's own, not in seconds, so that every run and every machine gives the
same answers; about 30 million make a second.
"""

from __future__ import annotations

import z3

from ringproof.proof.ask import ask

SIMPLE, HARD = 12_000_000, 90_000_000


class Session:
    """Everything asserted so far; ``answer``: "proved", "fails" or "unknown"."""

    def __init__(self) -> None:
        self.solver = z3.SimpleSolver()
        self.found: z3.ModelRef | None = None

    def add(self, text: str) -> None:
        """Assert what a text says."""
        if text:
            self.solver.from_string(text)

    def check(self, denied: str, effort: int, milliseconds: int) -> str:
        """Whether what is asserted excludes one text more; that one is forgotten again."""
        self.solver.set("rlimit", effort)
        self.solver.set("timeout", milliseconds)
        self.solver.push()
        self.solver.from_string(denied)
        found = ask(self.solver)
        self.found = self.solver.model() if found == z3.sat else None
        self.solver.pop()
        return "proved" if found == z3.unsat else "fails" if found == z3.sat else "unknown"

    def model(self) -> dict[int, int]:
        """Atom -> value where the last question fails; read only when somebody wants it."""
        values: dict[int, int] = {}
        if self.found is None:
            return values
        model = self.found
        for declaration in model.decls():
            name = declaration.name()
            if not name.startswith("*"):
                value = z3.simplify(model[declaration])
                if z3.is_int_value(value):  # anything else is no size to replay
                    values[int(name.rsplit(".", 1)[1])] = value.as_long()
        return values
