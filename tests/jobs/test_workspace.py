"""The folder of a worker goes, whatever still writes into it."""

import itertools
import threading
from pathlib import Path

from team import opened

from ammg.jobs.workspace import make, remove


def test_a_folder_goes_although_a_dying_process_still_writes_into_it(tmp_path: Path) -> None:
    store = opened(tmp_path)
    place = make(store.settings, "claim")
    begun, over = threading.Event(), threading.Event()

    def write() -> None:
        for number in itertools.count():
            if over.is_set():
                return
            try:
                (place / str(number)).write_text("original")
            except FileNotFoundError:
                return
            begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    begun.wait()
    threading.Timer(0.3, over.set).start()
    remove(store.settings, "claim")
    writer.join()
    assert not place.exists()
    store.close()
