"""A story -> one page of HTML that holds all it needs, forbids itself the network, and says what it is."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from fractions import Fraction
from importlib.resources import files
from string import Template
from typing import Any

from ringproof.figure.facts import sealed
from ringproof.figure.focus import Focus
from ringproof.figure.picture import told
from ringproof.figure.player import cells, words
from ringproof.figure.player.model import model
from ringproof.figure.player.style import style
from ringproof.figure.story import Story

LAYOUT = "player"


def page(story: Story, texts: tuple[str, ...], version: str, focus: Focus | None) -> bytes:
    """The page, the same bytes on every run; errors: `NotPlayableError`.

    ``texts``: the table and those it uses; the page carries the metadata that a picture carries, and
    the digest of what it shows as their ``ink``.
    """
    shown = model(story, focus)
    data = _json(shown)
    metadata = told(story, LAYOUT, 0, texts, version, focus)
    sheet, script = style(story), _text("script.js")
    body = {**_head(story, metadata), **_body(story, shown, focus)}
    body |= {"style": sheet, "script": script, "data": data, "policy": _policy(sheet, script)}
    ink = hashlib.sha256(json.dumps(body, sort_keys=True).encode("utf-8")).hexdigest()
    body["metadata"] = _json(sealed({**metadata, "ink": ink}))
    return Template(_text("page.html")).substitute(body).encode("utf-8")


def _text(name: str) -> str:
    return files("ringproof.figure.player").joinpath(name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    """JSON that may stand inside a script element: no tag can begin in it."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace("&", "\\u0026")


def _policy(sheet: str, script: str) -> str:
    """Nothing at all, but for this very style and this very script."""
    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")

    return (f"default-src 'none'; style-src 'sha256-{digest(sheet)}'; script-src 'sha256-{digest(script)}'; "
            "base-uri 'none'; form-action 'none'")  # fmt: skip


def _head(story: Story, metadata: dict[str, Any]) -> dict[str, str]:
    """What stands above the cells and at the foot of the page."""
    verdict = metadata["verdict"]
    events, counts = story.outcome.events, story.outcome.counts
    name, size = html.escape(story.schedule.name), html.escape(str(events.size))
    sends = words.counted(counts.total_sends, "send")
    facts = [words.counted(story.steps, "step"), sends]
    if counts.total_sends:
        facts.append(f"{_number(counts.traffic)} buffers sent by the busiest rank")
    said = f"{story.schedule.name}, {events.size}, step by step: {', '.join(facts)}; {verdict}"
    return {
        "title": f"{name}, {size}", "name": name, "size": size, "facts": html.escape("; ".join(facts)),
        "description": html.escape(said), "verdict": verdict,
        "judged": f"{verdict} {'at' if verdict == 'refuted' else 'for'} {size}",
        "version": metadata["version"], "digest": metadata["schedule"],
    }  # fmt: skip


def _number(value: Fraction) -> str:
    return str(value) if value.denominator < 100 else f"{float(value):.4g}"


def _body(story: Story, shown: dict[str, Any], focus: Focus | None) -> dict[str, str]:
    finding = ""
    if focus:
        lines = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in focus.sentences)
        title = html.escape(focus.title)
        finding = f'<section class="finding" aria-label="Counterexample"><h2>{title}</h2>{lines}</section>'
    return {
        "finding": finding, "counted": words.counted(story.steps, "step"), "steps": str(story.steps),
        "ending": html.escape(shown["said"][-1]), "columns": cells.columns(story),
        "rows": cells.rows(story, focus), "legend": cells.legend(story, focus),
        "every": cells.every(story, shown["said"]), "phases": cells.phases(story),
        "shape": " ".join(filter(None, ("wide" if story.slots > 9 else "",
                                        "many" if story.ranks > 8 else "", "wrong" if focus else ""))),
    }  # fmt: skip
