"""A source that shows what a plan looks at."""

from __future__ import annotations

from typing import NoReturn

from ammg.summaries.summary import FileSource, FoldedSource
from ammg.testing.failure import fail


class BlindSource(FoldedSource, FileSource):
    """A source whose records nobody may look at."""

    def block(self, columns: tuple[str, ...]) -> NoReturn:
        """Fail: these records are not for the plan."""
        fail("the plan looks at the records, and the method says that it sees a record or a stratum")
