"""Bounds that whole numbers keep and fractions break: Gomory cuts from a row of the tableau.  Not trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from ringproof.proof.refute.problem import Form, Literal
from ringproof.proof.refute.simplex import Number, Simplex

LARGEST = 10**4  # coefficients beyond this are no help


@dataclass(frozen=True, slots=True)
class Cut:
    """`form <= bound`, or minus form for ``side`` 1, follows from ``premises``, each multiplied and
    added, where the opposite is multiplied by ``factor``."""

    form: Form
    side: int
    bound: int
    factor: int
    premises: tuple[Literal, ...]
    multipliers: tuple[int, ...]


def best_cut(simplex: Simplex, forms: Sequence[Form]) -> Cut | None:
    """The cut with the fewest premises, of all rows at a fraction."""
    best: Cut | None = None
    for form in simplex.rows:
        if isinstance(simplex.value[form], Fraction):
            for sign in (1, -1):
                found = _cut(simplex, forms, form, sign)
                if found and (best is None or len(found.premises) < len(best.premises)):
                    best = found
    return best


def _cut(simplex: Simplex, forms: Sequence[Form], form: int, sign: int) -> Cut | None:
    """The row times the sign, its whole part moved to the left, is at most what the bounds allow."""
    upper = simplex.trail.upper
    left: dict[int, int] = {form: sign}
    parts: list[tuple[Literal, Number]] = []
    for column, times in simplex.rows[form].items():
        factor = sign * times
        down = factor.numerator // factor.denominator
        if down == factor:
            left[column] = -down
            continue
        value = simplex.value[column]
        if value == upper[2 * column]:
            left[column] = -down
            parts.append(((2 * column, upper[2 * column]), factor - down))
        elif -value == upper[2 * column + 1]:
            left[column] = -down - 1
            parts.append(((2 * column + 1, upper[2 * column + 1]), down + 1 - factor))
        else:
            return None
    return _rounded(left, parts, forms)


def _rounded(
    left: dict[int, int], parts: list[tuple[Literal, Number]], forms: Sequence[Form]
) -> Cut | None:  # fmt: skip
    total: dict[int, int] = {}
    for column, factor in left.items():
        for variable, times in forms[column]:
            total[variable] = total.get(variable, 0) + factor * times
    terms = sorted([(variable, times) for variable, times in total.items() if times])
    if not terms or max([abs(times) for _, times in terms]) > LARGEST:
        return None
    side = int(terms[0][1] < 0)
    common = gcd(*[times for _, times in terms])
    divisor = -common if side else common
    limit = sum([bound * factor for (_, bound), factor in parts])
    bound = Fraction(limit) // common
    scale = lcm(*[factor.denominator for _, factor in parts])
    return Cut(
        tuple([(variable, times // divisor) for variable, times in terms]), side, int(bound), scale * common,
        tuple([literal for literal, _ in parts]), tuple([int(factor * scale) for _, factor in parts]),
    )  # fmt: skip
