"""Rule: no released column reveals a masked one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl

from ammg.analyzer.relations import codes_of, tells
from ammg.data.attribute import Role
from ammg.data.pairs.columns import differs
from ammg.kernels.linear_relations import linear_relations
from ammg.release.gate_rules.evidence import Evidence, numeric, standardised
from ammg.release.gate_rules.rule import Finding, Rule

_LEAST = 10  # records from which an exact linear relation is no accident
_NEAR = 0.9999
_MOST_CATEGORIES = 1000
_MOST_COLUMNS = 100  # columns on either side, beyond which only exact copies are sought


def _check(evidence: Evidence) -> Iterator[Finding]:
    hidden = [name for name in evidence.before.names if _is_hidden(evidence, name)]
    renumbered = {*evidence.pseudonymous, *evidence.after.with_role(Role.HOUSEHOLD)}
    shown = [name for name in evidence.released if name not in renumbered]
    if not hidden or evidence.kept < _LEAST:
        return
    original, masked = evidence.sample()
    told: set[tuple[str, str]] = set()
    for secret, name in [
        *_images(original, masked, hidden, shown),
        *_renamings(evidence, original, masked, hidden, shown),
    ]:
        if secret == name or (secret, name) in told:
            continue
        told.add((secret, name))
        copy = not differs(original[secret], masked[name])
        what = "a copy" if copy else "an exact image, value by value,"
        yield Finding(f"'{name}' would be released and is {what} of the original '{secret}': mask it too, or drop it")


def _is_hidden(evidence: Evidence, name: str) -> bool:
    """Masked columns, identifiers and household numbers: what the release must not show."""
    role = evidence.before[name].role
    if role is Role.WEIGHT:  # weights are rescaled, not masked
        return False
    if role is Role.HOUSEHOLD:  # renumbered on leaving
        return True
    return name in evidence.changed or (role is Role.IDENTIFIER and name not in evidence.released)


def _images(
    original: pl.DataFrame, masked: pl.DataFrame, hidden: list[str], shown: list[str]
) -> Iterator[tuple[str, str]]:
    """Pairs of numbers of which one is a linear function of the other; correlations say which pairs are looked at."""
    left, right = numeric(original, hidden), numeric(masked, shown)
    if not left or not right:
        return
    close = np.abs(standardised(original, left).T @ standardised(masked, right)) > _NEAR
    for i, j in np.argwhere(close):
        secret, name = left[i], right[j]
        if secret == name:
            continue
        pair = np.stack(
            [original[secret].cast(pl.Float64).to_numpy(), masked[name].cast(pl.Float64).to_numpy()], axis=1
        )
        pair = pair[~np.isnan(pair).any(axis=1)]
        if len(pair) >= _LEAST and linear_relations(pair):
            yield secret, name


def _renamings(
    evidence: Evidence, original: pl.DataFrame, masked: pl.DataFrame, hidden: list[str], shown: list[str]
) -> Iterator[tuple[str, str]]:
    """Pairs of categories that go together one to one, and texts that are the same."""
    unchanged = [name for name in shown if name in evidence.before and name not in evidence.changed]
    left = {name: codes_of(original[name]) for name in hidden[:_MOST_COLUMNS] if is_category(original[name])}
    right = {name: codes_of(masked[name]) for name in unchanged[:_MOST_COLUMNS] if is_category(masked[name])}
    for (secret, x), (name, y) in product(left.items(), right.items()):
        if secret != name and x[1] == y[1] and 2 <= x[1] <= _MOST_CATEGORIES and tells(*y, *x) and tells(*x, *y):
            yield secret, name
    texts = [name for name in unchanged if _is_text(masked[name])]
    for secret, name in product([name for name in hidden if _is_text(original[name])], texts):
        if secret != name and _same(original[secret], masked[name]):
            yield secret, name


def _same(left: pl.Series, right: pl.Series) -> bool:
    return not differs(left.head(100), right.head(100)) and not differs(left, right)


def is_category(column: pl.Series) -> bool:
    """Whether renamings of the column are sought."""
    return not column.dtype.is_float() and not column.dtype.is_nested() and not column.dtype.is_temporal()


def _is_text(column: pl.Series) -> bool:
    return column.dtype == pl.String or column.dtype == pl.Categorical or isinstance(column.dtype, pl.Enum)


COPIES = Rule(
    "copies", "No released column is a copy, linear function or recoding of a masked column or an identifier.", _check
)
