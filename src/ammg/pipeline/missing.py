"""One policy for missing values in all methods that treat columns jointly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import polars as pl

from ammg.engines.engine import EngineSource
from ammg.errors import InputError
from ammg.methods.method import MultivariateMethod, Plan
from ammg.summaries.counts import MissingCounts, MissingPatterns

Applied = tuple[EngineSource, list[Plan]]
Pattern = tuple[tuple[str, ...], pl.Expr, int]
"""Columns that have a value, which records those are, and how many."""


def refuse_missing(source: EngineSource, method: MultivariateMethod) -> None:
    """Stop if any masked column lacks a value."""
    names = method.chosen(source.schema)
    source = source.with_categories(names)
    counts = source.fold(MissingCounts(names))
    for name, count in zip(names, counts, strict=True):
        if count:
            raise InputError(
                f"Column '{name}' has {int(count):,} missing values, which {method.name} refuses: use missing: "
                "available or by_pattern, or impute them."
            )


def by_pattern(
    source: EngineSource,
    method: MultivariateMethod,
    apply: Callable[[EngineSource, MultivariateMethod, str, bool], Applied],
) -> Applied:
    """Mask each pattern of missing values with the columns it has, where at least 2(m+1) records and 2k share it.

    Records of rarer patterns are masked in what they have, planned from all records: a few of them would tell too
    little about spread, and a single one nothing at all. The least frequent of the others join them where they alone
    have fewer than k values of a column.
    """
    if method.where is not None:
        raise InputError(f"{method.name}: missing: by_pattern and a condition cannot be combined; use available.")
    names = method.chosen(source.schema)
    observed = {name: _is_observed(name, source.types[name]) for name in names}
    counts = source.with_categories(names).fold(MissingPatterns(names))
    patterns: list[Pattern] = [
        (tuple(name for name, seen in zip(names, pattern, strict=True) if seen), _is_pattern(observed, pattern), count)
        for pattern, count in sorted(counts.items(), key=lambda entry: (entry[1], entry[0]), reverse=True)
        if any(pattern)
    ]
    enough = 2 * max(len(names) + 1, method.least_together)
    frequent = sum(count >= enough for *_, count in patterns)
    while frequent and _has_too_few(patterns[frequent:], method.least_together):
        frequent -= 1
    plans: list[Plan] = []
    if rare := [here for _, here, _ in patterns[frequent:]]:  # first, while the others still are as they were
        source, plans = apply(source, _limited(method, names, pl.any_horizontal(rare)), "rare patterns", True)
    for present, here, _ in patterns[:frequent]:
        source, made = apply(source, _limited(method, present, here), "+".join(present), False)
        plans = [*plans, *made]
    return source, plans


def _has_too_few(patterns: list[Pattern], least: int) -> bool:
    """Whether these patterns together have values of a column, but fewer than the method must have."""
    values: Counter[str] = Counter()
    for present, _, count in patterns:
        values.update(dict.fromkeys(present, count))
    return any(count < least for count in values.values())


def _is_pattern(observed: Mapping[str, pl.Expr], pattern: Sequence[bool]) -> pl.Expr:
    return pl.all_horizontal([here == seen for here, seen in zip(observed.values(), pattern, strict=True)])


def _limited(method: MultivariateMethod, columns: tuple[str, ...], where: pl.Expr) -> MultivariateMethod:
    return method.model_copy(update={"columns": columns, "missing": "available", "where": where})


def _is_observed(name: str, dtype: pl.DataType) -> pl.Expr:
    here = pl.col(name).is_not_null()
    return here & pl.col(name).is_not_nan() if dtype.is_float() else here
