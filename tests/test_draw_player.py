"""`ringproof draw -o x.html`: what the page says, and what it does in a real browser."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ringproof.cli import main
from ringproof.events import expand
from ringproof.figure import palette
from ringproof.figure.facts import SEAL, sealed
from ringproof.figure.player import style, words
from ringproof.figure.player.model import model
from ringproof.figure.story import NotPlayableError, Story, tell
from ringproof.simulate import simulate
from ringproof.table.reader import read_schedule
from ringproof.table.source import read
from ringproof.verdict import Exit
from tests.conftest import HOME

if TYPE_CHECKING:
    from tests.browser import Page

RING = "schedules/ring.toml"
WRONG = "tests/wrong/ring_one_rotation_shifted.toml"
LIBRARY = sorted((HOME / "schedules").glob("*.toml"))


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOME)


def draw(*arguments: object) -> int:
    return int(main(["draw", *map(str, arguments)]))


def block(text: str, name: str) -> Any:
    """The JSON of one data block of a page."""
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', text)
    assert found
    return json.loads(found[1])


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Pages by table and size, each drawn once."""
    made: dict[tuple[object, ...], Path] = {}

    def page(*arguments: object) -> Path:
        if arguments not in made:
            path = tmp_path_factory.mktemp("page") / "page.html"
            assert draw(*arguments, "-o", path) == Exit.PROVED
            made[arguments] = path
        return made[arguments]

    return page


# ---- what the file says --------------------------------------------------------------------------


def test_the_same_bytes_on_every_run(tmp_path: Path) -> None:
    for name in "ab":
        assert draw(RING, "-N", 8, "-o", tmp_path / f"{name}.html") == Exit.PROVED
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_page_carries_what_a_picture_carries(tmp_path: Path) -> None:
    assert draw(RING, "-N", 4, "-o", tmp_path / "x.html", "-o", tmp_path / "x.svg") == Exit.PROVED
    page = block((tmp_path / "x.html").read_text(), "metadata")
    svg = re.search(r"<metadata>(.*?)</metadata>", (tmp_path / "x.svg").read_text())
    assert svg
    picture = json.loads(html.unescape(svg[1]))
    assert page.keys() == picture.keys()
    differ = {key for key in page if page[key] != picture[key]}
    assert differ == {"layout", "facts", "ink", SEAL}
    assert page["schedule"] == hashlib.sha256((HOME / RING).read_bytes()).hexdigest()
    assert sealed(page) == page
    assert str(HOME) not in (tmp_path / "x.html").read_text()


class Tags(HTMLParser):
    """Every tag of a page with its attributes, and whatever is written inside a noscript."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.quiet, self._inside = "", False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = self._inside or tag == "noscript"

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "noscript"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.quiet += data


def policy(text: str) -> dict[str, list[str]]:
    """The page's security policy: directive -> its sources."""
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert found
    return {words[0]: words[1:] for part in found[1].split(";") if (words := part.split())}


