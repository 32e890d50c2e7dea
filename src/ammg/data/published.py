"""What a published description of a method would tell an intruder.

Methods publish these values with their plan; method-aware attacks match on them, so that no measure names a method
and plug-ins are covered. They never hold the secret or an original value that the release does not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import joined, match_categories

HOUSEHOLDS = "households"


@dataclass(frozen=True)
class Published:
    """The columns that a method changed; subclasses say how.

    `among` is the condition, as an expression of the table, that limits a step to some records, `HOUSEHOLDS` for a
    step on households, and None for one on all records.
    """

    columns: tuple[str, ...]
    among: Any = field(default=None, kw_only=True, compare=False, repr=False)


@dataclass(frozen=True)
class RankWindow(Published):
    """Values were exchanged within `reach` ranks, all or nearly all of them; one reach per column.

    With strata `within`, ranks are those of a stratum, and so is the reach: its share of the stratum's records is that
    of `reach` in the whole file. Values that `trade` places were exchanged in pairs.
    """

    reach: tuple[int, ...]
    within: tuple[str, ...] = ()
    trade: bool = False


@dataclass(frozen=True, eq=False)
class NoiseLaw(Published):
    """Noise with this covariance was added.

    `scale` and `centre` undo a published rescaling z = scale·y + (1-scale)·centre.
    `mixture` is None for normal noise, else (weights, means, variance) of the standardised components before
    colouring with `factor`, where covariance = strength · factor @ factor.T. A `logarithmic` law is that of noise with
    this `mean` on the logarithms of absolute values. `quantiles` are those of the standardised noise where it is
    neither normal nor a mixture, at equal steps of probability; columns then have noise of their own. `joint` tells of
    a mixture whose component is drawn once for a record, along secret directions: how many there are, and the share of
    the covariance inside each. `keeps` tells whether the masked zeros, or all signs, are those of
    the original. Zero is a lower bound of the columns in `floors`, by what the step does beyond bounds. With strata
    `within`, deviations were taken in each of them, and the covariance is that of all records together.
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
    """Records share the aggregate of their group of at least `size`; all columns by one grouping if `joint`.

    With strata `within`, groups do not cross them.
    """

    size: int
    joint: bool = True
    within: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroupSums(Published):
    """Groups of at least `size` share an aggregate, to which noise was added that is zero in sum over the group."""

    size: int


@dataclass(frozen=True, eq=False)
class Transition(Published):
    """Categories changed at random with these probabilities: row = original, column = released.

    Columns that changed together have combinations as categories, one value per column, None where it is missing. With
    `within`, the matrix is that of the records whose columns `within` have the values `group`.
    """

    matrix: NDArray[np.float64]
    categories: tuple[Any, ...]
    within: tuple[str, ...] = ()
    group: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Swapped(Published):
    """Some records, a share `rate` of them, exchanged these values with one that agrees on the columns `within`.

    `risky` ones came first where it is said so.
    """

    rate: float
    within: tuple[str, ...] = ()
    risky: bool = False


@dataclass(frozen=True)
class Recoding(Published):
    """Values were merged into the categories `after`: code by code, or numbers by the `bounds` of intervals.

    `before` is the dictionary that the attribute had when the step was planned (or the numbers that it lists one by
    one), and `codes[i]` the new code of `before[i]`, -1 if it became missing. With `bounds` (not None) the new code of
    a number is the position of its interval. Whoever knows an original value can recode it the same way, so attacks
    compare on the recoded scale (`Pair.common_codes`). Several recodings of a column follow each other.
    """

    after: tuple[Any, ...]
    before: tuple[Any, ...] = ()
    codes: tuple[int, ...] = ()
    bounds: tuple[float, ...] | None = None
    right_closed: bool = False

    def __post_init__(self) -> None:
        """Every category of `before` has a new code that exists."""
        if len(self.before) != len(self.codes):
            raise ValueError(f"{len(self.before)} categories have {len(self.codes)} new codes")
        if any(not -1 <= code < len(self.after) for code in self.codes):
            raise ValueError(f"a new code is not among the {len(self.after)} categories after the recoding")

    def table(self, categories: Sequence[Any]) -> tuple[NDArray[np.int32], tuple[Any, ...]]:
        """The new code of each category, then -1 for missing, and the dictionary of the new codes.

        A category that the recoding does not know (a person of an external file may have one) stays what it is.
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

    Of numbers the set of category i is all from `lower[i]` to `upper[i]`, both included; else it is the categories
    `before[code]` for the codes in `members[i]`. Whoever knows a value knows which categories can stand for it.
    """

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
        """How large each set is: the width of an interval, or the number of categories."""
        if self.is_numeric:
            return np.asarray(np.array(self.upper) - np.array(self.lower))
        return np.array([len(codes) for codes in self.members], dtype=np.float64)

    def holding(self, values: Sequence[Any]) -> NDArray[np.bool_]:
        """Sets × values: which sets hold which values."""
        if self.is_numeric:
            numbers = np.array(values, dtype=np.float64)
            return (np.array(self.lower)[:, None] <= numbers) & (numbers <= np.array(self.upper)[:, None])
        held = np.zeros((len(self.members), len(self.before) + 1), np.bool_)
        for row, codes in enumerate(self.members):
            held[row, list(codes)] = True
        return held[:, match_categories(values, self.before)]

    def recoded(self, recoding: Recoding) -> ValueSets:
        """The sets after the categories were recoded: merged categories stand for all that one of them stood for."""
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

    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True)
class Rounding(Published):
    """Values were rounded to multiples of the base: to the nearest or, `random`, to one of the two around them."""

    base: float
    random: bool = False


@dataclass(frozen=True)
class Sampled(Published):
    """Only a sample of the records is in the file."""

    fraction: float


@dataclass(frozen=True)
class Simulated(Published):
    """A `share` of the records stands for nobody: they were drawn from a `model` of the real ones.

    Who knows the model may tell them from real ones, so that risks are measured with them and without.
    """

    share: float
    model: str


@dataclass(frozen=True)
class Suppression(Published):
    """Some values were replaced by missing."""


@dataclass(frozen=True)
class Pseudonyms(Published):
    """Identifiers were replaced by pseudonyms, which a release keeps as they are."""


@dataclass(frozen=True, eq=False)
class ScoreNoise(Published):
    """Error with this covariance was added to normal scores, whose ranks then chose values of the original columns.

    A column of numbers has one score. One of categories has a score for each but the last of its `orders`: it takes the
    records with the highest scores among those that no earlier category took.
    """

    covariance: NDArray[np.float64]
    orders: tuple[tuple[Any, ...], ...]
    """For each column the order of its categories, empty for numbers."""


@dataclass(frozen=True)
class PutBack(Published):
    """In so many `records` values of these columns are as they were before the step, because rules asked for it."""

    records: int
