"""A worker: one process, one job, niced and limited; it lives no longer than the pipe to its runner."""

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
"""Exit code of a worker that was stopped with its job undone."""


def main() -> None:
    """Read the order, do the job, tell how it ended."""
    _die_with_the_runner()
    order = Order.from_dict(json.loads(sys.stdin.readline()))
    store, claim = order.open()
    _limit(store.settings.job_megabytes)
    folder = make(store.settings, claim.claim)
    # Whatever libraries put aside while they work is as confidential as the data.
    tempfile.tempdir = os.environ["TMPDIR"] = os.environ["JOBLIB_TEMP_FOLDER"] = str(folder)
    task = Task(store, claim, folder)
    threading.Thread(target=_listen, args=(task,), daemon=True).start()
    threading.Thread(target=_beat, args=(store, claim, task), daemon=True).start()
    carry_out(task)
    os._exit(STOPPED if task.asked in ("stop", "away") else 0)


def carry_out(task: Task) -> None:
    """Do the job; every way out but the death of the process ends it in an honest state and leaves nothing in plain."""
    try:
        with chdir(task.folder):  # where options of reading look for further files
            failure = _failure(task)
    finally:
        remove(task.store.settings, task.claim.claim)  # first: a full disk has no room to record the reason
    if failure is not None:
        end(task.store, task.claim, *failure)


def _failure(task: Task) -> tuple[str, str] | None:
    """The state and the reason if the job did not end well; None if it did, or if another attempt is to be made."""
    from ammg.jobs.tasks import run

    try:
        run(task)
    except Lost:
        return None
    except Unavailable:
        task.ask_to_stop("away")  # the job is taken up again when the database is back
        return None
    except Cancelled:
        return None if task.asked == "stop" else ("cancelled", "")
    except AmmgError as error:
        return "failed", hidden(str(error)).replace(f"{task.folder}/", "")
    except MemoryError:
        return "failed", "There is not enough memory for this: stream the file, or use fewer records."
    except OSError as error:
        return "failed", f"The operating system refused: {str(error.strerror or error).lower()}."
    except BaseException as error:  # polars panics are no Exceptions
        # What other libraries say may quote the data, so that only its kind is kept.
        return "failed", f"Unexpected error ({type(error).__name__}): please report it."
    return None


def _listen(task: Task) -> None:
    """Hear the runner; when the pipe closes the runner is dead, and so is everything that it started."""
    for line in sys.stdin:
        task.ask_to_stop(line.strip())
    remove(task.store.settings, task.claim.claim)
    os.killpg(0, signal.SIGKILL)


def _beat(store: Store, claim: Claim, task: Task) -> None:
    """Tell the queue that the worker lives and how far it is."""
    while True:
        with suppress(AmmgError):  # a database that is away for a while is tried again
            try:
                if beat(store, claim, *task.progress, os.getpid()):
                    task.ask_to_stop("cancel")
            except Lost:
                task.ask_to_stop("stop")
        if task.ended.wait(_BEAT if task.has_moved() else 4 * _BEAT):
            return


def _die_with_the_runner() -> None:
    """Have Linux end this process with its runner: a compiled computation that listens to nobody ends, too."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _limit(megabytes: int) -> None:
    """Be nice, and have no more memory than allowed: the runner looks at what is used, the system at what is asked."""
    with suppress(OSError):
        os.nice(10)
    with suppress(ImportError, OSError, ValueError):
        import resource

        most = 2 * megabytes * 10**6 + 10**9
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would hold the data


if __name__ == "__main__":
    main()
