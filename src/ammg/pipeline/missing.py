"""One policy for missing values in all methods that treat columns jointly."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ammg.engines.engine import EngineSource
from ammg.errors import InputError
from ammg.methods.method import MultivariateMethod, Plan
from ammg.summaries.counts import MissingCounts

Applied = tuple[EngineSource, list[Plan]]


def refuse_missing(source: EngineSource, method: MultivariateMethod) -> None:
    """Stop if any masked column lacks a value."""
    names = method.chosen(source.schema)
    source = source.with_categories(names)
    counts = source.fold(MissingCounts(names))
    for name, count in zip(names, counts, strict=True):
        if count:
            raise InputError(
                f"Column '{name}' lacks {int(count):,} values and {method.name} was told to refuse them: "
                "use missing: available or by_pattern, or fill them in."
            )


def by_pattern(
    source: EngineSource,
    method: MultivariateMethod,
    apply: Callable[[EngineSource, MultivariateMethod, str], Applied],
) -> Applied:
    """Mask each pattern of missing values with the columns it has, where at least 2(m+1) records share it.

    Records of rarer patterns are masked together, each in what it has.
    """
    if method.where is not None:
        raise InputError(f"{method.name}: missing: by_pattern and a condition cannot be combined; use available.")
    names = method.chosen(source.schema)
    observed = {name: pl.col(name).is_not_null() for name in names}
    counts = source.collect().select(**observed).group_by(names).len().sort("len", *names, descending=True)
    plans: list[Plan] = []
    rest: pl.Expr | None = None
    for *pattern, count in counts.rows():
        present = tuple(name for name, seen in zip(names, pattern, strict=True) if seen)
        here = pl.all_horizontal([observed[n] == seen for n, seen in zip(names, pattern, strict=True)])
        if not present:
            continue
        if count < 2 * (len(names) + 1):
            rest = here if rest is None else rest | here
            continue
        source, made = apply(source, _limited(method, present, here), "+".join(present))
        plans.extend(made)
    if rest is not None:
        source, made = apply(source, _limited(method, names, rest), "rare patterns")
        plans.extend(made)
    return source, plans


def _limited(method: MultivariateMethod, columns: tuple[str, ...], where: pl.Expr) -> MultivariateMethod:
    return method.model_copy(update={"columns": columns, "missing": "available", "where": where})
