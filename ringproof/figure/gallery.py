"""The committed figures: what each shows and how it is drawn, by one command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ringproof.figure.compare import compared
from ringproof.figure.layout import COLUMN, Layout, Wanted
from ringproof.figure.picture import Picture, picture
from ringproof.figure.prepare import proved, refuted


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One committed figure; ``how`` says whether it is proved, refuted or two tables side by side."""

    name: str
    tables: tuple[str, ...]
    N: int
    how: str = "proved"
    width: float = COLUMN["1col"]
    layout: Layout = "auto"
    params: tuple[tuple[str, int], ...] = ()


WIDE = COLUMN["2col"]
WRONG = "tests/wrong/ring_one_rotation_shifted.toml"
EXHIBITS = (
    Exhibit("ring4", ("schedules/ring.toml",), 4),
    Exhibit("ring8", ("schedules/ring.toml",), 8, width=WIDE),
    Exhibit("ring64", ("schedules/ring.toml",), 64, width=WIDE),
    Exhibit("compare", ("schedules/ring.toml", WRONG), 4, "compare", WIDE),
    Exhibit("halving_doubling8", ("schedules/halving_doubling.toml",), 8, width=WIDE),
    Exhibit("binomial_broadcast8", ("schedules/binomial_broadcast.toml",), 8),
    Exhibit("hierarchical2x4", ("schedules/hierarchical_ring.toml",), 8, width=WIDE, params=(("L", 4),)),
    Exhibit("wrong_rotation4", (WRONG,), 4, "refuted"),
    Exhibit("double_count6", ("tests/wrong/swing_six.toml",), 6, "refuted"),
)  # fmt: skip


def gallery(version: str) -> Iterator[tuple[str, Picture]]:
    """Every committed figure by name; errors: as `prepare`, when a table is not as it was."""
    for exhibit in EXHIBITS:
        yield exhibit.name, drawn(exhibit, version)


def drawn(exhibit: Exhibit, version: str) -> Picture:
    """One committed figure."""
    wanted = Wanted(exhibit.layout, exhibit.width)
    if exhibit.how == "compare":
        return compared([(path, exhibit.N, exhibit.params) for path in exhibit.tables], wanted, version)
    prepare = refuted if exhibit.how == "refuted" else proved
    found = prepare(exhibit.tables[0], exhibit.N, exhibit.params)
    return picture(found.story, wanted, found.texts, version, found.focus)
