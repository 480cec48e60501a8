"""Schemas that others publish: found on this machine, never kept in this repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

SARIF_PACKAGE = "@microsoft/jest-sarif"  # MIT; carries the SARIF 2.1.0 schema of the OASIS committee
_INSIDE = "package/lib/schemas/sarif-2.1.0-rtm.5.json"


def sarif_schema(scratch: Path) -> dict[str, Any]:
    """The official SARIF 2.1.0 schema: the file of RINGPROOF_SARIF_SCHEMA, else out of an npm package.

    Skips the test, with the reason, where neither is to be had.
    """
    given = os.environ.get("RINGPROOF_SARIF_SCHEMA")
    if given:
        found: dict[str, Any] = json.loads(Path(given).read_text(encoding="utf-8"))
        return found
    if not shutil.which("npm"):
        pytest.skip("no SARIF schema: set RINGPROOF_SARIF_SCHEMA, or install npm")
    command = ["npm", "pack", "--silent", "--prefer-offline", SARIF_PACKAGE]
    try:
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"no SARIF schema: npm took too long to fetch {SARIF_PACKAGE}")
    archives = list(scratch.glob("*.tgz"))
    if done.returncode or not archives:
        pytest.skip(f"no SARIF schema: npm cannot fetch {SARIF_PACKAGE}")
    with tarfile.open(archives[0]) as archive:
        inside = archive.extractfile(_INSIDE)
        if inside is None:
            pytest.fail(f"{SARIF_PACKAGE} has no {_INSIDE}")
        found = json.load(inside)
    return found
