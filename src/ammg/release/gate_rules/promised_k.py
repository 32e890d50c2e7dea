"""Rule: groups of k that a method promised are really there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.published import Groups
from ammg.data.texts import as_text
from ammg.release.gate_rules.evidence import Evidence
from ammg.release.gate_rules.rule import Finding, Rule
from ammg.release.masking import StepRecord

_RECORDS, _CHANGED = "records\0", "changed\0"


def _check(evidence: Evidence) -> Iterator[Finding]:
    for number, step in enumerate(evidence.steps):
        for promise in step.published:
            if not isinstance(promise, Groups):
                continue
            later = evidence.steps[number + 1 :]
            for names in [promise.columns] if promise.joint else [(name,) for name in promise.columns]:
                smallest = _smallest(evidence, names)
                if smallest is None or smallest >= promise.size:
                    continue
                yield _finding(number + 1, step.method, names, promise.size, smallest, _broken_by(later, names))


def _finding(number: int, method: str, names: Sequence[str], size: int, smallest: int, by: str | None) -> Finding:
    columns = "', '".join(names)
    shared = f"step {number} ({method}) promised that values of '{columns}' are shared by {size} records"
    if by is None:
        return Finding(f"{shared}, but some are shared by only {smallest}: the promise is not kept")
    return Finding(f"{shared}; after {by} some are shared by only {smallest}", blocks=False)


def _broken_by(later: Sequence[StepRecord], names: Sequence[str]) -> str | None:
    """The later step that left records out or changed the columns again, which is no broken promise."""
    for step in later:
        if step.records_before != step.records_after:
            return f"{step.method}, which left records out,"
        if any(name in step.changed for name in names):
            return f"{step.method}, which changed them again,"
    return None


def _smallest(evidence: Evidence, names: Sequence[str]) -> int | None:
    """The fewest records that share the values of a masked record; None if the step masked none.

    Only records that the step changed count, so that a step limited by a condition is judged by what it did. A
    missing value agrees with every value: a group's members show the mean in what they have.
    """
    from ammg.kernels.anonymity.wildcards import count_matches

    if any(name not in evidence.after for name in names):
        return None
    parts = evidence.beside(names, partial(_combinations, list(names)))
    cells = pl.concat(parts).group_by(names).agg(pl.col(_RECORDS).sum(), pl.col(_CHANGED).any())
    changed = cells[_CHANGED].to_numpy()
    if not changed.any():
        return None
    codes = [_codes(cells[name]) for name in names]
    sizes = [int(column.max(initial=0)) + 1 for column in codes]
    _, counts = count_matches(codes, sizes, cells[_RECORDS].cast(pl.Float64).to_numpy())
    return int(counts[changed].min())


def _combinations(names: list[str], original: pl.DataFrame, masked: pl.DataFrame) -> pl.DataFrame:
    """The combinations of values in one part of the records, how many records have them, and whether any changed."""
    changed = np.zeros(len(masked), dtype=bool)
    for name in names:
        changed |= _changed_cells(original[name], masked[name])
    cells = masked.with_columns(pl.Series(_CHANGED, changed)).group_by(names)
    return cells.agg(pl.len().cast(pl.Int64).alias(_RECORDS), pl.col(_CHANGED).any())


def _codes(column: pl.Series) -> NDArray[np.int32]:
    return (column.rank("dense").cast(pl.Int32).fill_null(0) - 1).to_numpy()


def _changed_cells(before: pl.Series, after: pl.Series) -> NDArray[np.bool_]:
    if before.dtype.is_numeric() and after.dtype.is_numeric():
        before, after = before.cast(pl.Float64), after.cast(pl.Float64)
    else:
        before, after = as_text(before), as_text(after)
    return before.ne_missing(after).to_numpy()


PROMISED_K = Rule("promised k", "Groups of k that a method promised are found by counting the released values.", _check)
