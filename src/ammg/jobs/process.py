"""A worker process as the runner sees it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from ammg.jobs.orders import Order
from ammg.jobs.queue import Claim
from ammg.store.ground.vault import VARIABLE
from ammg.store.store import Store


class Worker:
    """A process with one job. It gets its order, including the key, through a pipe and ends when the pipe closes."""

    def __init__(self, store: Store, claim: Claim) -> None:
        self.claim = claim
        self.asked = ""
        self.asked_at: float | None = None
        self.failure = ""
        self._began = time.monotonic()
        hidden = {name: value for name, value in os.environ.items() if name != VARIABLE}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ammg.jobs.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=hidden,
            start_new_session=True,  # Ctrl-C in a terminal is for the server, and the whole group can be ended
        )
        self._say(json.dumps(Order.of(store, claim).to_dict()))

    @property
    def is_over(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    @property
    def how_it_ended(self) -> str:
        """The exit code or signal, in words."""
        code = self._process.returncode
        if code is None or code >= 0:
            return f"with code {code}"
        return f"by signal {-code} ({signal.Signals(-code).name})"

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return time.monotonic() - self._began

    @property
    def megabytes(self) -> float:
        """Memory of the process and its children in MB; 0 if the system does not report it."""
        return sum(_resident(process) for process in _family(self._process.pid)) / 1e6

    def ask_to_stop(self, word: str) -> None:
        """Ask the process to end; the runner kills it if it does not end in time."""
        self.asked, self.asked_at = self.asked or word, self.asked_at or time.monotonic()
        self._say(word)

    def fail(self, why: str) -> None:
        """End the process at once and record the reason."""
        self.failure = self.failure or why
        self.kill()

    def kill(self) -> None:
        """Kill the process and its children."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.wait()

    def _say(self, line: str) -> None:
        with suppress(OSError):  # the process is gone, which the runner notices elsewhere
            assert self._process.stdin is not None
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()


def _family(process: int) -> list[int]:
    """A process and its children, if the system lists them."""
    found = [process]
    for parent in found:
        with suppress(OSError):
            for thread in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (thread / "children").read_text().split())
    return found


def _resident(process: int) -> int:
    with suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
