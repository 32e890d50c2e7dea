"""The folder of a worker's decrypted originals: accessible to the owner only, and removed with the job."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from ammg.store.settings import Settings

_PATIENCE = 10.0
"""Seconds that killed processes may take to end; until then they may write into the folder."""


def workspace(settings: Settings, claim: str) -> Path:
    """The folder of a claim."""
    return settings.data / "work" / claim


def make(settings: Settings, claim: str) -> Path:
    """Create it, empty (mode 0700)."""
    place = workspace(settings, claim)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.parent.chmod(0o700)
    place.mkdir(mode=0o700)
    return place


def remove(settings: Settings, claim: str) -> None:
    """Remove it with its contents."""
    _remove(workspace(settings, claim))


def remove_others(settings: Settings, alive: Iterable[str]) -> None:
    """Remove the folders of all other claims: their workers are dead."""
    kept = set(alive)
    folder = settings.data / "work"
    for place in folder.iterdir() if folder.is_dir() else ():
        if place.name not in kept:
            _remove(place)


def _remove(place: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    shutil.rmtree(place, ignore_errors=True)
    while place.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
        shutil.rmtree(place, ignore_errors=True)
