"""What the intruder knows, as the release shows it: codes, frequencies, and combinations in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.measures.measurement import Chart
from ammg.params import param
from ammg.summaries.cells import CellCounts, CellValues
from ammg.summaries.folded_pair import FoldedPair, PairSummary

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Missing = Literal["available", "category"]

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
        """Whether enough released records have a category that naming it points at nobody."""
        return int(np.count_nonzero(self.codes[key] == code)) >= least

    def joined(self, keys: Sequence[int]) -> str:
        """The names of some attributes: `age and sex`."""
        return " and ".join(self.names[key] for key in keys)

    def riskiest(self, risk: Floats, count: int = 10) -> list[str]:
        """The records with most risk, largest first; nobody whose risk is zero."""
        count = min(count, int(np.count_nonzero(risk > 0)))
        if not count:
            return []
        least = np.partition(risk, risk.size - count)[risk.size - count]
        candidates = np.concatenate([np.flatnonzero(risk > least), np.flatnonzero(risk == least)])[:count]
        top = candidates[np.lexsort((candidates, -risk[candidates]))]
        return [f"record {i}: {self.record(int(i))} (risk {risk[i]:.3g})" for i in top]


def missing_param() -> Any:
    """The parameter of measures that count look-alikes: what a missing value resembles."""
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
    """How many released records look like each one, and how many people they stand for (None without weights).

    With `available` a missing value matches every value; else it is a category of its own.
    """
    from ammg.kernels.anonymity.cells import count_cells
    from ammg.kernels.anonymity.wildcards import count_matches

    def count() -> tuple[Floats, Floats | None]:
        weights = survey_weights(pair)
        if missing == "available":
            f, population = count_matches(key.codes, key.sizes, weights)
            return f, None if weights is None else population
        cells = count_cells(key.codes, key.sizes)
        sums = None if weights is None else cells.sums(weights)[cells.index]
        return cells.frequencies.astype(np.float64), sums

    return pair.once((frequencies, key.names, missing), count)


@dataclass(frozen=True, eq=False)
class FoldedKey:
    """The cells of the known attributes in a released file that is not in memory."""

    names: tuple[str, ...]
    cells: CellValues
    weight: str | None
    least_weight: float

    def frequencies(self, missing: Missing) -> tuple[Floats, Floats | None]:
        """`frequencies` of each cell."""
        from ammg.kernels.anonymity.wildcards import count_matches

        counts, sums = self.cells.counts.astype(np.float64), self.cells.weights
        if sums is not None and not self.least_weight >= 1:
            raise InputError(_too_light(str(self.weight), "some record", self.least_weight))
        if missing != "available":
            return counts, sums
        codes = [np.ascontiguousarray(column) for column in self.cells.codes.T]
        sizes = [int(column.max(initial=0)) + 1 for column in codes]
        f = count_matches(codes, sizes, counts)[1]
        return f, None if sums is None else count_matches(codes, sizes, sums)[1]


def folded_key(pair: FoldedPair, scenario: Scenario) -> FoldedKey:
    """The cells of the attributes that the scenario knows and the release shows.

    Raises:
        NotDefined: there are none, or no records.
    """
    names = tuple(name for name in scenario.known_in(pair.original.schema) if name in pair.released_schema)
    if not names:
        raise NotDefined("no known attribute is in the masked file")
    if not pair.t:
        raise NotDefined("the masked file has no records")
    weight = pair.released_schema.weight
    return pair.once((folded_key, names), lambda: FoldedKey(names, *pair.fold(_KeyCells(names, weight))))


class _KeyCells(PairSummary[tuple[tuple[CellValues, ...], float], tuple[CellValues, str | None, float]]):
    """The cells of the released key, and the least weight; NaN if one is missing."""

    def __init__(self, names: tuple[str, ...], weight: str | None) -> None:
        self.counts = CellCounts(names, weight)
        self.released = self.counts.columns

    def add(self, original: Block, released: Block) -> tuple[tuple[CellValues, ...], float]:
        weights = released.numbers(self.counts.weight) if self.counts.weight else np.zeros(0)
        return self.counts.add(released), float(np.min(weights, initial=np.inf))

    def merge(
        self, left: tuple[tuple[CellValues, ...], float], right: tuple[tuple[CellValues, ...], float]
    ) -> tuple[tuple[CellValues, ...], float]:
        return self.counts.merge(left[0], right[0]), float(np.minimum(left[1], right[1]))

    def finish(self, state: tuple[tuple[CellValues, ...], float] | None) -> tuple[CellValues, str | None, float]:
        cells, least = state or (None, np.inf)
        return self.counts.finish(cells), self.counts.weight, least


def look_alikes(f: NDArray[np.float64] | NDArray[np.int64], records: NDArray[np.int64] | None = None) -> Chart:
    """How many records there are of which 1, 2, 3 … look alike; `records` says how many each entry stands for."""
    sizes, place = np.unique(f, return_inverse=True)
    records = np.bincount(place, records, len(sizes))
    return Chart(
        "bars",
        "Records by the number that look alike",
        tuple(sizes[:20].tolist()),
        {"records": tuple(records[:20].astype(float).tolist())},
        "records with the same known values",
        "records",
    )


def population_counts(pair: Pair, key: ReleasedKey, missing: Missing) -> Floats:
    """F of each released record: the sum of the weights, else how many original records have its values.

    The original is taken as the population when there are no weights; recodings are applied to it as published. Never
    less than the number of released records that look alike.
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

    Raises:
        InputError: a weight is missing or below one, so that a record would stand for less than itself.
    """
    weights = pair.weights(masked=True)
    if weights is None:
        return None
    bad = np.flatnonzero(~(weights >= 1))
    if bad.size:
        raise InputError(_too_light(str(pair.masked.schema.weight), f"record {bad[0]}", weights[bad[0]]))
    return weights


def _too_light(weight: str, record: str, value: float) -> str:
    return (
        f"Weight '{weight}' of {record} is {value:g}: a survey weight is at least 1, the person it was drawn from. "
        "Rescale the weights to the population, or give them another role."
    )


def sampling_fraction(pair: Pair, scenario: Scenario) -> float:
    """The share of the population that is in the file: as the scenario says, else by the weights, else r/n."""
    if scenario.inclusion is not None:
        return scenario.inclusion
    weights = survey_weights(pair)
    if weights is None:
        return min(1.0, pair.sampling_factor) or 1.0  # if nobody is in the file by its link, look-alikes may be
    return min(1.0, pair.t / float(weights.sum()))


def as_text(value: Any) -> str:
    """A category as people write it: 44 rather than 44.0."""
    return f"{value:g}" if isinstance(value, float) else str(value)
