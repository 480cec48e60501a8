"""Proofs for every N at once: the symbolic half of the proof engine.

Trusted (what a proof rests on): `poly`, `formula`, `atoms`, `facts`, `context` and `terms` (table
expressions -> polynomials over atoms with true facts), `sizes` (what is assumed of N and the
parameters), `instance` (one symbolic send), `basics`, `moves`, `exact` and `claims` (which
obligations make a property true), and Z3's `unsat`.
Not trusted: `nodes`, `traces`, `features`, `learner`, `senders`, `search`.  They only guess; a bad
guess costs a proof and can never make one.
"""




