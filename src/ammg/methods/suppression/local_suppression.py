"""Local suppression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.criteria.class_sizes import KAnonymity
from ammg.criteria.criterion import Criteria
from ammg.criteria.sensitive_values import DistinctLDiversity
from ammg.data.block import Block, Column
from ammg.data.published import Suppression
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError, did_you_mean
from ammg.methods.key_method import KeyMethod
from ammg.methods.method import Links, Plan
from ammg.methods.recoding.class_criteria import check_criteria, sensitive_in
from ammg.methods.suppression.cell_patterns import CellPatterns, blanked, choose_records
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.cells import CellCounts, CellValues
from ammg.summaries.summary import Source

Ints = NDArray[np.int64]

_MOST_KEYS = 62


class LocalSuppression(KeyMethod):
    """Suppress single key values until every record shares its keys with at least k - 1 others.

    Remaining values are unchanged, and as few as possible are suppressed: a greedy cover of the unsafe combinations,
    then a search for a cheaper one, then a pass that restores what is not needed. A missing value matches every value,
    so a suppressed record also protects similar ones; but a record only loses values that its own protection needs.
    (Without that rule the fewest suppressions would be worthless: k - 1 records without any key match everybody.) If a
    missing value is a category of its own or counts partially, equal records lose the same keys. An intruder for whom a
    missing value may be any value is left with at least k people per record; attributes beyond the keys are released
    unchanged. Source: Hundepool et al. (2012), section 3.3.4; Templ, Kowarik and Meindl (2015), section 4.1.
    """

    also_called: ClassVar[tuple[str, ...]] = ("KAnon",)
    links: ClassVar[Links] = Links.SUPPRESSED

    k: int = param(3, "Smallest number of records that share their keys.", ge=2, search=(2, 10))
    subsets: int | None = param(
        None, "Number of keys that an intruder knows at the same time: all subsets of that size are protected.", ge=1
    )
    together: tuple[tuple[str, ...], ...] = param(
        (), "Combinations of keys to protect, such as [[age, sex], [region, job]]; by default all keys together."
    )
    importance: Mapping[str, float] = param(
        {}, "Cost of suppressing a value of each key; 1 for keys not named. Costly values are kept if possible."
    )
    weighted: bool = param(
        False, "Whether suppression costs the record's weight, so that records with small weights are suppressed first."
    )
    within: tuple[str, ...] = param((), "Columns on which records must agree as well; they are not suppressed.")
    diversity: Mapping[str, int] = param(
        {}, "Smallest number of different sensitive values among records that share their keys, such as {illness: 3}."
    )
    criteria: Criteria = param((), "The same requirements as criteria: k_anonymity and distinct_l_diversity.")
    missing: Literal["available", "category"] = param(
        "available", "Whether a missing value matches every value, or is a category of its own."
    )
    counted: float = param(
        1.0, "Weight with which a record with a missing key counts towards others; the alpha of sdcMicro.", ge=0, le=1
    )
    rounds: int = param(1000, "Number of attempts to improve the first solution.", ge=0, le=100_000)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.subsets is not None and self.together:
            raise InputError("Give either subsets or together, not both.")
        if self.missing == "category" and self.counted != 1:
            raise InputError("A missing value that is a category of its own cannot count partially: drop `counted`.")
        diverse = self.diversity or any(isinstance(c, DistinctLDiversity) for c in self.criteria)
        if diverse and (self.missing == "category" or self.counted != 1):
            raise InputError("Diversity requires that missing values match every value: drop `missing` and `counted`.")
        for criterion in self.criteria:
            if not isinstance(criterion, KAnonymity | DistinctLDiversity):
                raise InputError(
                    f"{self.name} makes overlapping groups, but {criterion!r} needs disjoint equivalence classes: "
                    "use optimal_recoding, mondrian or local_recoding for it, or k_anonymity and "
                    "distinct_l_diversity here."
                )
        for name, least in self.diversity.items():
            if least < 2:
                raise InputError(f"The diversity of '{name}' is {least}; it must be at least 2.")
        for name, cost in self.importance.items():
            if not cost > 0:
                raise InputError(f"The importance of '{name}' is {cost:g}; it must be a number above 0.")
        return self

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns named, else those of the combinations, else all person-level keys."""
        if self.columns is None and self.together:
            names = tuple(dict.fromkeys(name for group in self.together for name in group))
            return self.model_copy(update={"columns": names, "together": ()}).chosen(schema)
        return super().chosen(schema)

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The keys, what they are protected within, sensitive attributes, and the weight if it counts."""
        weight = [schema.weight] if self.weighted and schema.weight else []
        others = [schema[name].name for name in (*self.within, *self._different(schema))]
        return tuple(dict.fromkeys((*self.chosen(schema), *self.beside(schema), *others, *weight)))

    def beside(self, schema: Schema) -> tuple[str, ...]:
        """Household-level keys, unless combinations are declared."""
        return () if self.together else tuple(name for name in super().beside(schema) if name not in self.within)

    def _different(self, schema: Schema) -> dict[str, int]:
        """Required number of different values of each sensitive attribute."""
        asked = dict(self.diversity)
        for criterion in self.criteria:
            if isinstance(criterion, DistinctLDiversity):
                for name in sensitive_in([criterion], schema):
                    asked[name] = max(asked.get(name, 2), criterion.least)
        return asked

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Values are missing because they were rare."""
        return Usage(
            "Values that are present are the original ones, unless another step changed them.",
            "Tables with a row for missing values; multiple imputation from the other columns if you need "
            "complete records.",
            "Do not treat suppressed values as missing at random: they belonged to rare combinations.",
            f"print(file.select({listed(columns)}).null_count() / len(file))  # shares that are missing",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Count the combinations and decide which values are suppressed in which records."""
        if self.criteria:
            check_criteria(self.criteria, source.schema, self.chosen(source.schema))
            k = max([self.k, *(c.k for c in self.criteria if isinstance(c, KAnonymity))])
            asked = {"k": k, "diversity": self._different(source.schema), "criteria": ()}
            return self.model_copy(update=asked).plan(source, draws)
        schema = source.schema
        names = self.chosen(schema)
        self._check(schema, names)
        beside = self.beside(schema)
        weight = schema.weight if self.weighted else None
        counted = (*names, *beside, *self.within, *self.diversity)
        values = source.fold(CellCounts(counted, weight))
        suppressed = self._suppress(values, names, beside, draws)
        _, patterns, counts = suppressed
        state = choose_records(source, draws, values, counted, suppressed, weight)
        lost = {name: int((counts * (patterns >> bit & 1)).sum()) for bit, name in enumerate(names)}
        notes = (_said(lost, int(counts.sum())), *self.not_counted(schema))
        return Plan(schema.select(names), state, (Suppression(names),), notes=notes)

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Suppress the planned keys of each record's combination."""
        state: CellPatterns = plan.state
        lost = state.of(block, draws)
        masked: dict[str, Column] = {}
        for bit, name in enumerate(plan.schema.names):
            masked[name] = blanked(block[name], lost >> bit & 1 == 1)
        return block.with_columns(masked)

    def _suppress(
        self, values: CellValues, names: tuple[str, ...], beside: tuple[str, ...], draws: Draws
    ) -> tuple[Ints, Ints, Ints]:
        from ammg.kernels.suppression.local_suppression import suppress_cells
        from ammg.kernels.suppression.whole_cells import suppress_whole_cells

        n_keys, first, width = len(names), len(names) + len(beside), values.codes.shape[1] - len(self.diversity)
        costs = np.array([self.importance.get(name, 1.0) for name in names] + [np.inf] * (width - n_keys))
        prices = np.ones(len(values)) if values.weights is None else _prices(values)
        strata = tuple(range(first, width))
        # a stratum is never a wildcard: its missing value is a value
        codes = np.concatenate([values.codes[:, :first], values.codes[:, first:width] + 1], axis=1)
        together = [(*combination, *strata) for combination in self._combinations((*names, *beside))]
        for combination in dict.fromkeys(tuple(key for key in keys if key >= n_keys) for keys in together):
            self._refuse_few(codes, values.counts, combination, (*names, *beside, *self.within))
        if self.missing == "category" or self.counted < 1:
            doubtful = None if self.missing == "category" else self.counted
            return suppress_whole_cells(codes, values.counts, self.k, costs, prices, together, doubtful)
        rng = draws.generator("search")
        found = suppress_cells(codes, values.counts, self.k, costs, prices, together, self.rounds, rng)
        chosen = found.cells, found.patterns, found.counts
        return self._diversify(values, codes, chosen, together, costs) if self.diversity else chosen

    def _diversify(
        self,
        values: CellValues,
        codes: NDArray[np.int32],
        chosen: tuple[Ints, Ints, Ints],
        together: list[tuple[int, ...]],
        costs: NDArray[np.float64],
    ) -> tuple[Ints, Ints, Ints]:
        from ammg.kernels.suppression.diversify import diversify

        sensitive = [np.ascontiguousarray(column) for column in values.codes[:, codes.shape[1] :].T]
        least = list(self.diversity.values())
        chosen, without = diversify(codes, values.counts, chosen, self.k, sensitive, least, together, costs)
        if without:
            asked = ", ".join(f"{least} values of {name}" for name, least in self.diversity.items())
            raise InputError(
                f"{without:,} records cannot reach {asked} even with all keys suppressed: lower the diversity."
            )
        return chosen

    def _combinations(self, names: tuple[str, ...]) -> list[tuple[int, ...]]:
        place = {name: position for position, name in enumerate(names)}
        if self.together:
            return [tuple(sorted({place[name] for name in group})) for group in self.together]
        if self.subsets is not None:
            return list(combinations(range(len(names)), min(self.subsets, len(names))))
        return [tuple(range(len(names)))]

    def _check(self, schema: Schema, names: tuple[str, ...]) -> None:
        if len(names) + len(self.beside(schema)) + len(self.within) > _MOST_KEYS:
            raise InputError(f"{self.name} takes at most {_MOST_KEYS} columns, but there are {len(names)}.")
        for name in self.importance:
            if name not in names:
                raise InputError(
                    f"'{name}' has an importance but is not among the columns to suppress.{did_you_mean(name, names)}"
                )
        for group in self.together:
            for name in group:
                if name not in names:
                    raise InputError(
                        f"'{name}' is to be protected but is not among the columns.{did_you_mean(name, names)}"
                    )
        for name in self.diversity:
            if schema[name].name in (*names, *self.within):
                raise InputError(
                    f"'{name}' is both a sensitive attribute (diversity) and a key: it can be only one of them."
                )
        for name in self.within:
            if name in names:
                raise InputError(f"'{name}' cannot be both suppressed and kept (within): name it once.")

    def _refuse_few(
        self, codes: NDArray[np.int32], counts: Ints, fixed: tuple[int, ...], names: tuple[str, ...]
    ) -> None:
        """Even without any key it may lose, a record has only those for look-alikes that share what stays."""
        from ammg.kernels.suppression.whole_cells import fewest_look_alikes

        if not len(codes):
            return
        doubtful = None if self.missing == "category" else self.counted
        fewest = float(fewest_look_alikes(codes, counts, fixed, doubtful).min())
        if fewest >= self.k:
            return
        shared = [names[key] for key in fixed]
        homes = [name for name in shared if name not in self.within]
        records = "1 record" if fewest == 1 else f"{fewest:g} records"
        if homes:
            raise InputError(
                f"k is {self.k}, but {records} share some values of {', '.join(shared)}, and a step on persons "
                f"leaves {', '.join(homes)} unchanged: mask these household-level keys in an earlier step, or "
                "name the columns."
            )
        where = f"a stratum of {', '.join(shared)}" if shared else "the file"
        raise InputError(f"k is {self.k}, but {where} has only {records}: choose a smaller k.")


def _prices(values: CellValues) -> NDArray[np.float64]:
    assert values.weights is not None
    if not np.all(values.weights > 0):
        raise InputError("Suppression is costed by weights, and some weights are not above 0: correct them.")
    return values.weights / values.counts


def _said(lost: Mapping[str, int], records: int) -> str:
    total = sum(lost.values())
    if not total:
        return "every record already meets the requirement: nothing was suppressed"
    each = ", ".join(f"{name} {count:,}" for name, count in lost.items() if count)
    return f"{total:,} values of {records:,} records were suppressed ({each})"
