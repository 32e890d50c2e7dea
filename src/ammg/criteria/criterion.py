"""A criterion: parameters, and a test of which equivalence classes break it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, PlainSerializer

from ammg import registry
from ammg.data.attribute import Attribute
from ammg.errors import InputError, did_you_mean
from ammg.params import Parameters, param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Classes:
    """Equivalence classes, with the figures that criteria need."""

    counts: Ints
    """Records per class."""
    weights: Floats | None = None
    """Sum of the weights per class: the number of people it stands for."""
    distributions: Mapping[str, ClassDistributions] = field(default_factory=dict)
    """Distribution of each sensitive attribute in each class."""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    """The sensitive attributes, with the categories of their codes."""
    keys: Sequence[NDArray[np.int32]] = ()
    """The keys of each class as codes, -1 for missing; for criteria on combinations of some of them."""

    def __len__(self) -> int:
        return self.counts.size

    def without(self, failing: Bools) -> Classes:
        """Counts, weights and keys of the classes that do not fail."""
        weights = None if self.weights is None else self.weights[~failing]
        return Classes(self.counts[~failing], weights, keys=[column[~failing] for column in self.keys])


class Criterion(Parameters, ABC):
    """Base of all criteria. The measure of the same name gives the share of records that break it."""

    is_monotone: ClassVar[bool] = False
    """Whether merging classes can never increase the number of records that break it."""
    is_joint: ClassVar[bool] = False
    """Whether it depends on the other classes: it is then tested again without the failing ones."""

    _known: ClassVar[dict[str, type[Criterion]]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register the criteria of this package by name; classes derived from them elsewhere are not registered."""
        super().__pydantic_init_subclass__(**kwargs)
        if cls.__module__.startswith("ammg.criteria.") and not getattr(cls, "__abstractmethods__", None):
            Criterion._known[registry.snake(cls.__name__)] = cls

    @abstractmethod
    def fails_in(self, classes: Classes) -> Bools:
        """Which classes break it."""

    @property
    def is_about(self) -> tuple[str, ...] | None:
        """The sensitive attributes it considers: none, some, or None for all confidential ones."""
        return ()


class ValueCriterion(Criterion):
    """Base of the criteria on the distribution of sensitive attributes within classes."""

    attributes: tuple[str, ...] | None = param(None, "Confidential attributes; by default all of them.")

    @abstractmethod
    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """The criterion's figure for each class; the attribute has the categories of its codes."""

    @abstractmethod
    def fails(self, scores: Floats) -> Bools:
        """Which figures break the criterion."""

    @property
    def is_about(self) -> tuple[str, ...] | None:
        """The attributes named."""
        return self.attributes

    def fails_in(self, classes: Classes) -> Bools:
        """Which classes break it for at least one attribute."""
        failing = np.zeros(len(classes), np.bool_)
        for name, distributions in classes.distributions.items():
            if self.attributes is None or name in self.attributes:
                failing |= self.fails(self.score(distributions, classes.attributes[name]))
        return failing


def failing_in(criteria: Sequence[Criterion], classes: Classes) -> Bools:
    """Which classes break one of several criteria, so that the remaining ones meet all of them on their own."""
    failing = np.zeros(len(classes), np.bool_)
    for criterion in criteria:
        if not criterion.is_joint:
            failing |= criterion.fails_in(classes)
    joint = [criterion for criterion in criteria if criterion.is_joint]
    while joint:
        left = np.flatnonzero(~failing)
        rest = classes.without(failing)
        worse = np.any([criterion.fails_in(rest) for criterion in joint], axis=0)
        if not worse.any():
            break
        failing[left[worse]] = True
    return failing


def named(name: str) -> type[Criterion]:
    """The criterion with a name, as in project files."""
    from ammg.criteria import class_sizes, sensitive_values  # noqa: F401  (importing them registers the criteria)

    if name not in Criterion._known:
        raise InputError(f"Unknown criterion '{name}'.{did_you_mean(name, Criterion._known)}")
    return Criterion._known[name]


def _read(given: Any) -> Any:
    if isinstance(given, Mapping | Criterion | str):
        given = [given]
    if not isinstance(given, Sequence):
        raise ValueError("write it as a list such as [{distinct_l_diversity: 3}]")
    return tuple(_read_one(item) for item in given)


def _read_one(item: Any) -> Criterion:
    if isinstance(item, Criterion):
        return item
    if isinstance(item, str):
        return named(item)()
    if not isinstance(item, Mapping) or len(item) != 1:
        raise ValueError(f"{item!r} is not a criterion: write its name and parameters, such as {{k_map: {{k: 5}}}}")
    ((name, parameters),) = item.items()
    unit = named(str(name))
    if isinstance(parameters, Mapping):
        return unit(**parameters)
    first = next(field for field in unit.model_fields if field != "attributes")
    return unit(**{first: parameters})


def _written(criteria: tuple[Criterion, ...]) -> list[dict[str, Any]]:
    return [{registry.snake(type(c).__name__): c.model_dump(mode="json", exclude_unset=True)} for c in criteria]


Criteria = Annotated[tuple[Criterion, ...], BeforeValidator(_read), PlainSerializer(_written)]
"""Criteria as a parameter of a unit: `[{distinct_l_diversity: {least: 3, attributes: [disease]}}, {k_map: 5}]`."""
