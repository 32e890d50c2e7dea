"""Rule: no value that a step should have changed is released unchanged, unless enough people share it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import polars as pl

from ammg.data.alteration import Alteration
from ammg.data.attribute import Level
from ammg.data.encoding import ID
from ammg.data.published import Groups, NoiseLaw, PutBack
from ammg.release.gate_rules.evidence import Evidence, present
from ammg.release.gate_rules.rule import Finding, Rule
from ammg.release.masking import StepRecord

_MOST = 10_000  # different values of one column that are followed up in each part of the records
_VALUE, _UNIT, _CELLS = "value", "unit", "cells"


class _Left(NamedTuple):
    """What one part of the records shows of one column."""

    values: pl.DataFrame
    """The values that stayed although they were to change, with the cells that have them; the rarest if many."""
    moved: bool
    """Whether any value that was to change has changed."""


def _check(evidence: Evidence) -> Iterator[Finding]:
    least = max([2, *(told.size for step in evidence.steps for told in step.published if isinstance(told, Groups))])
    for number, step in enumerate(evidence.steps, 1):
        promises = (*step.altered, *_noisy_but_put_back(step))
        names = list(dict.fromkeys(name for promise in promises for name in promise.columns))
        names = [name for name in names if name in evidence.released and name in evidence.before]
        if not names:
            continue
        seen = dict.fromkeys([*names, *_columns_of_conditions(promises), ID])
        parts = evidence.beside(seen, partial(_left, names, promises))
        for name in names:
            restored = _put_back(step, name)
            again = any(name in promise.rounded for promise in step.altered) or _treated(evidence.steps[number:], name)
            if again and not restored and any(part[name].moved for part in parts):
                continue  # a value that came back by chance is not one that could not be masked
            values = pl.concat([part[name].values for part in parts])
            if cells := _rare(evidence, name, values, least):
                yield Finding(
                    (
                        f"step {number} ({step.method}) should mask '{name}' but left {cells:,} "
                        f"{('value' if cells == 1 else 'values')} as {('it was' if cells == 1 else 'they were')}, "
                        f"shared by fewer than {least} people: suppress or recode them, or leave the column out"
                    )
                    + (f"; rules put values back in {restored:,} records" if restored else "")
                )


def _put_back(step: StepRecord, name: str) -> int:
    """In how many records post-editing put values back, the column among them."""
    if not _has_rules(step):
        return 0  # and nothing has to be read to know it
    return sum(f.records for f in step.told.published if isinstance(f, PutBack) and name in f.columns)


def _noisy_but_put_back(step: StepRecord) -> Iterator[Alteration]:
    """Noise changes every value, so that it promises nothing; where rules put values back, it has left some."""
    for law in step.told.published if _has_rules(step) else ():
        if isinstance(law, NoiseLaw) and (columns := tuple(name for name in law.columns if _put_back(step, name))):
            yield Alteration(columns, zeros_stay=law.keeps != "nothing", among=law.among)


def _has_rules(step: StepRecord) -> bool:
    return step.parameters.get("post_edit") is not None


def _treated(later: Sequence[StepRecord], name: str) -> bool:
    """Whether a later step changed the column again, as rounding does."""
    return any(name in step.changed or name in (step.parameters.get("columns") or ()) for step in later)


def _left(
    names: list[str], promises: Sequence[Alteration], original: pl.DataFrame, masked: pl.DataFrame
) -> dict[str, _Left]:
    return {name: _left_in_column(name, promises, original, masked) for name in names}


def _left_in_column(name: str, promises: Sequence[Alteration], original: pl.DataFrame, masked: pl.DataFrame) -> _Left:
    before, after = _numbers(original[name]), _numbers(masked[name])
    asked = pl.repeat(False, len(before), eager=True)
    for promise in promises:
        if name in promise.columns:
            here = _meets(promise.among, original) & _meets(promise.among, masked)
            asked |= here & ((before != 0) if promise.zeros_stay else True)
    same = (before == after).fill_null(False)
    asked = asked & before.is_not_null() & after.is_not_null()
    values = before.filter(asked & same).alias(_VALUE).value_counts(name=_CELLS).cast({_CELLS: pl.Int64})
    return _Left(values.sort(_CELLS, _VALUE).head(_MOST), bool((asked & ~same).any()))


def _rare(evidence: Evidence, name: str, left: pl.DataFrame, least: int) -> int:
    """How many of the cells have a value that fewer than `least` people, or households, of the original file have."""
    if not len(left):
        return 0
    cells = left.group_by(_VALUE).agg(pl.col(_CELLS).sum())
    household = evidence.before.household
    unit = household if evidence.before[name].level is Level.HOUSEHOLD else None
    count = partial(_holders, name, unit, cells[_VALUE])
    data = evidence.masking.original
    wanted = [name, *([unit] if unit else [])]
    parts = map(count, [data.table.select(wanted)]) if data.streamed is None else data.streamed.each(wanted, count)
    holders = pl.concat(parts)
    if unit:
        holders = holders.unique()
    sizes = holders.group_by(_VALUE).agg(pl.len() if unit else pl.col(_CELLS).sum().alias("len"))
    rare = cells.join(sizes.filter(pl.col("len") < least), on=_VALUE, how="semi")
    return int(rare[_CELLS].sum())


def _holders(name: str, unit: str | None, values: pl.Series, frame: pl.DataFrame) -> pl.DataFrame:
    """Records, or households, of one part of the original file that have one of the values."""
    held = frame.select(_numbers(frame[name]).alias(_VALUE), *([pl.col(unit).alias(_UNIT)] if unit else []))
    held = held.filter(pl.col(_VALUE).is_in(values.implode()))
    return held.unique() if unit else held.group_by(_VALUE).agg(pl.len().cast(pl.Int64).alias(_CELLS))


def _columns_of_conditions(promises: Sequence[Alteration]) -> list[str]:
    conditions = [promise.among for promise in promises if isinstance(promise.among, pl.Expr)]
    return list(dict.fromkeys(name for condition in conditions for name in condition.meta.root_names() if name != ID))


def _meets(condition: pl.Expr | str | None, frame: pl.DataFrame) -> pl.Series:
    """The records that a step was limited to, as far as this side of the file tells."""
    everybody = pl.repeat(True, len(frame), eager=True)
    if not isinstance(condition, pl.Expr):  # all records, or all households
        return everybody
    if len(present(frame, condition.meta.root_names())) < len(set(condition.meta.root_names())):
        return everybody  # the other side has the columns of the condition
    try:
        return frame.select(condition.fill_null(False).alias("here")).to_series()
    except pl.exceptions.PolarsError:  # a step has given a column another type; the other side still has the old one
        return everybody


def _numbers(column: pl.Series) -> pl.Series:
    """Numbers; what was recoded to categories has none."""
    if not column.dtype.is_numeric():
        return pl.Series(column.name, [None] * len(column), dtype=pl.Float64)
    return column.cast(pl.Float64)


LEFT_CELLS = Rule(
    "left cells",
    "No value that a step should have changed is released unchanged, unless enough people share it.",
    _check,
)
