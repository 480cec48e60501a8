"""The committed figures: what each shows and how it is drawn, by one command; and the cost chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ringproof.figure import chart, render
from ringproof.figure.compare import compared
from ringproof.figure.layout import COLUMN, Layout, Wanted
from ringproof.figure.picture import Picture, picture
from ringproof.figure.prepare import CannotDrawError, proved, refuted
from ringproof.figure.targets import document


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


WIDE, COST = COLUMN["2col"], "cost"
WRONG = "tests/wrong/ring_one_rotation_shifted.toml"
EXHIBITS = (
    Exhibit("ring4", ("schedules/ring.toml",), 4),
    Exhibit("ring8", ("schedules/ring.toml",), 8, width=WIDE),
    Exhibit("ring64", ("schedules/ring.toml",), 64, width=WIDE),
    Exhibit("compare", ("schedules/ring.toml", WRONG), 4, "compare", WIDE),
    Exhibit("halving_doubling8", ("schedules/halving_doubling.toml",), 8, width=WIDE),
    Exhibit("binomial8", ("schedules/binomial_all_reduce.toml",), 8),
    Exhibit("double_binary_tree8", ("schedules/double_binary_tree_all_reduce.toml",), 8),
    Exhibit("binomial_broadcast8", ("schedules/binomial_broadcast.toml",), 8),
    Exhibit("hierarchical2x4", ("schedules/hierarchical_ring.toml",), 8, width=WIDE, params=(("L", 4),)),
    Exhibit("wrong_rotation4", (WRONG,), 4, "refuted"),
    Exhibit("double_count6", ("tests/wrong/swing_six.toml",), 6, "refuted"),
)  # fmt: skip


def gallery(names: Sequence[str], version: str) -> Iterator[tuple[str, bytes, str]]:
    """File, bytes and what it shows, of every committed figure or of those named.

    Errors: as `prepare`, when a table is not as it was; `CannotDrawError` for a name that no figure has.
    """
    known = [*(exhibit.name for exhibit in EXHIBITS), COST]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise CannotDrawError(f"no figure is called {unknown[0]}; there are {', '.join(known)}")
    wanted = names or known
    if COST in wanted and not chart.possible():
        raise CannotDrawError("the cost chart needs matplotlib: pip install 'ringproof[charts]'")
    for exhibit in EXHIBITS:
        if exhibit.name in wanted:
            found = drawn(exhibit, version)
            yield f"{exhibit.name}.svg", render.svg(found.scene), f"{found.scene.title}, {found.layout}"
            yield f"{exhibit.name}.dot", document(found.scene).encode("utf-8"), "the same, for Graphviz"
    if COST in wanted:
        tables = sorted(str(path) for path in Path("schedules").glob("*.toml"))
        made = chart.svg(chart.curves(tables), chart.least("schedules/ring.toml"), version)
        yield f"{COST}.svg", made, "what every all-reduce table costs, against N"


def drawn(exhibit: Exhibit, version: str) -> Picture:
    """One committed figure."""
    wanted = Wanted(exhibit.layout, exhibit.width)
    if exhibit.how == "compare":
        return compared([(path, exhibit.N, exhibit.params) for path in exhibit.tables], wanted, version)
    prepare = refuted if exhibit.how == "refuted" else proved
    found = prepare(exhibit.tables[0], exhibit.N, exhibit.params)
    return picture(found.story, wanted, found.texts, version, found.focus)
