"""Where people reach the server: wrong addresses are told before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from ammg.errors import InputError


@dataclass(frozen=True)
class Listener:
    """Where people reach the server."""

    host: str = "127.0.0.1"
    port: int = 8080
    certificate: Path | None = None
    key: Path | None = None
    proxy: str = ""
    """Address of the reverse proxy whose headers are believed; it speaks TLS."""
    public_url: str = ""
    """The address that people use, where it is not what the server sees."""

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise InputError("A certificate and its key belong together: give both.")
        for path in filter(None, (self.certificate, self.key)):
            if not path.is_file():
                raise InputError(f"'{path}' does not exist: check the name.")
        if self.certificate is None and not self.proxy and not _is_local(self.host):
            raise InputError(
                f"On {self.host}, passwords would cross the network unencrypted: give --certificate and --key, "
                "or --proxy with the address of a reverse proxy that does TLS."
            )
        if self.public_url and urlsplit(self.public_url).scheme not in ("http", "https"):
            raise InputError(f"'{self.public_url}' is not an address: write it like https://ammg.example.org.")

    @property
    def url(self) -> str:
        """The address that people open."""
        scheme = "http" if self.certificate is None else "https"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url.rstrip("/") or f"{scheme}://{host}:{self.port}"


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
