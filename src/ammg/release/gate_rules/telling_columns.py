"""Rule: no column that leaves tells what a masked one was."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.analyzer.relations import codes_of
from ammg.data.attribute import Role
from ammg.data.microdata import Microdata
from ammg.data.pairs.members import IN_VAIN, SAMPLE, TELLING, some_households, told_columns
from ammg.release.gate_rules.copies import is_category
from ammg.release.gate_rules.evidence import Evidence, numeric, standardised
from ammg.release.gate_rules.rule import Finding, Rule

_TOLD = 0.99  # of the values that guessing the most frequent one misses: a few wrong entries hide no relation
_LEAST = 10.0  # pairs of independent values that chance would have broken
_EACH = 5.0  # records to each value, on average: fewer may be those of one household or person
_MOST_COLUMNS = 100  # columns on either side
_SAME_ORDER = 0.9999  # rank correlation from which the order of one column gives the values of the other back
_FIRST = 1000  # most pairs fail on so many records

Codes = tuple[NDArray[np.int64], int]


def _check(evidence: Evidence) -> Iterator[Finding]:
    households = evidence.after.with_role(Role.HOUSEHOLD)
    for home in households:
        yield from _told_by_members(evidence, home)
    hidden = [name for name in evidence.before.names if _is_hidden(evidence, name)][:_MOST_COLUMNS]
    shown = [n for n in evidence.released if n not in evidence.pseudonymous and n not in households][:_MOST_COLUMNS]
    if not hidden:
        return
    original, masked = _one_of_each_household(evidence)
    if not shown:
        return
    ordered = set(_same_order(original, masked, hidden, shown))
    left, right = _coded(masked, shown), _coded(original, hidden)
    for secret in right:
        for name in left:
            if name == secret:
                continue
            each = len(original) / max(left[name][1], 1)
            if (secret, name) in ordered:
                yield Finding(
                    f"'{name}' would be released and puts the records in the order of what '{secret}' was, "
                    "which gives it back: mask it too, or drop it"
                )
            elif _tells(left[name], right[secret]):
                if is_category(original[secret]) and is_category(masked[name]) and _renames(left[name], right[secret]):
                    continue
                known = name in evidence.before and name not in evidence.changed
                design = evidence.after[name].role is Role.WEIGHT
                yield Finding(
                    f"'{name}' would be released and reveals what '{secret}' was, as each of its values goes with one: "
                    "mask it too, or drop it",
                    blocks=known and not design and each >= _EACH,
                )


def _told_by_members(evidence: Evidence, home: str) -> Iterator[Finding]:
    """Masked columns that the number of released members of a household tells, such as the size of the household."""
    if home not in evidence.released:
        return
    names = [name for name in evidence.before.names if _is_hidden(evidence, name, dropped=True)]
    look = partial(some_households, home, names, min(1.0, SAMPLE / max(evidence.kept, 1)))
    homes = evidence.beside([home, *names], look) if names else []
    shares = told_columns(Microdata(pl.concat(homes)), home, names) if homes else {}
    for secret, share in shares.items():
        if share >= TELLING:
            in_vain = share >= IN_VAIN and secret in evidence.changed
            nearly = "" if share >= IN_VAIN else ", for most households,"
            yield Finding(
                f"'{home}' would be released, and the number of its members reveals{nearly} what '{secret}' was: drop "
                f"'{home}' in a last step (identifier_removal), or leave '{secret}' as it is and mask other columns",
                blocks=in_vain,
            )


def _is_hidden(evidence: Evidence, name: str, *, dropped: bool = False) -> bool:
    """Whether a column is masked or, if asked for, dropped; design columns and identifiers have rules of their own."""
    if evidence.before[name].role in (Role.WEIGHT, Role.HOUSEHOLD, Role.IDENTIFIER) or name in evidence.pseudonymous:
        return False
    return name in evidence.changed or (dropped and name not in evidence.after)


def _one_of_each_household(evidence: Evidence) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Some originals and what is released for them; members of a household share values without telling anything."""
    original, masked = evidence.sample()
    home = evidence.before.household
    if home is None or home not in original.columns:
        return original, masked
    first = original[home].is_first_distinct() | original[home].is_null()
    return original.filter(first), masked.filter(first)


def _coded(frame: pl.DataFrame, names: list[str]) -> dict[str, Codes]:
    flat = [name for name in names if name in frame.columns and _is_flat(frame[name].dtype)]
    return {name: codes_of(frame[name]) for name in flat}


def _is_flat(dtype: pl.DataType) -> bool:
    return not dtype.is_nested() and dtype not in (pl.Binary, pl.Object, pl.Null)


def _same_order(
    original: pl.DataFrame, masked: pl.DataFrame, hidden: list[str], shown: list[str]
) -> Iterator[tuple[str, str]]:
    """Pairs of numbers that rise or fall together, without being linear images, which the rule of copies finds."""
    left, right = numeric(original, hidden), numeric(masked, shown)
    if not left or not right or len(original) < _LEAST:
        return
    ranks = [_ranks(frame, names) for frame, names in ((original, left), (masked, right))]
    alike = np.abs(ranks[0].T @ ranks[1]) > _SAME_ORDER
    lines = np.abs(standardised(original, left).T @ standardised(masked, right)) > _SAME_ORDER
    for i, j in np.argwhere(alike & ~lines):
        if left[i] != right[j] and original[left[i]].n_unique() >= _LEAST:
            yield left[i], right[j]


def _ranks(frame: pl.DataFrame, names: list[str]) -> NDArray[np.float64]:
    return standardised(frame.select(pl.col(names).cast(pl.Float64).fill_nan(None).rank()), names)


def _tells(left: Codes, right: Codes) -> bool:
    """Whether the values of one column tell nearly all values of the other, and would not if they were independent."""
    few = (1 - _TOLD) * len(left[0])
    if left[1] < 2 or right[1] < 2 or left[1] > len(left[0]) - _LEAST or right[1] > left[1] + few:
        return False  # nothing is shared, or a function would have to have more values than its argument
    return all(_told(left, right, rows) for rows in (_FIRST, len(left[0])))


def _told(left: Codes, right: Codes, rows: int) -> bool:
    x, y = left[0][:rows], right[0][:rows]
    both = (x >= 0) & (y >= 0)
    x, y = x[both], y[both]
    if not len(x):
        return False
    pairs, counts = np.unique(x * right[1] + y, return_counts=True)
    most = np.zeros(left[1], dtype=np.int64)
    np.maximum.at(most, pairs // right[1], counts)
    sizes, frequent = np.bincount(x, minlength=left[1]), np.bincount(y)
    shared = sizes > 1  # a value that one record has tells nothing
    total = int(sizes[shared].sum())
    missed = total * (1 - frequent.max() / len(y))
    chances = (sizes[shared] - 1).sum() * (1 - np.square(frequent / len(y)).sum())
    return bool(chances >= _LEAST and total - most[shared].sum() <= (1 - _TOLD) * missed)


def _renames(left: Codes, right: Codes) -> bool:
    """Whether the two go together one to one, which is the business of the rule of copies."""
    both = (left[0] >= 0) & (right[0] >= 0)
    pairs = len(np.unique(left[0][both] * right[1] + right[0][both]))
    return left[1] == right[1] == pairs


TELLING_COLUMNS = Rule(
    "telling columns",
    "No unmasked column, nor the number of members of a household, shows what a masked column was.",
    _check,
)
