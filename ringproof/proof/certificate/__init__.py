"""Certificates: what was guessed, as readable data, and every question that must be settled.

A certificate is made and checked by the same road: the guesses (strings of the table language) and
the table make the questions again, from nothing.  So a certificate cannot smuggle in another claim;
it can only be refused.  The questions are SMT-LIB 2 texts, each unsatisfiable, and include every
simplification that the terms rely on.

What must be believed: the meaning of a table (`table`, `collective`), the trusted rooms of `every_n`,
`rebuild` and `compare` here, and one solver: z3, cvc5, or the checker `refute.check`, which believes
no search.
"""

from ringproof.proof.certificate.compare import compare
from ringproof.proof.certificate.data import Refused
from ringproof.proof.certificate.make import Certificate, certificate
from ringproof.proof.certificate.solve import SOLVERS, at_hand, discharge

__all__ = ["SOLVERS", "Certificate", "Refused", "at_hand", "certificate", "compare", "discharge"]
