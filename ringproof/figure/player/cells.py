"""The parts of the page that are there without scripts: the end as a table, the legend, every step."""

from __future__ import annotations

import html

from ringproof.figure.focus import Focus
from ringproof.figure.palette import CHUNKS
from ringproof.figure.player import words
from ringproof.figure.story import Cell, Content, Story


def columns(story: Story) -> str:
    """A heading for every slot."""
    return "".join(f'<th scope="col">{story.slot_name(slot)}</th>' for slot in range(story.slots))


def rows(story: Story, focus: Focus | None) -> str:
    """A row of cells for every rank, as they are when all steps are done."""
    lines = []
    for rank in range(story.ranks):
        made = "".join(_cell(story, (story.steps, rank, slot), focus) for slot in range(story.slots))
        lines.append(f'<tr><th scope="row" id="rank{rank}"><span>rank</span> {rank}</th>{made}</tr>')
    return "\n".join(lines)


def _cell(story: Story, cell: Cell, focus: Focus | None) -> str:
    content = story.content(cell)
    label = "" if content.empty else story.slot_name(content.chunk)
    classes = ["cell", kind(content, cell, focus)]
    classes += ["unset"] if content.empty else []
    classes += ["whole"] if content.whole and not focus else []
    inside = _strip(content)
    said = html.escape(words.holding(story, content))
    return (f'<td class="{" ".join(classes)}" id="r{cell[1]}s{cell[2]}"><b>{label}</b>{inside}'
            f'<span class="vh">{said}</span></td>')  # fmt: skip


def kind(content: Content, cell: Cell, focus: Focus | None) -> str:
    """The class of a cell's colour: its chunk's, or what it is to the counterexample."""
    if focus is None:
        return f"k{content.chunk % len(CHUNKS)}"
    if cell == focus.cell:
        return "viol"
    return "past" if focus.remembers(cell) else "grey"


def _strip(content: Content) -> str:
    once = "".join(f"M{r} 0h1v1h-1z" for r, times in enumerate(content.counts) if times == 1)
    twice = "".join(f"M{r} 0h1v1h-1z" for r, times in enumerate(content.counts) if times > 1)
    return (f'<svg viewBox="0 0 {len(content.counts)} 1" preserveAspectRatio="none" aria-hidden="true">'
            f'<path class="in" d="{once}"/><path class="twice" d="{twice}"/></svg>')  # fmt: skip


def legend(story: Story, focus: Focus | None) -> str:
    """What the ink of this page means, and nothing that is not in it."""
    partial, whole, sends = meanings(story)
    half = Content(tuple(int(r * 2 < story.ranks) for r in range(story.ranks)), 0, whole=False)
    strip = _strip(half)
    entries = [(f'<span class="cell sample">{strip}</span>', partial)]
    if focus is None:
        entries.append(('<span class="cell sample whole"></span>', whole))
    entries += [(_arrow(*key), text) for key, text in sends.items()]
    if focus:
        entries.append(('<span class="cell sample past"></span>', "what led to it"))
        entries.append(('<span class="cell sample viol"></span>', "where it goes wrong"))
    return "".join(f'<span role="listitem">{drawn}{html.escape(text)}</span>' for drawn, text in entries)


def meanings(story: Story) -> tuple[str, str, dict[tuple[bool, bool], str]]:
    """Words for a part-filled cell, a solid one, and every kind of send (adds, carries all)."""
    n = "i is filled once rank i's part is in"
    full = words.full(story).removeprefix("the ")
    kinds = {(message.reduce, message.whole) for message in story.messages()}
    texts = {
        (True, False): "receiver adds", (True, True): f"{full}, receiver adds",
        (False, True): f"{full}, receiver overwrites", (False, False): "receiver overwrites",
    }  # fmt: skip
    return f"slot {n}", full, {key: text for key, text in texts.items() if key in kinds}


def _arrow(adds: object, whole: object) -> str:
    line = '<path class="line" d="M1 6H21"/>' + ('<path class="core" d="M1 6H21"/>' if whole else "")
    head = "head" if adds else "head hollow"
    return (f'<svg class="sample" viewBox="0 0 32 12" aria-hidden="true">{line}'
            f'<path class="{head}" d="M30 6L20.5 1.8V10.2z"/></svg>')  # fmt: skip


def phases(story: Story) -> str:
    """The phases under the slider."""
    return "".join(
        f"<span><b>{html.escape(stage.name)}</b> {html.escape(stage.says)}</span>" for stage in story.stages
    )


def every(story: Story, said: list[str]) -> str:
    """A row of the table of steps for every step, and one for the end."""
    lines = []
    for step in range(story.steps):
        sends = "; ".join(words.sends(story, step)) or "nothing"
        name = html.escape(words.phase_of(story, step))
        lines.append(f'<tr id="step{step}"><th scope="row"><a href="#t={step}">{step}</a></th><td>{name}</td>'
                     f"<td>{html.escape(said[step])}</td><td>{html.escape(sends)}</td></tr>")  # fmt: skip
    end = story.steps
    lines.append(f'<tr id="step{end}"><th scope="row"><a href="#t={end}">end</a></th><td></td>'
                 f"<td>{html.escape(said[-1])}</td><td></td></tr>")  # fmt: skip
    return "\n".join(lines)
