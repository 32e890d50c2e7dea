"""What does not run on Spark, by what a method must have before it at once."""

from __future__ import annotations

from collections.abc import Mapping

from ammg.engines.gap import Gap
from ammg.methods.method import Sees

GAPS: Mapping[Sees, Gap] = {
    Sees.STRATUM: Gap(
        "not_yet",
        "without strata the whole file is one, and all its records would have to be on one worker at once",
        unless="where strata are given",
    ),
    Sees.FILE: Gap("never", "all records must be on one machine at once"),
}
"""A method that works record by record has no entry, nor has one with a version of its own in `methods/`."""
