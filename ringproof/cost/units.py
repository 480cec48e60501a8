"""Numbers with units, read strictly and exactly: ``64MiB``, ``5us``, ``25GB/s``, ``200Gbit/s``.

A size is a whole number of bytes (a number alone is bytes too), a duration is in seconds, a rate in
bytes a second.  What is written back reads back as the very same value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from ringproof.wording import join_text

_THOUSANDS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
SIZES: Mapping[str, Fraction] = {
    **{f"{prefix}B": Fraction(factor) for prefix, factor in _THOUSANDS.items()},
    **{f"{prefix}iB": Fraction(1024**power) for power, prefix in enumerate("KMGT", 1)},
}
DURATIONS: Mapping[str, Fraction] = {
    "s": Fraction(1), "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9),
}  # fmt: skip
RATES: Mapping[str, Fraction] = {
    **{f"{unit}/s": factor for unit, factor in SIZES.items()},
    **{f"{prefix}bit/s": Fraction(factor, 8) for prefix, factor in _THOUSANDS.items()},
}
MOST = Fraction(2**60)
_WRITTEN = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?)\s*(.*)", re.DOTALL)
_MOST_DIGITS = 9


class UnitError(ValueError):
    """A text that is no such number; the message says what is wrong and what would be right."""


def size(text: str) -> int:
    """Read a number of bytes, at least 1."""
    value = _read(text, "a size such as 64MiB", {"": Fraction(1), **SIZES})
    if value.denominator != 1:
        raise UnitError(f"{text!r} is {_rounded(value)} bytes; a size is a whole number of bytes")
    _check(text, value, least=Fraction(1))
    return int(value)


def size_range(text: str) -> tuple[int, int]:
    """Read two sizes, the first below the last: ``1KiB..1GiB``."""
    first, dots, last = text.partition("..")
    if not dots:
        raise UnitError(f"{text!r} is not a range of sizes such as 1KiB..1GiB")
    ends = size(first), size(last)
    if ends[0] >= ends[1]:
        raise UnitError(f"{text!r} is an empty range of sizes")
    return ends


def duration(text: str) -> Fraction:
    """Read a duration in seconds; 0s is one."""
    value = _read(text, "a duration such as 5us", DURATIONS)
    _check(text, value, least=Fraction(0))
    return value


def rate(text: str) -> Fraction:
    """Read bytes a second, more than 0."""
    value = _read(text, "a rate such as 25GB/s", RATES)
    if not value:
        raise UnitError(f"{text!r}: nothing would ever move")
    _check(text, value, least=Fraction(0))
    return value


def _read(text: str, what: str, units: Mapping[str, Fraction]) -> Fraction:
    """The exact value of a text; ``units`` are those allowed, "" for a number alone."""
    found = _WRITTEN.fullmatch(text.strip()) if text.isprintable() else None
    if found is None:
        raise UnitError(f"{text!r} is not {what}")
    number, unit = found[1], re.sub("[µμ]s$", "us", found[2].strip())
    if unit in units:
        return Fraction(number) * units[unit]
    named = [u for u in units if u]
    if not unit:
        raise UnitError(f"{text!r} has no unit; write {what} (units: {', '.join(named)})")
    near = [u for u in named if _bare(u).startswith(_bare(unit))]
    near = [u for u in near if _bare(u) == _bare(unit)] or near
    hint = f"; did you mean {join_text(near, 'or')}?" if near else ""
    raise UnitError(f"unknown unit {unit!r} in {text!r}{hint} (units: {', '.join(named)})")


def _bare(unit: str) -> str:
    """A unit without what people mix up: case, KiB and kB, bit and b, /s and ps."""
    return unit.lower().replace("bit", "b").replace("ib", "b").replace("ps", "/s").replace("sec", "s")


def _check(text: str, value: Fraction, least: Fraction) -> None:
    if not least <= value <= MOST:
        raise UnitError(f"{text!r} is too {'small' if value < least else 'large'}")


# ---- writing ------------------------------------------------------------------------------------


def size_text(value: int) -> str:
    """Write a number of bytes exactly: ``64 MiB``."""
    return _shortest(Fraction(value), SIZES)


def duration_text(value: Fraction) -> str:
    """Write a duration that was read, exactly: ``5 us``."""
    return _shortest(value, DURATIONS)


def rate_text(value: Fraction) -> str:
    """Write a rate that was read, exactly: ``25 GB/s``."""
    return _shortest(value, RATES)


def _shortest(value: Fraction, units: Mapping[str, Fraction]) -> str:
    """The shortest exact writing; of equally short ones that of the first unit."""
    written = ((_decimal(value / factor), unit) for unit, factor in units.items())
    number, unit = min((w for w in written if w[0]), key=lambda w: len(w[0]))
    return f"{number} {unit}"


def _decimal(value: Fraction) -> str:
    """A fraction as a decimal number, exact; nothing where it never ends."""
    digits, rest = 0, value.denominator
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        digits = max(digits, power)
    if rest != 1:
        return ""
    whole = str(int(value * 10**digits))
    zeros = len(whole) - len(whole.rstrip("0")) if not digits else 0
    if value and max(digits, zeros) > _MOST_DIGITS:
        return f"{whole[: len(whole) - zeros]}e{zeros - digits}"
    if not digits:
        return whole
    whole = whole.rjust(digits + 1, "0")
    return f"{whole[:-digits]}.{whole[-digits:]}"


def _rounded(value: Fraction) -> str:
    return f"{float(value):.6g}"
