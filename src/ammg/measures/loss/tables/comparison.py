"""Shared base of the losses of categories: common categories of both files, and their tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ammg.errors import NotDefined
from ammg.kernels.loss.tables import spread_classes

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Names = tuple[str, ...]

MOST_CELLS = 5_000_000
"""Tables of more cells are left out and counted."""


@dataclass(frozen=True, eq=False)
class Transition:
    """How masking changed the categories of one attribute.

    A release may show classes of several categories; what an analyst then knows of a record is the class.
    """

    joint: Floats
    """Originals by category (rows) and released class (columns); last the missing, and those that are gone."""
    own: Ints
    """The class that stands for each category, -1 if it became missing."""
    classes: Ints
    categories: Ints
    """Class `classes[i]` may stand for `categories[i]`."""
    is_linked: bool = True
    """Whether it is known what became of each record; else `joint` is empty, and names alone tell classes."""

    @property
    def size(self) -> int:
        """Categories of the original."""
        return len(self.own)

    @cached_property
    def members(self) -> Ints:
        """How many categories each class may stand for."""
        return np.bincount(self.classes, minlength=self.joint.shape[1] - 1)

    @property
    def observed(self) -> Floats:
        """The originals that were not missing.

        Raises:
            NotDefined: there is no link between the records of both files.
        """
        if not self.is_linked:
            raise NotDefined("no link between masked and original records")
        return self.joint[:-1]

    def in_categories(self, table: Floats, axis: int) -> Floats:
        """A table of released classes as one of original categories."""
        if self._is_one_to_one:
            return table
        return spread_classes(table, axis, self.classes, self.categories, self.size)

    @cached_property
    def _is_one_to_one(self) -> bool:
        """Whether each class is the category with its number."""
        numbers = np.arange(self.size)
        classes = self.joint.shape[1] - 1 == self.size and np.array_equal(self.classes, numbers)
        return classes and np.array_equal(self.categories, numbers)


def transition(joint: Floats, own: Ints, named: bool) -> Transition:
    """The transition that counts show.

    Unless a recoding is `named`, classes that share no name with a category were merged by a step that does not say
    how: then they stand for what they were released for.
    """
    classes = joint.shape[1] - 1
    kept = np.bincount(own[own >= 0], minlength=classes) > 0
    shown = joint[:-1, :-1]
    if not named and not shown[:, kept].any() and shown.any():
        own = np.where(shown.any(axis=1), shown.argmax(axis=1), -1)
    known = np.flatnonzero(own >= 0)
    pairs = [(own[known], known)]
    for strange in np.flatnonzero(np.bincount(own[known], minlength=classes) == 0).tolist():
        found = np.flatnonzero(shown[:, strange]) if shown[:, strange].any() else np.arange(len(own))
        pairs.append((np.full(len(found), strange), found))
    classes_of, categories = (np.concatenate(side).astype(np.int64) for side in zip(*pairs, strict=True))
    return Transition(joint, own, classes_of, categories)


@dataclass(frozen=True, eq=False)
class TableComparison(ABC):
    """Tables before and after masking, made once for all measures of a pair."""

    names: Names

    @abstractmethod
    def transition(self, name: str) -> Transition:
        """What became of the categories of an attribute."""

    @abstractmethod
    def raw(self, names: Names) -> tuple[Floats, Floats]:
        """The tables of both files, the masked one by released classes."""

    def tables(self, names: Names) -> tuple[Floats, Floats]:
        """The tables of both files in original categories; the last entry of every axis is for missing values."""
        before, after = self.raw(names)
        for axis, name in enumerate(names):
            after = self.transition(name).in_categories(after, axis)
        return before, after

    def cells(self, names: Names) -> int:
        """Cells of the largest table that is needed to compare the table which some attributes span."""
        shapes = [self.shape(name) for name in names]
        sides = [prod(shape[side] + 1 for shape in shapes) for side in (0, 1)]
        return max(*sides, *((size + 1) * (classes + 1) for size, classes in shapes))

    def countable(self) -> list[str]:
        """The attributes with so few categories that they can be counted before and after."""
        self.code(self.names)
        return [name for name in self.names if self.cells((name,)) <= MOST_CELLS]

    @abstractmethod
    def shape(self, name: str) -> tuple[int, int]:
        """Categories of the original and classes of the release."""

    def is_same(self, names: Names) -> bool:
        """Whether it is known without counting that a table is the same in both files."""
        return False

    def small(self, spanned: Sequence[Names]) -> list[Names]:
        """The tables that have few enough cells to be compared, counted together where that is quicker."""
        self.code(dict.fromkeys(name for names in spanned for name in names))
        small = [names for names in spanned if self.cells(names) <= MOST_CELLS]
        self.prepare(small)
        return small

    def code(self, names: Iterable[str]) -> None:  # noqa: B027
        """Code many attributes at once where that is quicker than one by one."""

    def prepare(self, spanned: Sequence[Names]) -> None:  # noqa: B027
        """Count many tables at once where that is quicker than one by one."""
