"""Exact rational simplex over the bounds of a trail.  Not trusted.

A column stands for a form.  The rows of the tableau say what a form is in terms of others, and come
only when a form is bounded for the first time.  Numbers are ints wherever they are whole.
Source: Dutertre and de Moura, A fast linear-arithmetic solver for DPLL(T), 2006.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from ringproof.proof.refute.problem import Literal
from ringproof.proof.refute.trail import UNBOUNDED, Trail

Number = int | Fraction
Row = dict[int, Number]
Conflict = tuple[tuple[Literal, ...], tuple[int, ...]]  # bounds that cannot all hold, and their multipliers
Outside = tuple[int, int, int]  # a form, which of its bounds it breaks, and that bound
PATIENCE = 40  # turns before Bland's rule
LONGEST = 5000  # turns before it gives up, and no conflict is found


def whole(value: Number) -> Number:
    """The same number, as an int if it is one."""
    return value.numerator if value.denominator == 1 else value


class Simplex:
    """``value[f]``: where form f stands; ``rows[f]``: form f as a sum of others; ``users[f]``: the
    rows that f is in."""

    def __init__(self, trail: Trail) -> None:
        self.trail = trail
        self.head = 0  # events before this one are in force here
        self.value: list[Number] = []
        self.users: list[set[int]] = []
        self.rows: dict[int, Row] = {}
        self.sums: dict[int, Row] = {}  # forms that are not variables, over the forms that are

    def add_form(self, sums: Row) -> None:
        """A form more; ``sums`` over earlier forms, empty for a variable."""
        if sums:
            self.sums[len(self.value)] = sums
        self.value.append(0)
        self.users.append(set())

    def present(self, form: int) -> Number:
        """The value of a form, bounded or not."""
        sums = self.sums.get(form)
        if sums is None:
            return self.value[form]
        return whole(sum([factor * self.value[column] for column, factor in sums.items()]))

    def check(self) -> Conflict | None:
        """Values within all bounds, or bounds that contradict each other."""
        self._take_bounds()
        for turn in range(LONGEST):
            bad = self._outside(turn)
            if bad is None:
                return None
            form, side, goal = bad
            entering = self._entering(form, side, turn)
            if entering is None:
                return self._conflict(form, side)
            self._move(form, entering, goal)
        return None

    def _take_bounds(self) -> None:
        trail, upper = self.trail, self.trail.upper
        for event in range(self.head, len(trail.key)):
            form = trail.key[event] >> 1
            if form in self.sums:
                self._add_row(form)
            if form in self.rows:
                continue
            value = self.value[form]
            if value > upper[2 * form]:
                self._shift(form, upper[2 * form] - value)
            elif -value > upper[2 * form + 1]:
                self._shift(form, -upper[2 * form + 1] - value)
        self.head = len(trail.key)

    def _add_row(self, form: int) -> None:
        row: Row = {}
        value: Number = 0
        for column, factor in self.sums.pop(form).items():
            value += factor * self.value[column]
            for other, times in self.rows.get(column, {column: 1}).items():
                row[other] = row.get(other, 0) + factor * times
        self.rows[form] = {column: whole(factor) for column, factor in row.items() if factor}
        self.value[form] = whole(value)
        for column in self.rows[form]:
            self.users[column].add(form)

    def _shift(self, form: int, step: Number) -> None:
        value = self.value
        value[form] = whole(value[form] + step)
        for user in self.users[form]:
            value[user] = whole(value[user] + self.rows[user][form] * step)

    def _outside(self, turn: int) -> Outside | None:
        """A row whose value is out of bounds: the form, which bound, and the bound."""
        upper, value = self.trail.upper, self.value
        best = None
        for form in self.rows:
            now = value[form]
            if now > upper[2 * form]:
                found = (form, 0, upper[2 * form])
            elif -now > upper[2 * form + 1]:
                found = (form, 1, -upper[2 * form + 1])
            else:
                continue
            if best is None or self._prefers(found, best, turn):
                best = found
        return best

    def _prefers(self, one: Outside, other: Outside, turn: int) -> bool:
        if turn > PATIENCE:
            return one[0] < other[0]
        return len(self.rows[one[0]]) < len(self.rows[other[0]])

    def _entering(self, form: int, side: int, turn: int) -> int | None:
        """A column that can move the form back into its bound."""
        upper, value, users = self.trail.upper, self.value, self.users
        best, least = None, (0, 0, 0)
        for column, factor in self.rows[form].items():
            falls = (factor > 0) == (side == 0)  # the column must fall
            if falls:
                if -value[column] >= upper[2 * column + 1]:
                    continue
            elif value[column] >= upper[2 * column]:
                continue
            if turn > PATIENCE:
                rank = (0, 0, column)
            else:
                bounds = (upper[2 * column] != UNBOUNDED) + (upper[2 * column + 1] != UNBOUNDED)
                rank = (bounds, len(users[column]), column)
            if best is None or rank < least:
                best, least = column, rank
        return best

    def _conflict(self, form: int, side: int) -> Conflict:
        """The bounds that hold the form where it is, and the one that it breaks."""
        upper = self.trail.upper
        row = self.rows[form]
        scale = lcm(*[factor.denominator for factor in row.values()])
        literals, multipliers = [(2 * form + side, upper[2 * form + side])], [scale]
        for column, factor in row.items():
            key = 2 * column + ((factor > 0) == (side == 0))
            literals.append((key, upper[key]))
            times = factor if factor > 0 else -factor
            multipliers.append(times.numerator * (scale // times.denominator))
        return tuple(literals), tuple(multipliers)

    def _move(self, form: int, column: int, goal: Number) -> None:
        """The form goes to its bound, moved by a column; they change places."""
        rows, value = self.rows, self.value
        step = whole(Fraction(goal - value[form]) / rows[form][column])
        self._shift(column, step)
        value[form] = goal
        self._pivot(form, column)

    def _pivot(self, form: int, column: int) -> None:
        rows, users = self.rows, self.users
        row = rows.pop(form)
        factor = row.pop(column)
        for other in row:
            users[other].discard(form)
        solved = _solved(row, factor)
        solved[form] = whole(Fraction(1) / factor) if abs(factor) != 1 else factor
        users[column].discard(form)
        for user in users[column]:
            self._substitute(user, column, solved)
        users[column] = set()
        for other in solved:
            users[other].add(column)
        rows[column] = solved

    def _substitute(self, user: int, column: int, solved: Row) -> None:
        row, users = self.rows[user], self.users
        times = row.pop(column)
        for other, factor in solved.items():
            old = row.get(other)
            if old is None:
                row[other] = whole(times * factor)
                users[other].add(user)
            elif total := old + times * factor:
                row[other] = whole(total)
            else:
                del row[other]
                users[other].discard(user)


def _solved(row: Row, factor: Number) -> Row:
    """`form = row + factor * column`, solved for the column, without the form."""
    if factor == 1:
        return {other: -times for other, times in row.items()}
    if factor == -1:
        return row
    return {other: whole(Fraction(-times) / factor) for other, times in row.items()}
