"""The intruder's key in the released file: codes, frequencies, and combinations in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.measures.measurement import Chart
from ammg.params import param

if TYPE_CHECKING:
    from ammg.kernels.anonymity.cells import Cells

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Missing = Literal["available", "category"]

ROUNDING = 1e-9  # of a sum of weights
FEW = 3  # what fewer records have in common is about single people


@dataclass(frozen=True, eq=False)
class ReleasedKey:
    """The known attributes of the released file as codes; -1 for missing."""

    names: tuple[str, ...]
    codes: tuple[Codes, ...]
    categories: tuple[tuple[Any, ...], ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of categories of each attribute, at least one."""
        return tuple(max(1, len(categories)) for categories in self.categories)

    @cached_property
    def cells(self) -> Cells:
        """The equivalence classes: records with the same combination; a missing value is a category of its own."""
        from ammg.kernels.anonymity.cells import count_cells

        return count_cells(self.codes, self.sizes)

    def words(self, codes: Sequence[int], keys: Sequence[int] | None = None) -> str:
        """A combination of codes in words: `age 97, sex female`."""
        chosen = range(len(self.names)) if keys is None else keys
        values = [
            self.categories[key][code] if code >= 0 else "missing" for key, code in zip(chosen, codes, strict=True)
        ]
        return ", ".join(f"{self.names[key]} {as_text(value)}" for key, value in zip(chosen, values, strict=True))

    def record(self, position: int) -> str:
        """The combination of one released record in words."""
        return self.words([int(column[position]) for column in self.codes])

    def is_common(self, key: int, code: int, least: int = FEW) -> bool:
        """Whether enough released records have a category that naming it identifies nobody."""
        return int(np.count_nonzero(self.codes[key] == code)) >= least

    def joined(self, keys: Sequence[int]) -> str:
        """The names of some attributes: `age and sex`."""
        return " and ".join(self.names[key] for key in keys)

    def riskiest(self, risk: Floats, count: int = 10) -> list[str]:
        """The records with the largest risks, in descending order; none with risk zero."""
        count = min(count, int(np.count_nonzero(risk > 0)))
        if not count:
            return []
        least = np.partition(risk, risk.size - count)[risk.size - count]
        candidates = np.concatenate([np.flatnonzero(risk > least), np.flatnonzero(risk == least)])[:count]
        top = candidates[np.lexsort((candidates, -risk[candidates]))]
        return [f"record {i}: {self.record(int(i))} (risk {risk[i]:.3g})" for i in top]


def missing_param() -> Any:
    """The `missing` parameter of measures that count matching records."""
    return param("available", "Whether a missing value matches every value, or is a category of its own.")


def released_key(pair: Pair, scenario: Scenario) -> ReleasedKey:
    """The attributes that the scenario knows and the release shows.

    Raises:
        NotDefined: there are none, or no records.
    """
    names = tuple(name for name in scenario.known_in(pair.original.schema) if name in pair.masked.schema)
    if not names:
        raise NotDefined("no known attribute is in the masked file")
    if not pair.t:
        raise NotDefined("the masked file has no records")

    def code() -> ReleasedKey:
        columns = [pair.codes(name, masked=True) for name in names]
        return ReleasedKey(names, tuple(codes for codes, _ in columns), tuple(values for _, values in columns))

    return pair.once((released_key, names), code)


def frequencies(pair: Pair, key: ReleasedKey, missing: Missing) -> tuple[Floats, Floats | None]:
    """Sample and population frequency of each released record (None without weights).

    With `available` a missing value matches every value; else it is a category of its own.
    """
    from ammg.kernels.anonymity.wildcards import count_matches

    def count() -> tuple[Floats, Floats | None]:
        weights = survey_weights(pair)
        if missing == "available":
            f, population = count_matches(key.codes, key.sizes, weights)
            return f, None if weights is None else population
        sums = None if weights is None else key.cells.sums(weights)[key.cells.index]
        return key.cells.frequencies.astype(np.float64), sums

    return pair.once((frequencies, key.names, missing), count)


