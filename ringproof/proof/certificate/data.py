"""Guesses as plain data for JSON, and back; nothing about them is believed.

Everything that a proof for every N guessed is here as strings of the table language: invariants, the
senders that reach a place, witnesses, and how the claims were counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ringproof.proof.every_n import exact, moves
from ringproof.proof.every_n.counts import Counts, Tally
from ringproof.proof.every_n.model import Model, Predicate, Sender
from ringproof.proof.every_n.search import CaseProof
from ringproof.table.expr import Expr, parse


class Refused(Exception):
    """A certificate that does not certify its table, and why."""


def written(proof: CaseProof) -> dict[str, Any]:
    """One case of the sizes."""
    domain = "moves" if isinstance(proof.domain, moves.Moves) else "exact"
    phases = [_moves(g) if isinstance(g, moves.Guess) else _exact(g) for g in proof.guesses]
    counts = _counts(proof.counts) if proof.counts is not None and proof.ways else None
    ways = {str(number): way for number, way in sorted(proof.ways.items())}
    return {"fixed": dict(proof.sizes.fixed), "domain": domain, "phases": phases, "counts": counts,
            "claims": ways}  # fmt: skip


def _moves(guess: moves.Guess) -> dict[str, Any]:
    return {
        "live": _predicate(guess.live), "whole": _predicate(guess.whole),
        "dying": [_sender(s) for s in guess.dying],
        "gaining": [_sender(s) for s in guess.gaining],
    }  # fmt: skip


def _exact(guess: exact.Guess) -> dict[str, Any]:
    return {
        "holds": _predicate(guess.holds),
        "gaining": [_sender(s) for s in guess.gaining],
        "losing": [_sender(s) for s in guess.losing],
        "witnesses": [{"from": w.origin.text, "chunk": w.chunk.text} for w in guess.witnesses],
    }


def _predicate(guess: Predicate | None) -> Any:
    if guess is None:
        return None
    rules = [[e.text for e in rule] for rule in guess.rules]
    return {"not any of" if guess.sign else "any of": rules}


def _sender(guess: Sender) -> dict[str, Any]:
    loops = {name: e.text for name, e in guess.loops.items()}
    return {"row": guess.row, "part": guess.part, "rank": guess.rank.text, "variables": loops}


def _counts(guess: Counts) -> dict[str, Any]:
    phases = [{"mover": _sender(t.mover) if t.mover else None, "sent": t.sent.text if t.sent else None}
              for t in guess.tallies]  # fmt: skip
    return {"busiest": guess.busiest.text, "local rows": sorted(map(list, guess.still)), "phases": phases}


# ---- and back: any error of these is a certificate that does not fit ------------------------------


def read_domain(model: Model, case: Mapping[str, Any], resend_waived: str) -> moves.Moves | exact.Exact:
    """The domain with its guesses for every phase; errors: `Refused`, and those of reading plain data."""
    phases = case["phases"]
    if len(phases) != len(model.stages):
        raise Refused(f"{len(phases)} phases instead of {len(model.stages)}")
    if case["domain"] == "moves":
        return moves.Moves(model, tuple(map(_read_moves, phases)), resend_waived)
    if case["domain"] == "exact":
        return exact.Exact(model, tuple(map(_read_exact, phases)), resend_waived)
    raise Refused(f"the domain is `moves` or `exact`, not `{case['domain']}`")


def read_counts(model: Model, data: Mapping[str, Any]) -> Counts:
    """How the claims were counted."""
    tallies = tuple(
        Tally(
            None if phase["mover"] is None else _read_sender(phase["mover"]),
            None if phase["sent"] is None else parse(phase["sent"]),
        )
        for phase in data["phases"]
    )
    still = frozenset((int(p), int(row)) for p, row in data["local rows"])
    return Counts(model, tallies, parse(data["busiest"]), still)


def _read_moves(data: Mapping[str, Any]) -> moves.Guess:
    dying, gaining = (_senders(data[k]) for k in ("dying", "gaining"))
    return moves.Guess(_read(data["live"]), _read(data["whole"]), dying, gaining)


def _read_exact(data: Mapping[str, Any]) -> exact.Guess:
    holds = _read(data["holds"])
    if holds is None:
        raise Refused("a phase without an invariant")
    gaining, losing = (_senders(data[k]) for k in ("gaining", "losing"))
    seen = tuple(exact.Witness(parse(w["from"]), parse(w["chunk"])) for w in data["witnesses"])
    return exact.Guess(holds, gaining, losing, seen)


def _read(data: Mapping[str, Any] | None) -> Predicate | None:
    if data is None:
        return None
    ((sign, rules),) = data.items()
    if sign not in ("any of", "not any of"):
        raise Refused(f"an invariant is `any of` or `not any of`, not `{sign}`")
    read: tuple[tuple[Expr, ...], ...] = tuple(tuple(map(parse, rule)) for rule in rules)
    return Predicate(read, "not" if sign == "not any of" else "")


def _senders(data: Iterable[Mapping[str, Any]]) -> tuple[Sender, ...]:
    return tuple(map(_read_sender, data))


def _read_sender(data: Mapping[str, Any]) -> Sender:
    loops = {name: parse(text) for name, text in data["variables"].items()}
    return Sender(int(data["row"]), int(data["part"]), parse(data["rank"]), loops)
