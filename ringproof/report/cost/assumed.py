"""What a predicted time assumes, in words."""

from __future__ import annotations

from ringproof.cost.units import duration_text, rate_text, size_text
from ringproof.cost.values import Machine, Survey
from ringproof.wording import count_text


def model_text(survey: Survey) -> list[str]:
    """Say which machine the times are for, and how they are worked out; nothing without times."""
    machine = survey.machine
    if machine is None:
        return []
    for_size = "" if survey.size is None else f"time for a buffer (D) of {size_text(survey.size)}: "
    return [f"{for_size}a step takes {_step(machine)}; {_numbers(machine)}"]


def _step(machine: Machine) -> str:
    start = "alpha"
    if machine.ports is not None:
        most = "partner" if machine.ports == 1 else f"{machine.ports} partners"
        start = f"alpha for each {most} of the rank with the most"
    parts = [start, "the most bytes that a rank sends or receives / beta"]
    if machine.gamma is None:
        return f"{' + '.join(parts)}, adding is free"
    return " + ".join([*parts, "the most bytes that a rank adds / gamma"])


def _numbers(machine: Machine) -> str:
    given = [f"alpha {duration_text(machine.alpha)}", f"beta {rate_text(machine.beta)}"]
    if machine.gamma is not None:
        given.append(f"gamma {rate_text(machine.gamma)}")
    if machine.ports is not None:
        given.append(count_text(machine.ports, "port"))
    return ", ".join(given)
