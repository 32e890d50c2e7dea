"""Declared identities: about columns that are there and are numbers, each once, and true of most records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.identity import LinearIdentity
from ammg.data.schema import Schema
from ammg.errors import AmmgError, InputError, did_you_mean
from ammg.kernels.residues import Terms, residues

Each = Callable[[Sequence[str], Callable[[pl.DataFrame], Any]], Iterable[Any]]
"""Results of some work on the named columns, chunk by chunk, wherever the records are."""

_LEAST = 0.5  # share of records in which an identity holds, below which it is a mistake


def declared(schema: Schema, types: Mapping[str, pl.DataType], given: Sequence[str], each: Each) -> Schema:
    """The schema with more identities; every problem with them is reported."""
    problems: list[str] = []
    found: list[LinearIdentity] = []
    for text in given:
        try:
            identity = _readable(text)
            wrong = list(_problems(identity, schema, types, [*schema.identities, *found]))
            problems += [f"Identity '{text}': {problem}" for problem in wrong]
            if not wrong:
                found.append(_counted(identity, each))
        except AmmgError as error:
            problems.append(str(error))
    if problems:
        listed = "".join(f"\n  - {problem}" for problem in problems)
        raise InputError(
            problems[0] if len(problems) == 1 else f"The identities have {len(problems)} problems:{listed}"
        )
    return schema.with_identities(*found)


def exceptions(identity: LinearIdentity, records: int) -> str:
    """In how many records an identity does not hold, in a sentence."""
    return (
        f"'{identity}' does not hold in {identity.broken:,} of {records:,} records: it is used as declared; correct "
        "those records if they are wrong."
    )


def matrix(frame: pl.DataFrame, names: Sequence[str]) -> NDArray[np.float64]:
    """Columns as float64, missing as NaN."""
    return frame.select(pl.col(list(names)).cast(pl.Float64).fill_null(float("nan"))).to_numpy()


def _readable(text: str) -> LinearIdentity:
    if not isinstance(text, str):
        raise InputError(f"Identity {text!r} is not text such as 'income = wages + pensions'.")
    return LinearIdentity.parse(text)


def _problems(
    identity: LinearIdentity, schema: Schema, types: Mapping[str, pl.DataType], known: Sequence[LinearIdentity]
) -> Iterator[str]:
    for name in identity.columns:
        if name not in schema:
            yield f"column '{name}' not found.{did_you_mean(name, schema.names)}"
        elif not (schema[name].kind & Kind.NUMERIC and types[name].is_numeric()):
            yield f"column '{name}' is {schema[name].kind.label}, and sums are about numbers."
    for other in known:
        if identity.says_the_same_as(other):
            yield f"it is given twice, also as '{other}': keep one."
        elif identity.contradicts(other):
            yield f"it contradicts '{other}': keep one."


def _counted(identity: LinearIdentity, each: Each) -> LinearIdentity:
    """With the number of records in which it does not hold; two passes, the first finds what is rounding."""
    terms = reduce(Terms.merge, each(identity.columns, partial(_terms, identity)), _nothing(identity))
    tolerance = terms.tolerance(identity.constant)
    broken = sum(each(identity.columns, partial(count_broken, identity, tolerance)))
    if terms.records and terms.records - broken < _LEAST * terms.records:
        raise InputError(
            f"Identity '{identity}' does not hold in {broken:,} of the {terms.records:,} records that have all its "
            "members: correct the formula or the data."
        )
    return replace(identity, broken=broken, tolerance=tolerance)


def count_broken(identity: LinearIdentity, tolerance: float, frame: pl.DataFrame) -> int:
    """Records that have all members and miss the identity by more than the tolerance."""
    return int((residues(_complete(identity, frame), _coefficients(identity), identity.constant) > tolerance).sum())


def _terms(identity: LinearIdentity, frame: pl.DataFrame) -> Terms:
    return Terms.of(_complete(identity, frame), _coefficients(identity))


def _nothing(identity: LinearIdentity) -> Terms:
    return Terms.of(np.empty((0, len(identity.columns))), _coefficients(identity))


def _complete(identity: LinearIdentity, frame: pl.DataFrame) -> NDArray[np.float64]:
    values = matrix(frame, identity.columns)
    return values[np.isfinite(values).all(axis=1)]


def _coefficients(identity: LinearIdentity) -> NDArray[np.float64]:
    return np.array(list(identity.coefficients.values()))
