"""Small pieces of English about contributions, ranks and sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ringproof.diagnose.lineage import Contents, Moment
from ringproof.verdict import Size
from ringproof.wording import join_text, sizes_text

_FEW = 8


def part(key: tuple[int, int], chunk: int) -> str:
    """``x2`` is rank 2's part of the chunk spoken of, ``x2[5]`` its part of chunk 5."""
    return f"x{key[0]}" if key[1] == chunk else f"x{key[0]}[{key[1]}]"


def compared(expected: Contents, got: Contents, chunk: int) -> list[str]:
    """Expected and got as two lines with equal parts below each other, and what differs."""
    keys = sorted({*expected, *got})
    if len(keys) > 2 * _FEW:
        return [
            f"  expected  {len(expected)} parts",
            f"  got       {sum(got.values())} parts   ({difference(expected, got, chunk)})",
        ]

    def line(contents: Contents) -> str:
        cells = []
        for key in keys:
            times = contents[key]
            name = part(key, chunk)
            text = name if times == 1 else f"{times}*{name}" if times else ""
            most = max(expected[key], got[key])
            cells.append(text.rjust(len(name) + (len(str(most)) + 1 if most > 1 else 0)))
        joined = _joined(cells)
        return joined if joined.strip() else "nothing".ljust(len(joined))

    return [
        f"  expected  {line(expected)}",
        f"  got       {line(got)}   ({difference(expected, got, chunk)})",
    ]


def _joined(cells: list[str]) -> str:
    """Cells in columns, with a plus before each that is not the first one filled."""
    text = ""
    for i, cell in enumerate(cells):
        plus = any(c.strip() for c in cells[:i]) and cell.strip()
        text += ("" if not i else " + " if plus else "   ") + cell
    return text


def difference(expected: Contents, got: Contents, chunk: int) -> str:
    """What is missing, counted too often or foreign, by name."""
    missing = [k for k in sorted(expected) if not got[k]]
    double = [k for k in sorted(got) if expected[k] and got[k] > expected[k]]
    foreign = [k for k in sorted(got) if not expected[k]]
    said = []
    if missing:
        said.append(f"{_whose(missing, chunk)} missing")
    if double:
        times = sorted({got[k] for k in double})
        often = "twice" if times == [2] else f"{times[-1]} times"
        said.append(f"{_whose(double, chunk)} counted {often}")
    if foreign:
        names = few([part(k, chunk) for k in foreign])
        said.append(f"{names} {'does' if len(foreign) == 1 else 'do'} not belong here")
    return "; ".join(said)


def _whose(keys: Sequence[tuple[int, int]], chunk: int) -> str:
    if all(c == chunk for _, c in keys):
        ranks = few([str(k) for k, _ in keys])
        return f"rank {ranks} is" if len(keys) == 1 else f"ranks {ranks} are"
    names = few([part(k, chunk) for k in keys])
    return f"{names} is" if len(keys) == 1 else f"{names} are"


def few(words: Sequence[str]) -> str:
    """At most eight words, then how many more."""
    if len(words) <= _FEW:
        return join_text(list(words))
    return f"{', '.join(words[: _FEW - 1])} and {len(words) - _FEW + 1} more"


def sum_text(contents: Contents, chunk: int) -> str:
    """A multiset as a sum: ``x0 + x1 + 2*x2``."""
    if not contents:
        return "unset"
    names = []
    for key, times in sorted(contents.items()):
        names.append(part(key, chunk) if times == 1 else f"{times}*{part(key, chunk)}")
    if len(names) <= 2 * _FEW:
        return " + ".join(names)
    return f"{' + '.join(names[:_FEW])} + ... ({len(names)} parts)"


def for_how_many(refuted: Sequence[Size], asked: int) -> str:
    """``for 62 of 63 rank counts; smallest N = 3``."""
    noun = "sizes" if refuted[0].params else "rank counts"
    if asked == 1:
        return f"for {refuted[0]}"
    many = f"all {asked}" if len(refuted) == asked else f"{len(refuted)} of {asked}"
    return f"for {many} {noun}; smallest {refuted[0]}"


def holds_where(proved: Sequence[Size], refuted: Sequence[Size]) -> str:
    """For which sizes a property holds and for which not."""
    if not proved:
        return f"refuted for {sizes_text(list(refuted))}"
    return f"proved for {sizes_text(list(proved))}; refuted for {sizes_text(list(refuted))}"


def slot_text(slot: int, chunks: int) -> str:
    """``chunk 3``, or ``scratch slot 1`` beyond the chunks."""
    return f"chunk {slot}" if slot < chunks else f"scratch slot {slot - chunks}"


def send_text(m: Moment, chunks: int) -> str:
    """One send in words."""
    what = slot_text(m.chunk, chunks)
    where = "" if m.into == m.chunk else f" into {slot_text(m.into, chunks)}"
    if m.sender == m.receiver:
        verb = "adds" if m.reduce else "moves"
        return f"rank {m.sender} {verb} {what}{where} locally in step {m.step}"
    return f"rank {m.sender} sends {what} to rank {m.receiver}{where} in step {m.step}"


def numbers(values: Iterable[int]) -> str:
    """A few numbers as a list."""
    return few([str(v) for v in values])
