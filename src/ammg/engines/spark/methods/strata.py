"""STRATUM methods on Spark: all records of a stratum go to one worker, which runs the unchanged unit."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from ammg.data.encoding import ID
from ammg.data.finding import Findings
from ammg.engines.pending import NOTHING
from ammg.engines.spark.table import SparkTable
from ammg.engines.spark.types import arrow_schema, from_arrow, to_arrow, to_spark
from ammg.engines.spark.work import arrow_only, worker_errors

if TYPE_CHECKING:
    import pyarrow as pa

    from ammg.engines.engine import PlannedStep
    from ammg.engines.spark.source import SparkSource

_FOUND = "__ammg_found__"


def by_stratum(source: SparkSource, step: PlannedStep) -> SparkSource:
    """Mask stratum by stratum, at once: the step's findings must be known before the next step is planned."""
    from pyspark.sql import functions as F

    types = dict(source.types)
    after = step.apply(pl.DataFrame(schema=types)).schema
    records = arrow_schema(to_spark(after))
    struct = to_spark(after).add(_FOUND, "binary")

    def work(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        frame = from_arrow(table, types)
        masked, findings = step.mask(frame)
        found: list[bytes | None] = [None] * len(masked)
        if found and step.chooses_any(frame):
            found[0] = pickle.dumps((int(frame[ID][0]), findings))
        return to_arrow(masked, records).append_column(_FOUND, pa.array(found, pa.binary()))

    strata = [f"`{name}`" for name in step.method.strata(step.schema)]
    with arrow_only(), worker_errors():
        # NOTE: persisted, because every later use of the records would mask them again.
        frame = source.frame.groupBy(*strata).applyInArrow(work, struct).persist()
        rows = frame.where(F.col(_FOUND).isNotNull()).select(_FOUND).collect()
    told = sorted((pickle.loads(row[_FOUND]) for row in rows), key=lambda entry: int(entry[0]))
    findings = Findings.of(finding for _, found in told for finding in found.found)
    kept = pl.Schema({name: dtype for name, dtype in after.items() if name != ID})
    table = SparkTable(frame.drop(_FOUND), kept)
    return replace(source, schema=step.schema_after, table=table, pending=NOTHING, read=source.first, findings=findings)
