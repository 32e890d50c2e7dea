"""The message that a runner sends to a worker."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from ammg.jobs.queue import Claim
from ammg.store.ground.vault import Vault
from ammg.store.settings import Settings
from ammg.store.store import Store, attach_store


@dataclass(frozen=True)
class Order:
    """The job, and everything needed to open the store; it passes through a pipe and is never written to disk."""

    job_id: str
    claim: str
    key: str = field(repr=False)
    settings: dict[str, Any]

    @classmethod
    def of(cls, store: Store, claim: Claim) -> Order:
        """The order for a claim."""
        return cls(claim.job_id, claim.claim, store.vault.key.hex(), _plain(store.settings))

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Order:
        """The order described by `to_dict`."""
        return cls(**plain)

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return asdict(self)

    def open(self) -> tuple[Store, Claim]:
        """The store and the claim."""
        return attach_store(_settings(self.settings), Vault(bytes.fromhex(self.key))), Claim(self.job_id, self.claim)


def _plain(settings: Settings) -> dict[str, Any]:
    values = {name: getattr(settings, name) for name in settings.__dataclass_fields__}
    return {
        name: value.total_seconds()
        if isinstance(value, timedelta)
        else str(value)
        if isinstance(value, Path)
        else value
        for name, value in values.items()
    }


def _settings(plain: dict[str, Any]) -> Settings:
    kinds = {name: str(kind.type) for name, kind in Settings.__dataclass_fields__.items()}
    values: dict[str, Any] = {
        name: timedelta(seconds=value)
        if kinds[name] == "timedelta"
        else Path(value)
        if kinds[name].startswith("Path") and value is not None
        else tuple(value)
        if isinstance(value, list)
        else value
        for name, value in plain.items()
    }
    return Settings(**values)
