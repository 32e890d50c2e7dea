"""What a published description of a method would tell an intruder.

Methods publish these values with their plan; method-aware attacks match on them, so that no measure names a method
and plug-ins are covered. They never hold the secret or an original value that the release does not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

HOUSEHOLDS = "households"


@dataclass(frozen=True)
class Disclosure:
    """The columns that a method changed; subclasses say how.

    `among` is the condition, as an expression of the table, that limits a step to some records, `HOUSEHOLDS` for a
    step on households, and None for one on all records.
    """

    columns: tuple[str, ...]
    among: Any = field(default=None, kw_only=True, compare=False, repr=False)


@dataclass(frozen=True)
class RankWindow(Disclosure):
    """Values were exchanged within `reach` ranks, all or nearly all of them; one reach a column.

    With strata `within`, ranks are those of a stratum, and so is the reach: its share of the stratum's records is that
    of `reach` in the whole file.
    """

    reach: tuple[int, ...]
    within: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class NoiseLaw(Disclosure):
    """Noise with this covariance was added.

    `scale` and `centre` undo a published rescaling z = scale·y + (1-scale)·centre.
    `mixture` is None for normal noise, else (weights, means, variance) of the standardised components before
    colouring with `factor`, where covariance = strength · factor @ factor.T. A `logarithmic` law is that of noise with
    this `mean` on the logarithms of absolute values. `keeps` tells whether the masked zeros, or all signs, are those of
    the original.
    """

    covariance: NDArray[np.float64]
    strength: float
    scale: float = 1.0
    centre: NDArray[np.float64] | None = None
    factor: NDArray[np.float64] | None = None
    mixture: tuple[tuple[float, ...], tuple[float, ...], float] | None = None
    logarithmic: bool = False
    mean: float = 0.0
    keeps: Literal["nothing", "zeros", "signs"] = "nothing"


@dataclass(frozen=True)
class Groups(Disclosure):
    """Records share the aggregate of their group of at least `size`; all columns by one grouping if `joint`.

    With strata `within`, groups do not cross them.
    """

    size: int
    joint: bool = True
    within: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Transition(Disclosure):
    """Categories changed at random with these probabilities: row = original, column = released."""

    matrix: NDArray[np.float64]
    categories: tuple[Any, ...]


@dataclass(frozen=True)
class Recoding(Disclosure):
    """Values were merged into `classes`: one by one as `names` says, or by the `bounds` of intervals.

    Whoever knows an original value can recode it the same way, so attacks compare on the recoded scale.
    """

    classes: tuple[str, ...]
    names: tuple[tuple[str, str], ...] = ()
    bounds: tuple[float, ...] = ()
    right_closed: bool = False

    def of(self, values: Sequence[Any]) -> list[str | None]:
        """What each original value is called after recoding; None for one that the recoding does not know."""
        if self.names:
            named = dict(self.names)
            return [named.get(_text(value)) for value in values]
        side: Literal["left", "right"] = "left" if self.right_closed else "right"
        positions = np.searchsorted(np.array(self.bounds), np.array(values, dtype=np.float64), side=side)
        return [self.classes[position] for position in positions]


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)


@dataclass(frozen=True)
class Censoring(Disclosure):
    """Values beyond the bounds were replaced."""

    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True)
class Rounding(Disclosure):
    """Values were rounded to multiples of the base."""

    base: float


@dataclass(frozen=True)
class Sampled(Disclosure):
    """Only a sample of the records is in the file."""

    fraction: float


@dataclass(frozen=True)
class Suppression(Disclosure):
    """Some values were replaced by missing."""


@dataclass(frozen=True)
class Pseudonyms(Disclosure):
    """Identifiers were replaced by pseudonyms, which a release keeps as they are."""