@pytest.mark.parametrize(
    "arguments", [(RING, "-N", 8), (WRONG, "-N", 4, "--counterexample")], ids=["proved", "refuted"]
)
def test_a_page_is_one_file_that_forbids_the_rest(
    pages: Callable[..., Path], arguments: tuple[object, ...]
) -> None:
    text = pages(*arguments).read_text()
    found = policy(text)
    assert found["default-src"] == ["'none'"]
    assert set(found) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    for kind, pattern in (("style-src", r"<style>(.*?)</style>"), ("script-src", r"<script>(.*?)</script>")):
        inside = re.findall(pattern, text, re.DOTALL)
        assert len(inside) == 1
        digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        assert found[kind] == [f"'sha256-{digest}'"]
    for tag, attributes in Tags(text).tags:
        assert tag not in ("link", "img", "iframe", "object", "base"), tag
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in ("style", "src"), (tag, name)
            assert name != "href" or str(value).startswith("#"), value
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|url\(|@import", text)


def test_what_is_there_without_scripts(pages: Callable[..., Path]) -> None:
    text = pages(RING, "-N", 4).read_text()
    assert "Scripts are off" in Tags(text).quiet
    rows = re.findall(r'<tr id="step(\d+)">.*?<td>([^<]*)</td></tr>', text)
    assert [int(step) for step, _ in rows] == list(range(7))
    assert rows[0][1] == "0 to 1: c3 added; 1 to 2: c0 added; 2 to 3: c1 added; 3 to 0: c2 added"
    assert rows[5][1] == "0 to 1: c2 copied; 1 to 2: c3 copied; 2 to 3: c0 copied; 3 to 0: c1 copied"
    cells = re.findall(r'<td class="cell k(\d) whole" id="r(\d)s(\d)"><b>c(\d)</b>', text)
    assert len(cells) == 16
    assert all(color == slot == label for color, _, slot, label in cells)
    assert "All 16 promised slots hold exactly what all-reduce promises." in text


def test_headings_are_headings(pages: Callable[..., Path]) -> None:
    levels = [tag for tag, _ in Tags(pages(RING, "-N", 8).read_text()).tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == "h1"
    assert levels.count("h1") == 1
    assert set(levels[1:]) == {"h2"}


@pytest.mark.parametrize("N", [17, 64])
def test_more_ranks_than_a_page_shows(N: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(RING, "-N", N, "-o", tmp_path / "x.html") == Exit.CANNOT_CHECK
    assert f"at most 16 ranks, not {N}" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_sixteen_ranks_can_be_shown(pages: Callable[..., Path]) -> None:
    data = block(pages(RING, "-N", 16).read_text(), "data")
    assert (data["N"], data["steps"], sum(map(len, data["sends"]))) == (16, 30, 480)


def test_more_slots_than_a_page_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "wide.toml"
    table.write_text(
        'name = "wide"\ncollective = "broadcast"\nranks = "2"\nchunks = "65"\n'
        '[[phase]]\nname = "p"\nsteps = "1"\n'
        '[[phase.send]]\nfor = { j = "0..64" }\nwhen = "r == 0"\nto = "1"\nchunk = "j"\nop = "copy"\n'
    )
    assert draw(table, "-N", 2, "-o", tmp_path / "x.html") == Exit.CANNOT_CHECK
    assert "at most 64 slots a rank, not 65" in capsys.readouterr().err


def test_a_refuted_table_is_not_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(WRONG, "-N", 4, "-o", tmp_path / "x.html") == Exit.REFUTED
    printed = capsys.readouterr()
    assert "RP301" in printed.out
    assert "nothing is drawn" in printed.err
    assert list(tmp_path.iterdir()) == []


def test_a_proved_table_has_no_counterexample_to_play(tmp_path: Path) -> None:
    assert draw(RING, "-N", 4, "--counterexample", "-o", tmp_path / "x.html") == Exit.CANNOT_CHECK
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["html", "gif"])
def test_two_tables_are_a_still_picture(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert draw(RING, WRONG, "-N", 4, "--compare", "-o", tmp_path / f"x.{suffix}") == Exit.CANNOT_CHECK
    assert f"a still picture: an .svg, not .{suffix}" in capsys.readouterr().err


def test_a_page_can_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(RING, "-N", 3, "--format", "html") == Exit.PROVED
    assert capsys.readouterr().out.startswith("<!DOCTYPE html>")


def test_a_name_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    table = tmp_path / "odd.toml"
    odd = "</title></script><script>alert(1)</script>&amp;"
    text = (HOME / RING).read_text().replace('"ring all-reduce"', json.dumps(odd))
    table.write_text(text.replace('"all-gather"', json.dumps(odd)))
    assert draw(table, "-N", 3, "-o", tmp_path / "x.html") == Exit.PROVED
    text = (tmp_path / "x.html").read_text()
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert block(text, "metadata")["table"] == odd


@pytest.mark.parametrize("path", sorted((HOME / "tests" / "wrong").glob("*.toml")), ids=lambda p: p.stem)
def test_every_known_mistake_can_be_played(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = draw(path.relative_to(HOME), "--counterexample", "-o", tmp_path / "x.html")
    if code != Exit.PROVED:
        assert re.search(r"at most 16 ranks|at most 64 slots", capsys.readouterr().err)
        return
    text = (tmp_path / "x.html").read_text()
    assert block(text, "metadata")["verdict"] == "refuted"
    assert block(text, "data")["focus"]["sentences"]


# ---- the story in the page is the story that was executed -----------------------------------------


def story_of(path: Path, most: int = 8) -> Story:
    """The story of a table at its largest size up to ``most``."""
    schedule = read_schedule(read(str(path)).values, str(path))
    low, high = schedule.ranks
    for N in range(min(high, most), low - 1, -1):
        for size in schedule.at(N):
            return tell(schedule, simulate(expand(schedule, size)))
    pytest.skip(f"it claims nothing up to {most} ranks")


@pytest.mark.parametrize("path", LIBRARY, ids=lambda p: p.stem)
def test_the_page_holds_what_was_executed(path: Path) -> None:
    story = story_of(path)
    data = json.loads(json.dumps(model(story, None)))
    state = list(data["start"])
    for step in range(story.steps + 1):
        for rank in range(story.ranks):
            for slot in range(story.slots):
                content = story.content((step, rank, slot))
                counts, color, label, whole, _ = data["contents"][state[rank * story.slots + slot]]
                assert (tuple(counts), label, bool(whole)) == (content.counts, content.chunk, content.whole)
                assert color == content.chunk % len(palette.CHUNKS)
        for send in data["sends"][step] if step < story.steps else ():
            state[send[2] * story.slots + send[3]] = send[6]
    assert sum(map(len, data["sends"])) == len(story.outcome.events.step)
    assert len(data["said"]) == story.steps + 1
    assert data["said"][-1].startswith(("All ", "The one "))


def test_a_story_beyond_the_limit_is_refused() -> None:
    with pytest.raises(NotPlayableError, match="at most 16 ranks, not 17"):
        model(story_of(HOME / RING, 17), None)


@pytest.mark.parametrize(
    ("table", "step", "told"),
    [
        ("ring", 0, "Every rank sends 1 message of 1 chunk; receivers add."),
        ("halving_doubling", 0, "Every rank sends 1 message of 4 chunks; receivers add."),
        ("binomial_broadcast", 0, "Rank 0 sends 1 message of 1 chunk; receivers overwrite."),
        ("binomial_broadcast", 1, "2 ranks send 1 message of 1 chunk each; receivers overwrite."),
        ("naive", 0, "Every rank sends 7 messages of 1 chunk; receivers add."),
    ],
)
def test_a_step_in_one_sentence(table: str, step: int, told: str) -> None:
    assert words.moving(story_of(HOME / "schedules" / f"{table}.toml"), step) == told


def test_local_moves_are_no_messages() -> None:
    story = story_of(HOME / "schedules" / "pairwise_all_to_all.toml", 4)
    said = [words.moving(story, step) for step in range(story.steps)]
    assert any("moved within a rank, without a message" in sentence for sentence in said)


def test_colours_can_be_seen_on_both_pages() -> None:
    for color in (*palette.CHUNKS, palette.HISTORY, palette.VIOLATION):
        lifted = style.lifted(color)
        assert palette.contrast(lifted, style.DARK_CELL) >= 4.5
        assert palette.contrast(palette.ink_on(lifted), lifted) >= 4.5
        assert palette.contrast(palette.ink_on(color), color) >= 4.5
    lifted_all = {style.lifted(color) for color in palette.CHUNKS}
    assert len(lifted_all) == len(palette.CHUNKS)
    assert palette.contrast(palette.CHUNKS[3], style.DARK_CELL) < 3  # so lifting is needed


# ---- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    pytest.importorskip("websocket", reason="websocket-client is not installed")
    from tests.browser import CHROMIUM, browser

    if CHROMIUM is None:
        pytest.skip("no Chromium on this system: apt-get install chromium")
    with browser() as page:
        yield page


@pytest.fixture
def still(tab: Page) -> Page:
    """The browser with a light page, motion off and a quiet log."""
    tab.scripts("on")
    tab.size(1280)
    tab.media(prefers_color_scheme="light", prefers_reduced_motion="reduce")
    tab.log.clear()
    return tab


def step(page: Page) -> int:
    """Which step is shown: the slider, the heading and the table of steps must agree."""
    shown = int(page.run("document.getElementById('slider').value"))
    heading = page.run("document.getElementById('when').textContent")
    last = int(page.run("document.getElementById('slider').max"))
    assert heading.startswith("The end" if shown == last else f"Step {shown}"), heading
    assert page.run("document.querySelector('tr[aria-current=step]').id") == f"step{shown}"
    return shown


def labels(page: Page) -> list[str]:
    """What is said of every cell, in order."""
    found: list[str] = page.run("[...document.querySelectorAll('#grid .cell .vh')].map(e => e.textContent)")
    return found


def test_keys_go_through_the_steps(still: Page, pages: Callable[..., Path]) -> None:
    still.open(pages(RING, "-N", 8).as_uri())
    assert step(still) == 0
    for key, expected in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 14),
                          ("ArrowRight", 14), ("ArrowLeft", 13), ("Home", 0), ("ArrowLeft", 0),
                          ("PageDown", 1)):  # fmt: skip
        still.key(key)
        assert step(still) == expected, key


def test_the_slider_scrubs(still: Page, pages: Callable[..., Path]) -> None:
    still.open(pages(RING, "-N", 8).as_uri())
    box = still.run("(() => { const b = document.getElementById('slider').getBoundingClientRect();"
                    " return [b.left, b.top, b.width, b.height]; })()")  # fmt: skip
    left, top, width, height = box
    still.click(left + width / 2, top + height / 2)
    assert step(still) == 7
    still.click(left + width - 3, top + height / 2)
    assert step(still) == 14
    assert (
        still.run("document.getElementById('slider').getAttribute('aria-valuetext')")
        == "The end, after 14 steps"
    )
    still.key("ArrowLeft")
    assert step(still) == 13


def test_what_a_step_shows_is_what_was_executed(still: Page, pages: Callable[..., Path]) -> None:
    story = story_of(HOME / RING)
    still.open(pages(RING, "-N", 8).as_uri())
    for t in (0, 5, 14):
        still.run(f"location.hash = '#t={t}'")
        still.until(f"document.getElementById('slider').value === '{t}'")
        found = still.run("[...document.querySelectorAll('#grid .cell')].map(e => [e.id,"
                          " e.querySelector('.in').getAttribute('d'),"
                          " e.classList.contains('whole')])")  # fmt: skip
        assert len(found) == 64
        for name, drawn, whole in found:
            rank, slot = map(int, re.fullmatch(r"r(\d+)s(\d+)", name).groups())  # type: ignore[union-attr]
            content = story.content((t, rank, slot))
            assert [int(r) for r in re.findall(r"M(\d+) 0", drawn)] == [
                r for r in range(8) if content.counts[r]
            ]
            assert whole == content.whole
        sends = still.run(
            "[...document.querySelectorAll('#sends tbody tr')].map(e => [...e.cells].map(c => c.textContent))"
        )
        here = [s for s in story.sends if s.step == t]
        assert [row[:3] for row in sends] == [[str(s.sender), str(s.receiver), f"c{s.chunk}"] for s in here]
        assert still.run("document.querySelectorAll('#arrows .send').length") == len(here)


def test_every_arrow_ends_at_its_receiver(still: Page, pages: Callable[..., Path]) -> None:
    """The ring: each stroke begins at its sender's cell, and the seam meets at one x."""
    story = story_of(HOME / RING)
    still.open(pages(RING, "-N", 8).as_uri() + "#t=3")
    heads = still.run(
        "(() => { const base = document.getElementById('board').getBoundingClientRect();"
        " const boxes = Object.fromEntries([...document.querySelectorAll('.cell')].map(e => { const b ="
        " e.getBoundingClientRect(); return [e.id, [b.left - base.left, b.top - base.top,"
        " b.right - base.left, b.bottom - base.top]]; }));"
        " return [boxes, [...document.querySelectorAll('#arrows .send')].map(g => [Number(g.dataset.send),"
        " g.querySelector('.head').getAttribute('d').match(/-?[\\d.]+/g).map(Number),"
        " g.querySelector('.line').getAttribute('d')])]; })()"
    )
    boxes, drawn = heads
    here = [s for s in story.sends if s.step == 3]
    assert len(drawn) == 8
    for number, head, line in drawn:
        send = here[number]
        left, top, right, _ = boxes[f"r{send.receiver}s{send.into}"]
        assert left < head[0] < right
        assert abs(head[1] - top) <= 2
        start = [float(n) for n in re.findall(r"-?[\d.]+", line)[:2]]
        left, _, right, bottom = boxes[f"r{send.sender}s{send.chunk}"]
        assert left < start[0] < right
        assert abs(start[1] - bottom) <= 2
        moves = re.findall(r"M(-?[\d.]+) ", line)
        assert len(moves) == (2 if send.receiver == 0 else 1)
        assert len(set(moves)) == 1


@pytest.mark.parametrize(
    ("hash_", "expected"), [("#t=4", 4), ("#t=14", 14), ("#t=999", 14), ("#t=-1", 0), ("#t=x", 0), ("", 0)]
)
def test_a_link_leads_to_its_step(still: Page, pages: Callable[..., Path], hash_: str, expected: int) -> None:
    still.open(pages(RING, "-N", 8).as_uri() + hash_)
    assert step(still) == expected


def test_a_step_can_be_linked_to(still: Page, pages: Callable[..., Path]) -> None:
    still.open(pages(RING, "-N", 8).as_uri())
    still.key("ArrowRight")
    still.until("location.hash === '#t=1'")
    still.run("document.querySelector('a[href=\"#t=9\"]').click()")
    still.until("document.getElementById('slider').value === '9'")
    assert step(still) == 9


def test_hovering_a_cell_tells_where_its_parts_come_from(still: Page, pages: Callable[..., Path]) -> None:
    still.open(pages(RING, "-N", 8).as_uri() + "#t=4")
    still.point("#r7s3")
    told = still.run("document.getElementById('lineage').innerText")
    assert still.run("document.getElementById('which').textContent") == "c3 on rank 7, after 4 steps"
    assert "It holds the parts of ranks 4 to 7 (4 of 8; ranks 0 to 3 are missing)." in told
    ways = [f"step {s}: rank {s + 4} sends c3 to rank {s + 5}, which adds it" for s in range(3)]
    at = [told.index(way) for way in ways]
    assert at == sorted(at)
    assert "start: ranks 4 to 7 have their own parts" in told
    assert "Step 4 leaves it as it is." in told
    marked = still.run("[...document.querySelectorAll('tbody th.part')].map(e => e.id)")
    assert marked == ["rank4", "rank5", "rank6", "rank7"]
    badges = still.run("[...document.querySelectorAll('.cell[data-when]')].map(e => [e.id, e.dataset.when])")
    assert badges == [["r4s3", "start"], ["r5s3", "0"], ["r6s3", "1"], ["r7s3", "2"]]
    still.point("h1")
    assert "Point at a cell" not in told
    assert still.run("document.querySelectorAll('.here').length") == 0


def test_copies_are_told_as_copies(still: Page, pages: Callable[..., Path]) -> None:
    still.open(pages(RING, "-N", 8).as_uri() + "#t=14")
    still.point("#r2s0")
    told = still.run("document.getElementById('lineage').innerText")
    assert "It holds the finished sum, every part once." in told
    assert "step 7: rank 0 sends c0 to rank 1, which overwrites" in told
    assert "step 8: rank 1 sends c0 to rank 2, which overwrites" in told
    assert still.run("document.querySelectorAll('#lineage li').length") == 1 + 7 + 2


def test_cells_can_be_walked_through_by_keys(still: Page, pages: Callable[..., Path]) -> None:
    still.open(pages(RING, "-N", 8).as_uri() + "#t=4")
    inside = "[...document.querySelectorAll('#grid [tabindex=\"0\"]')].map(e => e.id)"
    assert still.run(inside) == ["r0s0"]
    for _ in range(20):
        still.key("Tab")
        if still.run("document.activeElement.classList.contains('cell')"):
            break
    assert still.run("document.activeElement.id") == "r0s0"
    for key, expected in (("ArrowRight", "r0s1"), ("ArrowDown", "r1s1"), ("End", "r1s7"),
                          ("ArrowRight", "r1s7"), ("Home", "r1s0"), ("ArrowUp", "r0s0"),
                          ("ArrowUp", "r0s0"), ("ArrowDown", "r1s0")):  # fmt: skip
        still.key(key)
        assert still.run("document.activeElement.id") == expected, key
        assert still.run(inside) == [expected]
    assert step(still) == 4
    assert still.run("document.getElementById('which').textContent") == "c0 on rank 1, after 4 steps"
    still.key("PageDown")
    assert step(still) == 5
    assert still.run("document.getElementById('which').textContent") == "c0 on rank 1, after 5 steps"
    still.key("Escape")
    assert still.run("document.activeElement.id") == "slider"


def test_what_a_screen_reader_is_told(still: Page, pages: Callable[..., Path]) -> None:
    still.open(pages(RING, "-N", 4).as_uri() + "#t=2")
    sentence = still.run("(() => { const e = document.getElementById('sentence');"
                         " return [e.getAttribute('aria-live'), e.textContent]; })()")  # fmt: skip
    assert sentence == ["polite", "Step 2 of 6, reduce-scatter. Every rank sends 1 message of 1 chunk; "
                        "receivers add."]
    tree = still.send("Accessibility.getFullAXTree")["nodes"]
    found = [
        (node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node["ignored"]
    ]
    roles = [role for role, _ in found]
    assert roles.count("grid") == 1
    assert roles.count("gridcell") >= 16
    assert ("heading", "Step 2, reduce-scatter") in found
    assert any(role == "slider" and name == "Step" for role, name in found)
    assert any(
        role == "gridcell" and "c0 on rank 3: the parts of ranks 1 to 3" in name for role, name in found
    )
    assert all(name for role, name in found if role in ("button", "slider", "link", "grid"))


@pytest.mark.parametrize("arguments", [(RING, "-N", 8), ("schedules/pairwise_all_to_all.toml", "-N", 6),
                                       (WRONG, "-N", 4, "--counterexample")], ids=str)  # fmt: skip
def test_nothing_is_asked_for_and_nothing_is_violated(
    still: Page, pages: Callable[..., Path], arguments: tuple[object, ...]
) -> None:
    url = pages(*arguments).as_uri()
    still.open(url)
    for key in ("ArrowRight", "End", "Home", "ArrowRight"):
        still.key(key)
    still.point("#r1s0")
    step(still)
    assert still.log == []
    assert still.asked == [url]


def test_what_the_policy_refuses(still: Page, pages: Callable[..., Path], tmp_path: Path) -> None:
    """A page whose script was changed does not run; a picture from outside is not fetched."""
    text = pages(RING, "-N", 4).read_text()
    changed = tmp_path / "changed.html"
    changed.write_text(text.replace('"use strict";', '"use strict"; ', 1))
    still.open(changed.as_uri())
    assert still.run("document.querySelector('.controls').hidden") is True
    assert any("Content Security Policy" in line for line in still.log)
    still.log.clear()
    outside = tmp_path / "outside.html"
    outside.write_text(text.replace("</main>", '<img src="http://127.0.0.1:9/x.png" alt=""></main>'))
    still.open(outside.as_uri())
    still.until("document.readyState === 'complete'")
    assert any("Content Security Policy" in line for line in still.log)


def test_a_dark_page(still: Page, pages: Callable[..., Path]) -> None:
    look = ("(() => { const s = (q, p) => getComputedStyle(document.querySelector(q))[p];"
            " return [s('body', 'backgroundColor'), s('body', 'color'), s('.cells', 'backgroundColor'),"
            " s('#r0s3', 'borderTopColor'), s('#sentence', 'color')]; })()")  # fmt: skip
    seen = {}
    for scheme in ("light", "dark"):
        still.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
        still.open(pages(RING, "-N", 4).as_uri())
        page, ink, card, edge, quiet = seen[scheme] = [_hex(color) for color in still.run(look)]
        assert palette.contrast(ink, page) >= 7
        assert palette.contrast(quiet, page) >= 4.5
        assert palette.contrast(edge, card) >= 3
    assert palette.luminance(seen["light"][0]) > 0.8
    assert palette.luminance(seen["dark"][0]) < 0.02


def _hex(color: str) -> str:
    return "#" + "".join(f"{int(part):02X}" for part in re.findall(r"\d+", color)[:3])


def test_chips_move_unless_motion_is_reduced(still: Page, pages: Callable[..., Path]) -> None:
    watch = ("window.most = 0; new MutationObserver(() => { window.most = Math.max(window.most,"
             " document.querySelectorAll('#flying g').length); }).observe(document.getElementById('flying'),"
             " {childList: true});")  # fmt: skip
    still.open(pages(RING, "-N", 4).as_uri())
    still.run(watch)
    still.key("ArrowRight")
    assert step(still) == 1
    assert still.run("window.most") == 0
    still.media(prefers_color_scheme="light", prefers_reduced_motion="no-preference")
    still.open(pages(RING, "-N", 4).as_uri())
    still.run(watch)
    still.key("ArrowRight")
    still.until("document.getElementById('slider').value === '1'")
    assert still.run("window.most") == 4
    assert still.run("document.querySelectorAll('#flying g').length") == 0
    still.key("ArrowRight")
    still.key("ArrowRight")  # before the chips are there
    still.until("document.getElementById('slider').value === '3'")


def test_it_plays_and_pauses(still: Page, pages: Callable[..., Path]) -> None:
    still.open(pages("schedules/binomial_broadcast.toml", "-N", 4).as_uri())
    still.key(" ")
    assert still.run("document.getElementById('play').getAttribute('aria-label')") == "Pause"
    still.until("document.getElementById('slider').value === '1'")
    still.key(" ")
    assert still.run("document.getElementById('play').getAttribute('aria-pressed')") == "false"
    still.key(" ")
    still.until("document.getElementById('slider').value === '2'")
    still.until("document.getElementById('play').getAttribute('aria-pressed') === 'false'")
    assert step(still) == 2


def test_without_scripts_the_end_is_there(still: Page, pages: Callable[..., Path]) -> None:
    still.scripts("off")
    still.open(pages(RING, "-N", 4).as_uri() + "#t=2")
    seen = still.run("document.body.innerText")
    assert "Scripts are off" in seen
    assert "The end, after 6 steps" in seen
    assert "0 to 1: c3 added" in seen
    assert still.run("getComputedStyle(document.querySelector('.controls')).display") == "none"
    assert still.run("document.querySelectorAll('#grid .cell.whole').length") == 16
    assert still.log == []


def test_a_counterexample_opens_where_it_goes_wrong(still: Page, pages: Callable[..., Path]) -> None:
    still.open(pages(WRONG, "-N", 4, "--counterexample").as_uri())
    assert step(still) == 3
    assert "Here it goes wrong: unfinished sum copied." in still.run(
        "document.getElementById('sentence').textContent"
    )
    assert still.run("document.querySelectorAll('#arrows .send.viol').length") == 1
    assert still.run("document.querySelectorAll('#grid .cell.past').length") == 1
    still.key("ArrowRight")
    wrong = still.run(
        "[...document.querySelectorAll('#grid .cell.viol')].map(e => [e.id,"
        " e.querySelector('.tag').textContent])"
    )
    assert wrong == [["r1s0", "1/4"]]
    still.key("ArrowRight")
    assert still.run("document.querySelectorAll('#grid .cell.viol').length") == 0
    assert "0 of 16 promised slots hold what is promised." in still.run("document.body.textContent")


@pytest.mark.parametrize("width", [360, 768, 1280, 1680])
@pytest.mark.parametrize(
    "arguments", [(RING, "-N", 8), (RING, "-N", 16), ("schedules/halving_doubling.toml", "-N", 8)], ids=str
)
def test_nothing_sticks_out_of_the_page(
    still: Page, pages: Callable[..., Path], arguments: tuple[object, ...], width: int
) -> None:
    """What is wider than the page scrolls within its own frame, and text is never shrunk."""
    still.size(width)
    still.open(pages(*arguments).as_uri() + "#t=2")
    assert still.run("document.documentElement.scrollWidth") <= width
    small = still.run("Math.min(...[...document.querySelectorAll('body *')].filter(e =>"
                      " e.children.length === 0 && e.textContent.trim() && e.getClientRects().length"
                      " && !e.closest('.vh, script'))"
                      ".map(e => parseFloat(getComputedStyle(e).fontSize)))")  # fmt: skip
    assert small >= 11
    narrow = still.run("Math.min(...[...document.querySelectorAll('#grid .cell')].map(e => e.offsetWidth))")
    assert narrow >= 42


@pytest.mark.sweep
@pytest.mark.parametrize(
    "path", [*LIBRARY, *sorted((HOME / "tests" / "wrong").glob("*.toml"))], ids=lambda p: p.stem
)
def test_every_table_plays(still: Page, path: Path, tmp_path: Path) -> None:
    """Through all steps and over cells without a complaint, sends shown as many as there are."""
    schedule = read_schedule(read(str(path)).values, str(path))
    wrong = path.parent.name == "wrong"
    sizes = [
        N for N in range(16, 0, -1) if schedule.ranks[0] <= N <= schedule.ranks[1] and list(schedule.at(N))
    ]
    if not sizes and not wrong:
        pytest.skip("it claims nothing up to 16 ranks")
    how = ["--counterexample"] if wrong else ["-N", sizes[0]]
    if draw(path, *how, "-o", tmp_path / "x.html") != Exit.PROVED:
        pytest.skip("a counterexample beyond 16 ranks")
    data = block((tmp_path / "x.html").read_text(), "data")
    still.open((tmp_path / "x.html").as_uri())
    still.key("Home")
    for t, sends in enumerate(data["sends"]):
        assert step(still) == t
        assert still.run("document.querySelectorAll('#arrows .send').length") == len(sends)
        assert not still.run(
            "[...document.querySelectorAll('#arrows path')].some(e =>"
            " /NaN|undefined/.test(e.getAttribute('d')))"
        )
        still.key("ArrowRight")
    still.point(f"#r{data['N'] - 1}s0")
    assert "It holds" in still.run("document.getElementById('lineage').textContent")
    assert still.log == []
