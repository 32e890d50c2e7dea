"""Which columns describe the household: those that never differ between its members."""

from __future__ import annotations

import polars as pl

_LEAST = 5.0  # differences to be expected by chance before their absence says something


def household_columns(sample: pl.DataFrame, household: str) -> list[str]:
    """The columns, other than `household`, that are constant within every household of the sample.

    A column counts only if members drawn at random would have differed at least five times, so that a rare answer or
    a file of singles proves nothing.
    """
    members = sample.group_by(household).agg(pl.len().alias("members"), pl.exclude(household).n_unique())
    together = members.filter(pl.col("members") > 1)
    extra = float((together["members"] - 1).sum())
    found = []
    for name in sample.columns:
        if name == household or not len(together) or (together[name] > 1).any():
            continue
        shares = sample[name].value_counts(normalize=True)["proportion"]
        if extra * (1 - float((shares**2).sum())) >= _LEAST:
            found.append(name)
    return found


def mean_size(sample: pl.DataFrame, household: str) -> float:
    """Records for each household of the sample."""
    return len(sample) / max(sample[household].n_unique(), 1)
