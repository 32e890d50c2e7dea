"""Methods that do not run on Spark, by the records that a method must see at once."""

from __future__ import annotations

from collections.abc import Mapping

from ammg.engines.gap import Gap
from ammg.methods.method import Sees

GAPS: Mapping[Sees, Gap] = {
    Sees.STRATUM: Gap(
        "not_yet",
        "without strata the whole file is one stratum, and all its records would have to be on one worker at once",
        unless="where strata are given",
    ),
    Sees.FILE: Gap("never", "all records must be on one machine at once"),
}
"""Methods that work record by record have no entry, nor have those with a distributed version in `methods/`."""
