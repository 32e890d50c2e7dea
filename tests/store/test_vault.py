from pathlib import Path

import pytest
from team import opened, settings

from ammg.errors import InputError
from ammg.store.ground.vault import VARIABLE, Vault, open_vault


def test_a_seal_opens_only_in_its_context_and_with_its_key() -> None:
    vault = Vault(bytes(32))
    sealed = vault.seal("Winterbottom", "version:1")
    assert vault.unseal(sealed, "version:1") == "Winterbottom"
    assert b"Winterbottom" not in sealed
    for other, context in ((vault, "version:2"), (Vault(bytes(31) + b"1"), "version:1")):
        with pytest.raises(InputError, match="another key"):
            other.unseal(sealed, context)


def test_the_key_is_made_once_beside_the_data_for_the_owner_alone(tmp_path: Path) -> None:
    given = settings(tmp_path)
    key = open_vault(given).key
    assert given.key_path == tmp_path / "data.key"
    assert given.key_path.stat().st_mode & 0o777 == 0o600
    assert open_vault(given).key == key
    given.key_path.chmod(0o640)
    with pytest.raises(InputError, match="mode 0640"):
        open_vault(given)


def test_the_environment_has_the_first_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "07" * 32)
    assert open_vault(settings(tmp_path)).key == b"\7" * 32
    assert not (tmp_path / "data.key").exists()
    monkeypatch.setenv(VARIABLE, "07" * 31)
    with pytest.raises(InputError, match="64 hexadecimal digits"):
        open_vault(settings(tmp_path))


def test_a_store_does_not_open_with_another_key(tmp_path: Path) -> None:
    opened(tmp_path).close()
    (tmp_path / "data.key").write_text("11" * 32)
    with pytest.raises(InputError, match="not the one"):
        opened(tmp_path)


def test_the_key_shows_nowhere() -> None:
    assert "0000" not in repr(Vault(bytes(32)))
