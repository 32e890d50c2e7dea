"""Where a store is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ammg.store.settings import Settings


def test_relative_paths_lead_to_the_same_place_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings(Path("data"), "sqlite:///team.sqlite", Path("key"))
    plain = Settings(Path("data"))
    monkeypatch.chdir("/")
    assert (settings.data, settings.key_path) == (tmp_path / "data", tmp_path / "key")
    assert settings.url == f"sqlite:///{tmp_path / 'team.sqlite'}"
    assert plain.key_path == tmp_path / "data.key"
    assert plain.url == f"sqlite:///{tmp_path / 'data' / 'ammg.sqlite'}"
