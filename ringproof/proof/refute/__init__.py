"""Shows questions of linear integer arithmetic unsatisfiable, without a solver.

Trusted: `smtlib` (what a text says), `problem` (the same as clauses), `checker` (every step of a
refutation) and `answer`.  Not trusted: `search` and all that it uses, `trail`, `clauses`, `simplex`,
`cuts`, `conflict`, `choice` and `trim`; a mistake there costs a refutation and can never make one.
"""

from ringproof.proof.refute.answer import check, refute, refuted
from ringproof.proof.refute.checker import Refutation
from ringproof.proof.refute.smtlib import Unreadable

__all__ = ["Refutation", "Unreadable", "check", "refute", "refuted"]
