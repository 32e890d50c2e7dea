"""Location and limits of a store."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from ammg.errors import InputError

_SQLITE = "sqlite:///"


@dataclass(frozen=True)
class Settings:
    """The settings chosen by the person who runs the server."""

    data: Path
    """The folder with all files; accessible to its owner only."""
    database: str = ""
    """URL of the database; empty for an SQLite file in the data folder."""
    key_file: Path | None = None
    """File with the key, unless it is in the environment; by default beside the data folder, not in it."""
    upload_bytes: int = 2 * 2**30
    session_idle: timedelta = timedelta(hours=8)
    session_life: timedelta = timedelta(days=7)
    link_life: timedelta = timedelta(days=7)
    workers: int = 2
    job_seconds: float = 6 * 3600.0
    job_megabytes: int = 4096
    job_attempts: int = 3
    """Attempts to run a job whose worker died."""
    heartbeat: timedelta = timedelta(seconds=15)
    """Seconds of silence after which a worker counts as dead."""
    failures_of_account: int = 5
    failures_of_address: int = 30
    failure_window: timedelta = timedelta(minutes=15)
    password_length: int = 12
    password_cost: tuple[int, int, int] = (3, 65536, 4)
    """Passes, KiB and lanes of argon2id (RFC 9106, second recommended option)."""
    poll: float = field(default=0.25)
    """Seconds between two checks of the queue."""

    def __post_init__(self) -> None:
        # Workers have their own working folder, so paths must be absolute.
        object.__setattr__(self, "data", self.data.expanduser().absolute())
        if self.key_file is not None:
            object.__setattr__(self, "key_file", self.key_file.expanduser().absolute())
        if self.database.startswith(_SQLITE):
            path = Path(self.database.removeprefix(_SQLITE)).absolute()
            object.__setattr__(self, "database", f"{_SQLITE}{path}")
        for name in ("upload_bytes", "workers", "job_seconds", "job_megabytes", "job_attempts", "password_length"):
            if getattr(self, name) < (0 if name == "workers" else 1):
                raise InputError(f"The setting {name} is {getattr(self, name)}: it must be at least 1.")

    @property
    def url(self) -> str:
        """The URL of the database."""
        return self.database or f"sqlite:///{self.data / 'ammg.sqlite'}"

    @property
    def key_path(self) -> Path:
        """The path of the key file, used unless the key is in the environment."""
        return self.key_file or self.data.with_name(f"{self.data.name}.key")
