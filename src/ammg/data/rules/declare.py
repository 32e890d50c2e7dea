"""Declared rules: their columns exist, none is repeated or contradicts another, and most records meet them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np
import polars as pl

from ammg.data.attribute import Kind
from ammg.data.rules.contradictions import contradiction
from ammg.data.rules.edits import RangeRule
from ammg.data.rules.household_sum import TOTAL, HouseholdSum
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.rule import Rule
from ammg.data.rules.values import Values
from ammg.data.schema import Schema
from ammg.errors import AmmgError, Cancelled, InputError, did_you_mean
from ammg.kernels.residues import Terms

Each = Callable[[Sequence[str], Callable[[pl.DataFrame], Any]], Iterable[Any]]
"""Apply a function to the named columns chunk by chunk, wherever the records are stored."""

_LEAST = 0.5  # a rule that holds in a smaller share of records is taken to be a mistake


def declared(
    schema: Schema,
    types: Mapping[str, pl.DataType],
    given: Sequence[Any],
    each: Each,
    read: Callable[[Any], Rule],
) -> Schema:
    """The schema with more rules; reports every problem with them."""
    problems: list[str] = []
    found: list[Rule] = []
    for entry in given:
        try:
            rule = read(entry)
            wrong = list(_problems(rule, schema, types, [*schema.rules, *found]))
            problems += [f"{noun(rule).capitalize()} '{rule}': {problem}" for problem in wrong]
            if not wrong:
                found.append(_counted(rule, each))
        except Cancelled:
            raise
        except AmmgError as error:
            problems.append(str(error))
    if problems:
        listed = "".join(f"\n  - {problem}" for problem in problems)
        raise InputError(problems[0] if len(problems) == 1 else f"The rules have {len(problems)} problems:{listed}")
    return schema.with_rules(*found)


def noun(rule: Rule) -> str:
    """What messages call a rule."""
    return "identity" if isinstance(rule, LinearRule) and rule.is_identity else "rule"


def exceptions(rule: Rule, records: int) -> str:
    """A sentence that says in how many records a rule does not hold."""
    if isinstance(rule, HouseholdSum):
        return f"'{rule}' does not hold in {rule.broken:,} households: it is used as declared; correct them if wrong."
    return (
        f"'{rule}' does not hold in {rule.broken:,} of {records:,} records: it is used as declared; correct "
        "those records if they are wrong."
    )


def _problems(rule: Rule, schema: Schema, types: Mapping[str, pl.DataType], known: Sequence[Rule]) -> Iterator[str]:
    there = [name for name in rule.columns if name in schema]
    for name in rule.columns:
        if name not in schema:
            yield f"column '{name}' not found.{did_you_mean(name, schema.names)}"
        elif name in rule.numeric and not (schema[name].kind & Kind.NUMERIC and types[name].is_numeric()):
            yield f"column '{name}' is {schema[name].kind.label}, and {_about(rule)} numbers."
        elif types[name].is_temporal() and types[name] != pl.Date:
            yield f"column '{name}' is {types[name]}, and rules compare dates without a time only: convert it first."
        elif types[name].is_nested():
            yield f"column '{name}' is {types[name]}, which no rule can compare: drop it or convert it first."
    for other in known:
        if rule.says_the_same_as(other):
            yield f"it is given twice, also as '{other}': keep one."
            return
    if len(there) == len(rule.columns) and (against := contradiction(rule, known)) is not None:
        yield against


def _about(rule: Rule) -> str:
    return "limits are about" if isinstance(rule, RangeRule) else "sums are about"


def _counted(rule: Rule, each: Each) -> Rule:
    """The rule with the number of records in which it does not hold."""
    if isinstance(rule, LinearRule) and rule.is_identity:
        return _counted_identity(rule, each)
    if isinstance(rule, HouseholdSum):
        homes = rule.merged(each(rule.columns, rule.homes)).filter(pl.col(TOTAL).is_not_null())
        counted, broken, what = len(homes), homes.filter(rule.missed()).height, "households"
    else:
        parts = [np.zeros(2, dtype=np.int64), *each(rule.columns, partial(_counts, rule))]
        counted, broken = (int(number) for number in np.sum(parts, axis=0))
        what = "records that it is about"
    if counted and counted - broken < _LEAST * counted:
        raise InputError(
            f"Rule '{rule}' does not hold in {broken:,} of the {counted:,} {what}: correct the rule or the data."
        )
    return replace(rule, broken=broken)


def _counts(rule: Rule, frame: pl.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Records of a chunk that the rule is about, and those that break it."""
    return np.array([rule.concerns(Values(frame)).sum(), rule.check(frame).sum()], dtype=np.int64)


def _counted_identity(rule: LinearRule, each: Each) -> LinearRule:
    """Count in two passes: the first determines the tolerance for rounding."""
    terms = reduce(Terms.merge, each(rule.columns, partial(_terms, rule)), _nothing(rule))
    measured = replace(rule, tolerance=terms.tolerance(rule.constant))
    broken = sum(each(rule.columns, partial(count_broken, measured)))
    if terms.records and terms.records - broken < _LEAST * terms.records:
        raise InputError(
            f"Identity '{rule}' does not hold in {broken:,} of the {terms.records:,} records that have all its "
            "members: correct the formula or the data."
        )
    return replace(measured, broken=broken)


def count_broken(rule: Rule, frame: pl.DataFrame) -> int:
    """Records that break a rule."""
    return int(rule.check(frame).sum())


def _terms(rule: LinearRule, frame: pl.DataFrame) -> Terms:
    return Terms.of(rule.complete(frame), rule.weights)


def _nothing(rule: LinearRule) -> Terms:
    return Terms.of(np.empty((0, len(rule.columns))), rule.weights)