class AlikeCounts:
    """Number of records in classes of size 1, 2, 3 …, cumulated."""

    def __init__(self) -> None:
        self.records: dict[float, float] = {}

    def add(self, f: NDArray[np.float64] | NDArray[np.int64], records: NDArray[np.int64]) -> None:
        """Entries of f stand for so many records."""
        sizes, place = np.unique(f, return_inverse=True)
        for size, many in zip(sizes.tolist(), np.bincount(place, records, len(sizes)).tolist(), strict=True):
            self.records[size] = self.records.get(size, 0.0) + many

    @property
    def total(self) -> int:
        """All records."""
        return int(sum(self.records.values()))

    def chart(self) -> Chart:
        """The first twenty sizes as bars."""
        sizes = sorted(self.records)[:20]
        return Chart(
            "bars",
            "Records by size of their equivalence class",
            tuple(sizes),
            {"records": tuple(float(self.records[size]) for size in sizes)},
            "records with the same known values",
            "records",
        )


def population_counts(pair: Pair, key: ReleasedKey, missing: Missing) -> Floats:
    """F of each released record: the sum of the weights, or the number of original records with its values.

    The original is taken as the population when there are no weights; recodings are applied to it as published. Never
    less than the released frequency.
    """
    f, weighted = frequencies(pair, key, missing)
    return np.maximum(f, originals_like(pair, key) if weighted is None else weighted)


def originals_like(pair: Pair, key: ReleasedKey) -> Floats:
    """How many original records have the released values of each record; a missing value matches any."""
    from ammg.criteria.anonymity import population_frequencies
    from ammg.measures.anonymity.people_held import people_held

    def count() -> Floats:
        if any(pair.value_sets(name) is not None for name in key.names):
            return people_held(pair, key.names, key.codes, key.sizes)
        return population_frequencies(*codes_of_both(pair, key)).astype(np.float64)

    return pair.once((originals_like, key.names), count)


def codes_of_both(pair: Pair, key: ReleasedKey) -> tuple[list[Codes], list[Codes], list[int]]:
    """The known attributes of the released and of the original file in the same codes, and the number of categories.

    Raises:
        NotDefined: one was recoded locally, so that a value of the original has no category of its own.
    """
    if local := [name for name in key.names if pair.value_sets(name) is not None]:
        raise NotDefined(f"'{local[0]}' was recoded locally: its categories overlap")
    columns = [pair.common_codes(name) for name in key.names]
    before, after = [codes for codes, _, _ in columns], [codes for _, codes, _ in columns]
    return after, before, [max(1, len(categories)) for _, _, categories in columns]


def survey_weights(pair: Pair) -> Floats | None:
    """The weights of the released file, each at least one; None if there is no weight.

    Their total is limited to that of the original weights: masking that raises weights does not create people.

    Raises:
        InputError: a weight is missing or below one, so that a record would stand for less than itself.
    """
    weights, original = pair.weights(masked=True), pair.weights(masked=False)
    if weights is None or original is None:
        return None
    bad = np.flatnonzero(~(weights >= 1))
    if bad.size:
        raise InputError(too_light(str(pair.masked.schema.weight), f"record {bad[0]}", weights[bad[0]]))
    with np.errstate(over="ignore"):
        people, shown = float(np.nansum(original)), float(weights.sum())
    return weights if shown <= people * (1 + ROUNDING) else np.maximum(weights * (people / shown), 1.0)


def too_light(weight: str, record: str, value: float) -> str:
    """The error message for a weight below one."""
    return (
        f"Weight '{weight}' of {record} is {value:g}, but a sampling weight must be at least 1: "
        "rescale the weights to the population, or give the column another role."
    )


def sampling_fraction(pair: Pair, scenario: Scenario) -> float:
    """The sampling fraction: from the scenario, else from the weights, else r/n."""
    if scenario.inclusion is not None:
        return scenario.inclusion
    weights = survey_weights(pair)
    if weights is None:
        return min(1.0, pair.sampling_factor) or 1.0  # if nobody is in the file by its link, look-alikes may be
    return min(1.0, pair.t / float(weights.sum()))


def as_text(value: Any) -> str:
    """A category as people write it: 44 rather than 44.0."""
    return f"{value:g}" if isinstance(value, float) else str(value)
