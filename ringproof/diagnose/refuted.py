"""A refuted property -> its finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ringproof.codes import PROPERTIES
from ringproof.diagnose import meaning, requested, wellformed
from ringproof.diagnose.case import Case
from ringproof.diagnose.words import holds_where
from ringproof.verdict import Finding, Label, Place


def finding(case: Case) -> Finding:
    """The finding for a refuted property."""
    base = case.name.partition("[")[0]
    made = _MAKERS[base](case)
    notes = (*made.notes, holds_where(case.proved, case.refuted))
    details = {"property": base, "N": case.size.N, "params": dict(case.size.params), **made.details}
    related = (*made.related, *_used_at(case, made.primary))
    return Finding(PROPERTIES[base], made.title, "error", made.primary, related, notes, made.helps, details)


def _used_at(case: Case, label: Label | None) -> list[Label]:
    """Where the table that a label stands in is used, if it is not the table itself."""
    if label is None or not isinstance(label.place, Place):
        return []
    route = label.place.route
    places = [used.route for used in case.schedule.used if route[: len(used.route)] == used.route]
    return [Label(Place(place), "used here") for place in sorted(places, key=len)[-1:]]


_MAKERS: Mapping[str, Callable[[Case], Finding]] = {
    "in-range": wellformed.in_range, "conflict-free": wellformed.conflict,
    "defined": wellformed.defined, "complete": meaning.complete, "once": meaning.once,
    "no-resend": meaning.no_resend, "ensures": meaning.ensures, "used": requested.used,
    "ports": requested.ports, "order": requested.order, "no-swap": requested.no_swap,
}  # fmt: skip
