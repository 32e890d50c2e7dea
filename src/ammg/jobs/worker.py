"""A worker: one process for one job, with low priority and limited memory; it ends when the runner's pipe closes."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import tempfile
import threading
from contextlib import chdir, suppress

from ammg.errors import AmmgError, Cancelled, Unavailable
from ammg.io.urls import hidden
from ammg.jobs.orders import Order
from ammg.jobs.queue import Claim, Lost, beat, end
from ammg.jobs.task import Task
from ammg.jobs.workspace import make, remove
from ammg.store.store import Store

_BEAT = 0.5
STOPPED = 75
"""Exit code of a worker that was stopped before its job was done."""


def main() -> None:
    """Read the order, run the job, record how it ended."""
    _die_with_the_runner()
    order = Order.from_dict(json.loads(sys.stdin.readline()))
    store, claim = order.open()
    _limit(store.settings.job_megabytes)
    folder = make(store.settings, claim.claim)
    # Temporary files of libraries are as confidential as the data.
    tempfile.tempdir = os.environ["TMPDIR"] = os.environ["JOBLIB_TEMP_FOLDER"] = str(folder)
    task = Task(store, claim, folder)
    threading.Thread(target=_listen, args=(task,), daemon=True).start()
    threading.Thread(target=_beat, args=(store, claim, task), daemon=True).start()
    carry_out(task)
    os._exit(STOPPED if task.asked in ("stop", "away") else 0)


def carry_out(task: Task) -> None:
    """Run the job; unless the process dies, it ends in a correct state and leaves no decrypted files."""
    try:
        with chdir(task.folder):  # readers look for further files here
            failure = _failure(task)
    finally:
        remove(task.store.settings, task.claim.claim)  # first: on a full disk the reason could not be recorded
    if failure is not None:
        end(task.store, task.claim, *failure)


def _failure(task: Task) -> tuple[str, str] | None:
    """The state and reason if the job did not succeed; None if it did, or if it will be tried again."""
    from ammg.jobs.tasks import run

    try:
        run(task)
    except Lost:
        return None
    except Unavailable:
        task.ask_to_stop("away")  # the job is started again when the database is back
        return None
    except Cancelled:
        return None if task.asked == "stop" else ("cancelled", "")
    except AmmgError as error:
        return "failed", hidden(str(error)).replace(f"{task.folder}/", "")
    except MemoryError:
        return "failed", "There is not enough memory for this: stream the file, or use fewer records."
    except OSError as error:
        return "failed", f"The operating system refused: {str(error.strerror or error).lower()}."
    except BaseException as error:  # polars panics are not Exceptions
        # Messages of other libraries may quote the data, so only the type is recorded.
        return "failed", f"Unexpected error ({type(error).__name__}): please report it."
    return None


def _listen(task: Task) -> None:
    """Listen to the runner; if the pipe closes, the runner is dead, and this process and its children end."""
    for line in sys.stdin:
        task.ask_to_stop(line.strip())
    remove(task.store.settings, task.claim.claim)
    os.killpg(0, signal.SIGKILL)


def _beat(store: Store, claim: Claim, task: Task) -> None:
    """Report to the queue that the worker is alive, and its progress."""
    while True:
        with suppress(AmmgError):  # retried if the database is temporarily unavailable
            try:
                if beat(store, claim, *task.progress, os.getpid()):
                    task.ask_to_stop("cancel")
            except Lost:
                task.ask_to_stop("stop")
        if task.ended.wait(_BEAT if task.has_moved() else 4 * _BEAT):
            return


def _die_with_the_runner() -> None:
    """Have Linux end this process with its runner, even during a compiled computation that checks nothing."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _limit(megabytes: int) -> None:
    """Lower the priority and limit memory: the runner checks memory in use, the system memory requested."""
    with suppress(OSError):
        os.nice(10)
    with suppress(ImportError, OSError, ValueError):
        import resource

        most = 2 * megabytes * 10**6 + 10**9
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would contain the data


if __name__ == "__main__":
    main()
