"""Answers to the first questions about a file: one call each, before or after masking."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ammg.data.attribute import Role
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.data.texts import as_text
from ammg.errors import InputError, NotDefined
from ammg.measures.anonymity.released_key import Missing, frequencies, population_counts, released_key
from ammg.measures.measure import Measure
from ammg.pipeline.evaluation import MeasureLike, resolve
from ammg.pipeline.evidence import pair_of
from ammg.pipeline.folded import recognised, seen_by_intruders


def records_below(masked: Any, k: int = 3, scenario: Scenario | None = None, *, missing: Missing = "available") -> int:
    """Number of records in equivalence classes of fewer than k records, on what the intruder knows.

    `masked` is a masked file or any table; `missing` is as in `k_anonymity`.
    """
    if k < 1:
        raise InputError(f"k = {k} is not valid: give a whole number of at least 1.")
    seen = _seen(masked)
    return max(int(np.count_nonzero(frequencies(pair, _defined(pair, scenario), missing)[0] < k)) for pair in seen)


def expected_reidentifications(
    masked: Any, scenario: Scenario | None = None, *, measure: MeasureLike = "individual_risk"
) -> float:
    """Expected number of re-identifications: the sum of the risks of all records.

    `measure` is any risk that has a value for each record.
    """
    return max(float(np.nansum(_by_record(pair, scenario, measure))) for pair in _seen(masked))


def record_risks(
    masked: Any,
    scenario: Scenario | None = None,
    *,
    measure: MeasureLike = "individual_risk",
    missing: Missing = "available",
) -> pl.DataFrame:
    """One row per record that is not artificial: its position in the original file, its identifiers, f, F and its risk.

    f is the size of its equivalence class on what the intruder knows, F the estimated number of such people in the
    population, and `risk` that of `measure`. It is about single people: keep it with the original, and never release
    it.
    """
    seen = _seen(masked)
    keys = [_defined(pair, scenario) for pair in seen]
    f = np.min([frequencies(pair, key, missing)[0] for pair, key in zip(seen, keys, strict=True)], axis=0)
    people = np.min([population_counts(pair, key, missing) for pair, key in zip(seen, keys, strict=True)], axis=0)
    risk = np.fmax.reduce([_by_record(pair, scenario, measure) for pair in seen])
    pair = seen[0]
    known = pair.link if pair.is_linked else np.full(pair.t, -1)
    found = pl.Series("record", known, dtype=pl.Int64)
    found = found.set(found < 0, None)
    names = [name for name in pair.original.schema.with_role(Role.IDENTIFIER) if name in pair.original.columns]
    identifiers = [pair.original.table[name].gather(np.maximum(known, 0)) for name in names]
    identifiers = [
        values.zip_with(found.is_not_null(), pl.Series([None], dtype=values.dtype)) for values in identifiers
    ]
    return pl.DataFrame([found, *identifiers, pl.Series("f", f), pl.Series("F", people), pl.Series("risk", risk)])


def category_counts(masked: Any, columns: str | list[str] | None = None) -> pl.DataFrame:
    """How many records have each category before and after masking: one row per column and category.

    By default all categorical attributes that an analyst uses; a number counts as a category where it is named.
    """
    pair = pair_of(masked)
    named = [columns] if isinstance(columns, str) else columns
    names = named or [name for name in pair.analysed() if pair.original.schema[name].is_categorical]
    return pl.concat([_counts(pair, name) for name in names] or [_NO_COUNTS])


_NO_COUNTS = pl.DataFrame(schema={"column": pl.String, "category": pl.String, "before": pl.Int64, "after": pl.Int64})


def _counts(pair: Pair, name: str) -> pl.DataFrame:
    before = as_text(pair.original.table[pair.original.schema[name].name])
    after = as_text(pair.masked.table[name]) if name in pair.masked.schema else pl.Series(dtype=pl.String)
    sides = {
        side: texts.value_counts(name=side)
        for side, texts in (("before", before.alias(name)), ("after", after.alias(name)))
    }
    joined = sides["before"].join(sides["after"], on=name, how="full", coalesce=True, nulls_equal=True)
    return joined.select(
        pl.lit(name).alias("column"),
        pl.col(name).alias("category"),
        pl.col("before").fill_null(0).cast(pl.Int64),
        pl.col("after").fill_null(0).cast(pl.Int64),
    ).sort("category", nulls_last=True)


def _seen(masked: Any) -> tuple[Pair, ...]:
    """The files as intruders see them who recognise artificial records, and who may count members of households."""
    return seen_by_intruders(recognised(pair_of(masked)))


def _defined(pair: Pair, scenario: Scenario | None) -> Any:
    try:
        return released_key(pair, scenario or Scenario())
    except NotDefined as reason:
        raise InputError(
            f"Records cannot be compared: {reason}. Give attributes the role key, or pass a scenario."
        ) from None


def _by_record(pair: Pair, scenario: Scenario | None, measure: MeasureLike) -> Any:
    (unit,) = resolve(measure)
    assert isinstance(unit, Measure)
    try:
        found = unit.measure(pair, scenario or Scenario()).people.by_record
    except NotDefined as reason:
        raise InputError(f"'{unit.name}' is not defined here: {reason}.") from None
    if found is None:
        raise InputError(f"Measure '{unit.name}' has no value for single records: choose another.")
    return found
