"""Second threads that begin at once, late or never, in place of `beside`."""

import threading
import time
from contextlib import contextmanager


def beside_that(start):
    """A `beside` whose thread begins when `start` lets it."""

    @contextmanager
    def beside(work, end):
        thread = threading.Thread(target=lambda: (start(), work()), daemon=True)
        thread.start()
        try:
            yield
        finally:
            end()
            thread.join()

    return beside


@contextmanager
def beside_nobody(work, end):
    yield


HELPERS = {
    "at once": beside_that(lambda: None),
    "late": beside_that(lambda: time.sleep(0.02)),
    "never": beside_nobody,
}
