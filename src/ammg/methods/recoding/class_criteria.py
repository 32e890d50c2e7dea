"""Criteria on equivalence classes: which attributes they look at, and which classes break them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.criteria.criterion import Classes, Criterion, failing_in
from ammg.data.attribute import Attribute, Role
from ammg.data.schema import Schema
from ammg.errors import InputError

Bools = NDArray[np.bool_]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def sensitive_in(criteria: Sequence[Criterion], schema: Schema) -> tuple[str, ...]:
    """The sensitive attributes that criteria look at."""
    names: list[str] = []
    for criterion in criteria:
        about = criterion.is_about
        names += schema.with_role(Role.CONFIDENTIAL) if about is None else [schema[name].name for name in about]
    return tuple(dict.fromkeys(names))


def check_criteria(criteria: Sequence[Criterion], schema: Schema, keys: Sequence[str]) -> None:
    """Refuse a sensitive attribute that is a key, and criteria without any."""
    for name in sensitive_in(criteria, schema):
        if name in keys:
            raise InputError(
                f"'{name}' is both a key and the sensitive attribute of a criterion: it can be only one of them."
            )
    for criterion in criteria:
        if criterion.is_about is None and not schema.with_role(Role.CONFIDENTIAL):
            raise InputError(f"{criterion!r} needs a confidential attribute: give an attribute that role, or name one.")


def with_categories(attribute: Attribute, numbers: Floats | None) -> Attribute:
    """A sensitive attribute with the categories of its codes; numbers count as categories."""
    return attribute if numbers is None else attribute.replace(categories=tuple(numbers.tolist()))


@dataclass(frozen=True, eq=False)
class ClassCriteria:
    """Criteria, and the sensitive attributes in the order of the codes that come with classes."""

    criteria: tuple[Criterion, ...]
    attributes: Mapping[str, Attribute]

    @property
    def sizes(self) -> list[int]:
        """The number of categories of each sensitive attribute."""
        return [max(1, len(attribute.categories or ())) for attribute in self.attributes.values()]

    def failing(self, classes: Classes) -> Bools:
        """Which classes break a criterion."""
        return failing_in(self.criteria, classes)

    def classes(
        self,
        place: Codes,
        total: int,
        counts: Ints,
        weights: Floats | None,
        sensitive: Sequence[Codes],
        keys: Sequence[Codes] = (),
    ) -> Classes:
        """The classes of cells: `place` is the class of each cell, and `keys` are those of the classes."""
        from ammg.criteria.distributions import tabulate_cells

        records = np.bincount(place, counts, total).astype(np.int64)
        people = None if weights is None else np.bincount(place, weights, total).astype(np.float64)
        distributions = {
            name: tabulate_cells(place, total, np.ascontiguousarray(codes), size, counts)
            for name, size, codes in zip(self.attributes, self.sizes, sensitive, strict=True)
        }
        return Classes(records, people, distributions, self.attributes, keys)
