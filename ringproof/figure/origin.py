"""Whether a picture is of a table: the table, checked and told again, must say what the picture says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringproof.figure.picture import told
from ringproof.figure.prepare import CannotDrawError, either

WORDS = {
    "schedule": "it was drawn from another text", "facts": "its ink says something else",
    "sends": "it lists other sends", "verdict": "another verdict comes out",
    "promise": "it promises something else",
}  # fmt: skip


def strangers(metadata: Mapping[str, Any], paths: Sequence[str]) -> list[str]:
    """What in a picture is not as its tables say, one table a panel; errors: as `prepare`."""
    if metadata["layout"] == "cost":
        raise CannotDrawError("the cost chart is of many tables; leave out --table")
    panels = metadata.get("panels") or [metadata]
    if len(panels) != len(paths):
        return [f"it shows {len(panels)} tables, not {len(paths)}"]
    both = zip(panels, paths, strict=True)
    return [f"{path}: {why}" for panel, path in both for why in _differs(panel, path)]


def _differs(panel: Mapping[str, Any], path: str) -> list[str]:
    found = either(path, panel["N"], tuple(sorted(panel["params"].items())))
    how = panel["layout"], panel["chunk"], found.texts, panel["version"]
    again = told(found.story, *how, found.focus)
    keys = [key for key, value in again.items() if _plain(value) != panel.get(key)]
    said = [WORDS[key] for key in keys if key in WORDS]
    return said or ([f"its {', '.join(keys)} differ"] if keys else [])


def _plain(value: Any) -> Any:
    """As JSON has it: no tuples."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
