"""`ammg serve` as its users start it: a process of its own."""

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
from served import PASSWORD, PATIENCE, Person


class Program:
    """The running server, with what it printed and logged."""

    def __init__(self, folder: Path, *options: str, scheme: str = "http", verify: Any = True, port: int = 0) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = port or free.getsockname()[1]
        program = [sys.executable, "-c", "from ammg.cli import main; main()", "serve"]
        arguments = ["--data", str(folder / "data"), "--port", str(self.port), *options]
        self.process = subprocess.Popen(
            [*program, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.verify = verify
        self.api = f"{scheme}://127.0.0.1:{self.port}/api/v1"
        self.printed: list[str] = []
        self.logged: list[str] = []
        self._readers = [
            threading.Thread(target=kept.extend, args=(pipe,), daemon=True)
            for kept, pipe in ((self.printed, self.process.stdout), (self.logged, self.process.stderr))
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> "Program":
        deadline = time.monotonic() + PATIENCE
        person = self.person()
        while True:
            assert self.process.poll() is None, "".join(self.logged)
            assert time.monotonic() < deadline
            try:
                if person.get("/health").status_code == 200:
                    return self
            except httpx.TransportError:
                time.sleep(0.1)

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> int:
        """Ask it to end, as systemd does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        return code

    def person(self) -> Person:
        return Person(self.api, verify=self.verify)

    def administrator(self) -> Person:
        """By the link in the terminal."""
        found = re.search(r"/welcome#(ammg_l_\S+)", "".join(self.printed))
        assert found, self.printed
        person = self.person()
        person.made("/invitations/accept", token=found[1], name="admin", password=PASSWORD)
        return person.signed_in("admin")

    @property
    def peak(self) -> int:
        """Most memory that it used so far, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])  # type: ignore[index]

    def events(self) -> list[dict[str, Any]]:
        """What it logged."""
        return [json.loads(line) for line in self.logged]
