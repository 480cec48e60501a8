"""Proofs for every N at once: the symbolic half of the proof engine.

Trusted (what a proof rests on): `poly`, `formula`, `atoms`, `truths`, `relations`, `gathered`, `facts`,
`digits`, `context`, `session`, `questions`, `division`, `arithmetic` and `terms` (table expressions ->
polynomials over atoms with true facts); `sizes` (what is assumed of N and the parameters); `writing` and
`composition` (used tables as rows, in trees that `nodes` builds); `instance`, `model` and `reading`
(symbolic sends, promises and guesses); `basics`, `moves`, `exact` and `counts` (which obligations make a
property true); and Z3's `unsat`.
Not trusted: `nodes`, `rewriting`, `traces`, `orders`, `parts`, `coordinates`, `distances`, `features`,
`signed`, `blocks`, `candidates`, `learner`, `senders`, `covers`, `witnesses`, `groups`, `guesses`,
`tallies`, `asserted`, `replay`, `search` and `prove`.  They only guess; a bad guess costs a proof and can
never make one.  A refutation is always a replay.
"""

from ringproof.proof.every_n.prove import prove_every_n
from ringproof.proof.every_n.verdicts import EveryN, Invariant, Proved, Refuted, Undecided

__all__ = ["EveryN", "Invariant", "Proved", "Refuted", "Undecided", "prove_every_n"]
