"""Whether a certificate is that of its table: everything it says is made again and compared; trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringproof.proof.certificate.data import Refused
from ringproof.proof.certificate.make import FORMAT, statement
from ringproof.proof.certificate.rebuild import rebuild
from ringproof.table.schedule import Schedule


def compare(schedule: Schedule, data: Mapping[str, Any], questions: Sequence[str]) -> None:
    """Errors: `Refused` where the data or a question is not that of the table, and what differs."""
    if data.get("format") != FORMAT:
        raise Refused(f"its format is {data.get('format')!r}; this is a reader of format {FORMAT}")
    recorded = data.get("simplifications")
    if not isinstance(recorded, str):
        raise Refused("`simplifications` is not a text of 0s and 1s")
    rebuilt = rebuild(schedule, data, recorded)
    claims = set(map(int, data["cases"][0]["claims"]))
    for key, value in {"table": schedule.name, **statement(schedule, claims)}.items():
        if data.get(key) != value:
            raise Refused(f"`{key}` says {data.get(key)!r}; table and guesses give {value!r}")
    asked = data.get("questions")
    if not isinstance(asked, list) or len(asked) != len(questions):
        raise Refused("`questions` does not list every question")
    for entry, one, given in zip(asked, rebuilt.asked, questions, strict=False):
        _same(entry, one.about, one.text(_premises(entry, len(one.question.premises))), given)
    if len(questions) != len(rebuilt.asked):
        raise Refused(f"{len(questions)} questions; table and guesses raise {len(rebuilt.asked)}")


def _premises(entry: Any, count: int) -> tuple[int, ...] | None:
    """Which premises a question keeps: leaving some out only makes it harder to refute."""
    kept = entry.get("premises") if isinstance(entry, dict) else ()
    if kept is None:
        return None
    if not isinstance(kept, list) or not all(type(i) is int and 0 <= i < count for i in kept):
        raise Refused(f"`premises` of a question are not numbers below {count}")
    return tuple(kept)


def _same(entry: Any, about: str, wanted: str, given: str) -> None:
    """The question on file is the question that was made again."""
    name = entry.get("file") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or entry.get("about") != about:
        raise Refused(f"{name}: it is said to be about {entry!r}; it is about {about!r}")
    if given == wanted:
        return
    mine, theirs = wanted.splitlines(), given.splitlines()
    pairs = zip([*mine, *[""] * len(theirs)], [*theirs, *[""] * len(mine)], strict=False)
    line = next((i for i, (a, b) in enumerate(pairs, 1) if a != b), 0)
    if not line:
        raise Refused(f"{name} differs in its line ends")
    told = theirs[line - 1] if line <= len(theirs) else "nothing"
    made = mine[line - 1] if line <= len(mine) else "nothing"
    raise Refused(f"{name}, line {line}: {_short(told)}; table and guesses give {_short(made)}")


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
