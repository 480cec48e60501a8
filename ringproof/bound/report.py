"""The answer to a question about steps: for people, for programs, and as a table."""

from __future__ import annotations

import json

from ringproof.bound.table import command
from ringproof.bound.values import Answer, Question
from ringproof.wording import count_text, outcome_text

VERSION = 1
HOW = {
    "linear": "Z3: impossible even if messages could be split into fractions (linear arithmetic)",
    "calls": "Z3: some chunk would have too few messages for all ranks to hear of all (linear arithmetic)",
    "heard": "Z3: impossible even if adding a part twice did no harm",
    "search": "Z3: no choice of messages does it",
}


def text(answer: Answer, seconds: float) -> str:
    """Say what was proved, of which schedules, and what remains open; ends with a line end."""
    lines = [_headline(answer), ""]
    if answer.at_least:
        lines.append(f"  proved     no schedule takes {_fewer(answer.at_least)}")
        lines.append(f"             {HOW[answer.method]}")
    steps = count_text(answer.at_least, "step")
    if answer.checked:
        lines.append(f"  proved     {_table_takes(answer)}")
        lines.append(f"             `ringproof check --ports {answer.question.ports}`: {_checked(answer)}")
    else:
        lines.append(f"  undecided  {steps}: {answer.reason}")
    lines += [f"  = note: {line}" for line in (*scope(answer.question), _counted(answer))]
    if not answer.checked:
        lines.append(f"  = help: a smaller -N, fewer chunks, or more time than --timeout {seconds:g}")
    verdict = f"proved  {steps}" if answer.checked else f"undecided  at least {steps}"
    return "\n".join([*lines, "", verdict, ""])


def table(answer: Answer, seconds: float) -> str:
    """The table, below the report as a comment: the whole is a table that `check` reads."""
    comment = "".join(f"# {line}".rstrip() + "\n" for line in text(answer, seconds).splitlines())
    return f"{comment}\n{answer.table}"


def render_json(answer: Answer) -> str:
    """One JSON document; ``steps`` is null where the least number of steps is undecided."""
    asked = answer.question
    document = {
        "version": VERSION,
        "tool": "ringproof",
        "exit": int(answer.exit),
        "outcome": "proved" if answer.checked else "undecided",
        "question": {
            "collective": asked.collective, "ranks": asked.N, "chunks": asked.chunks,
            "ports": asked.ports, "message_chunks": asked.message, "root": asked.root,
            "command": command(asked),
        },
        "at_least": answer.at_least,
        "steps": answer.at_least if answer.checked else None,
        "method": answer.method or None,
        "how": HOW.get(answer.method),
        "closed_form": answer.closed_form,
        "local_steps": answer.local if answer.checked else None,
        "reason": answer.reason or None,
        "scope": list(scope(asked)),
        "checked": _checked(answer) if answer.checked else None,
        "table": answer.table or None,
    }  # fmt: skip
    return json.dumps(document, indent=2) + "\n"


def scope(asked: Question) -> tuple[str, ...]:
    """What the schedules are that none of does better."""
    partners = "1 other rank" if asked.ports == 1 else f"{asked.ports} other ranks"
    most = "any number of values" if asked.message is None else count_text(asked.message, "value")
    return (
        f"schedules: lock-step; in one step a rank sends to at most {partners} and receives from at most"
        f" {asked.ports}; a message carries {'' if asked.message is None else 'at most '}{most}",
        "a value has the size of one chunk: a rank's part of a chunk, or any sum of parts",
        "memory is unlimited and local work free: any scratch, any local moves; in a step messages move",
        "not considered: chunks cut smaller (ask for more chunks), subtracting, coding values into one",
    )


def _headline(answer: Answer) -> str:
    steps = answer.at_least
    if answer.checked:
        return f"{answer.question}: {count_text(steps, 'step')}, and no schedule takes fewer"
    known = f"at least {count_text(steps, 'step')}; " if steps else ""
    return f"{answer.question}: {known}{steps} not decided"


def _fewer(steps: int) -> str:
    return f"{count_text(steps - 1, 'step')}{' or fewer' if steps > 1 else ''}"


def _table_takes(answer: Answer) -> str:
    if not answer.at_least:
        return "everything is in place at the start"
    local = f" and {count_text(answer.local, 'step')} of local moves only" if answer.local else ""
    return f"the table found takes {count_text(answer.at_least, 'step')}{local}"


def _checked(answer: Answer) -> str:
    return outcome_text(answer.checked) if answer.checked else ""


def _counted(answer: Answer) -> str:
    """How the closed form compares; it is no part of the proof."""
    counted = count_text(answer.closed_form, "step")
    if answer.closed_form == answer.at_least:
        return f"counting alone (closed form) gives {counted} as well"
    if answer.closed_form < answer.at_least:
        return f"counting alone (closed form) gives only {counted}"
    return f"counting alone (closed form) gives at least {counted}; Z3 has not come so far"
