"""What a published description of a method tells an intruder.

Methods publish these facts with their plan, and method-aware attacks match on them; so no measure names a method, and
plug-ins are covered. They never hold the secret or an original value that the release does not show.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import joined, match_categories

HOUSEHOLDS = "households"


@dataclass(frozen=True)
class Published:
    """The columns that a method changed; subclasses describe how.

    `among` is the condition, as an expression of the table, that limits a step to some records, `HOUSEHOLDS` for a
    step on households, and None for one on all records.
    """

    columns: tuple[str, ...]
    among: Any = field(default=None, kw_only=True, compare=False, repr=False)

    by_column: ClassVar[bool] = False
    """Whether it says the same of each column, so that it still holds when some of them are left out."""

    def without(self, names: Collection[str]) -> Published | None:
        """What is left to say when some columns are known as they were; None if it is about no other column."""
        rest = tuple(name for name in self.columns if name not in names)
        if not rest and self.columns:
            return None
        return replace(self, columns=rest) if self.by_column and rest != self.columns else self


@dataclass(frozen=True)
class RankWindow(Published):
    """Values were exchanged within `reach` ranks, all or nearly all of them; one reach per column.

    With strata `within`, ranks are counted in each stratum, and the reach shrinks with it: it is the same share of the
    stratum's records as `reach` is of the file. With `trade`, values were exchanged in pairs.
    """

    reach: tuple[int, ...]
    within: tuple[str, ...] = ()
    trade: bool = False


@dataclass(frozen=True, eq=False)
class NoiseLaw(Published):
    """Noise with this covariance was added.

    `scale` and `centre` undo a published rescaling z = scale·y + (1-scale)·centre.
    `mixture` is None for normal noise, else (weights, means, variance) of the standardised components before
    colouring with `factor`, where covariance = strength · factor @ factor.T. If `logarithmic`, noise with this `mean`
    and covariance was added to the logarithms of absolute values. `quantiles` describe standardised noise that is
    neither normal nor a mixture, at equal steps of probability; the noise is then independent between columns. `joint`
    describes a mixture whose component is drawn once per record, along secret directions: their number, and the share
    of the covariance inside each. `keeps` says whether masked zeros, or all signs, are those of the original. Columns
    in `floors` have zero as lower bound, because of how the step treats values beyond bounds. With strata `within`,
    deviations were taken within strata, and the covariance is that of all records together.
    """

    covariance: NDArray[np.float64]
    strength: float
    scale: float = 1.0
    centre: NDArray[np.float64] | None = None
    factor: NDArray[np.float64] | None = None
    mixture: tuple[tuple[float, ...], tuple[float, ...], float] | None = None
    logarithmic: bool = False
    mean: float = 0.0
    quantiles: NDArray[np.float64] | None = None
    joint: tuple[int, float] | None = None
    keeps: Literal["nothing", "zeros", "signs"] = "nothing"
    floors: tuple[str, ...] = ()
    within: tuple[str, ...] = ()


@dataclass(frozen=True)
class Groups(Published):
    """Records share the aggregate of their group of at least `size`; if `joint`, one grouping serves all columns.

    With strata `within`, groups do not cross them.
    """

    by_column: ClassVar[bool] = True

    size: int
    joint: bool = True
    within: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroupSums(Published):
    """Groups of at least `size` share an aggregate, to which noise was added that sums to zero over the group."""

    by_column: ClassVar[bool] = True

    size: int


@dataclass(frozen=True, eq=False)
class Transition(Published):
    """Categories changed at random with these probabilities: row = original, column = released.

    If columns changed together, their categories are combinations: one value per column, None where it is missing.
    With `within`, the matrix applies to records whose columns `within` have the values `group`.
    """

    matrix: NDArray[np.float64]
    categories: tuple[Any, ...]
    within: tuple[str, ...] = ()
    group: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Swapped(Published):
    """A share `rate` of the records exchanged these values with a record that agrees on the columns `within`.

    If `risky`, records at risk were chosen first.
    """

    by_column: ClassVar[bool] = True

    rate: float
    within: tuple[str, ...] = ()
    risky: bool = False


@dataclass(frozen=True)
class Recoding(Published):
    """Values were merged into the categories `after`: code by code, or numbers by the `bounds` of intervals.

    `before` is the attribute's dictionary when the step was planned (or a list of single numbers), and `codes[i]` the
    new code of `before[i]`, -1 if it became missing. With `bounds` (not None) the new code of a number is the position
    of its interval. Anyone who knows an original value can recode it in the same way, so attacks compare on the recoded
    scale (`Pair.common_codes`). Several recodings of a column apply one after the other.
    """

    by_column: ClassVar[bool] = True

    after: tuple[Any, ...]
    before: tuple[Any, ...] = ()
    codes: tuple[int, ...] = ()
    bounds: tuple[float, ...] | None = None
    right_closed: bool = False

    def __post_init__(self) -> None:
        """Check that every category of `before` has a valid new code."""
        if len(self.before) != len(self.codes):
            raise ValueError(f"{len(self.before)} categories have {len(self.codes)} new codes")
        if any(not -1 <= code < len(self.after) for code in self.codes):
            raise ValueError(f"a new code is not among the {len(self.after)} categories after the recoding")

    def table(self, categories: Sequence[Any]) -> tuple[NDArray[np.int32], tuple[Any, ...]]:
        """The new code of each category, then -1 for missing, and the dictionary of the new codes.

        A category unknown to the recoding (a person in an external file may have one) is kept.
        """
        if self.bounds is not None:
            side: Literal["left", "right"] = "left" if self.right_closed else "right"
            place = np.searchsorted(np.array(self.bounds), np.array(categories, dtype=np.float64), side=side)
            return np.append(place, -1).astype(np.int32), self.after
        known = match_categories(categories, self.before)
        unknown = np.flatnonzero(known < 0)
        new = np.array([*self.codes, -1], dtype=np.int32)[known]
        dictionary, places = joined(self.after, [categories[code] for code in unknown.tolist()])
        new[unknown] = places
        return np.append(new, np.int32(-1)), dictionary


@dataclass(frozen=True)
class ValueSets(Published):
    """Each released category stands for a set of values; records with one value may show different categories.

    For numbers, the set of category i is the interval from `lower[i]` to `upper[i]`, both included; otherwise it is the
    categories `before[code]` for the codes in `members[i]`. Anyone who knows a value knows which sets contain it.
    """

    by_column: ClassVar[bool] = True

    after: tuple[Any, ...]
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    before: tuple[Any, ...] = ()
    members: tuple[tuple[int, ...], ...] = ()

    @property
    def is_numeric(self) -> bool:
        """Whether the sets are intervals."""
        return bool(self.lower)

    def sizes(self) -> NDArray[np.float64]:
        """The size of each set: the width of an interval, or the number of categories."""
        if self.is_numeric:
            return np.asarray(np.array(self.upper) - np.array(self.lower))
        return np.array([len(codes) for codes in self.members], dtype=np.float64)

    def holding(self, values: Sequence[Any]) -> NDArray[np.bool_]:
        """Sets × values: which sets contain which values."""
        if self.is_numeric:
            numbers = np.array(values, dtype=np.float64)
            return (np.array(self.lower)[:, None] <= numbers) & (numbers <= np.array(self.upper)[:, None])
        held = np.zeros((len(self.members), len(self.before) + 1), np.bool_)
        for row, codes in enumerate(self.members):
            held[row, list(codes)] = True
        return held[:, match_categories(values, self.before)]

    def recoded(self, recoding: Recoding) -> ValueSets:
        """The sets after a recoding of the categories: a merged category stands for the union of its sets."""
        codes, after = recoding.table(self.after)
        parts = [np.flatnonzero(codes[:-1] == place).tolist() for place in range(len(after))]
        kept = [place for place, part in enumerate(parts) if part]
        after, parts = tuple(after[place] for place in kept), [parts[place] for place in kept]
        if self.is_numeric:
            lower = tuple(min(self.lower[i] for i in part) for part in parts)
            return replace(self, after=after, lower=lower, upper=tuple(max(self.upper[i] for i in p) for p in parts))
        members = tuple(tuple(sorted({code for i in part for code in self.members[i]})) for part in parts)
        return replace(self, after=after, members=members)


@dataclass(frozen=True)
class Censoring(Published):
    """Values beyond the bounds were replaced."""

    by_column: ClassVar[bool] = True

    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True)
class Rounding(Published):
    """Values were rounded to multiples of the base: to the nearest or, if `random`, to one of the two around them."""

    by_column: ClassVar[bool] = True

    base: float
    random: bool = False


@dataclass(frozen=True)
class Sampled(Published):
    """Only a sample of the records is in the file."""

    fraction: float

    def without(self, names: Collection[str]) -> Sampled:
        """The same: it changed no column, and those it names are its strata."""
        return self


@dataclass(frozen=True)
class Simulated(Published):
    """A `share` of the records belongs to nobody: they were drawn from a `model` of the real ones.

    Someone who knows the model may recognise them, so risks are measured both with and without them.
    """

    share: float
    model: str


@dataclass(frozen=True)
class Suppression(Published):
    """Some values were replaced by missing."""

    by_column: ClassVar[bool] = True


@dataclass(frozen=True)
class Pseudonyms(Published):
    """Identifiers were replaced by pseudonyms, which a release keeps as they are."""


@dataclass(frozen=True, eq=False)
class ScoreNoise(Published):
    """Error with this covariance was added to normal scores; the ranks of the scores then selected original values.

    A numeric column has one score. A categorical one has a score for each of its `orders` except the last: a category
    takes the records with the highest scores among those that no earlier category took.
    """

    covariance: NDArray[np.float64]
    orders: tuple[tuple[Any, ...], ...]
    """The order of the categories of each column, empty for numbers."""


@dataclass(frozen=True)
class PutBack(Published):
    """In this many `records`, values of these columns were restored to those before the step, because of rules."""

    by_column: ClassVar[bool] = True

    records: int
