"""Second threads that begin at once, late or never, in place of `helped_by`."""

import threading
import time
from contextlib import contextmanager


def helper_that(start):
    """A `helped_by` whose thread begins when `start` lets it."""

    @contextmanager
    def helped_by(work, end):
        thread = threading.Thread(target=lambda: (start(), work()), daemon=True)
        thread.start()
        try:
            yield
        finally:
            end()
            thread.join()

    return helped_by


@contextmanager
def no_helper(work, end):
    yield


HELPERS = {
    "at once": helper_that(lambda: None),
    "late": helper_that(lambda: time.sleep(0.02)),
    "never": no_helper,
}
