"""Noise inside percentile groups that keeps sums of parts."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.disclosure import NoiseLaw
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.methods.finite import refuse_unmeasurable
from ammg.methods.method import MultivariateMethod, Plan, StratifiedMethod
from ammg.methods.strata import rows_of_strata
from ammg.params import param
from ammg.summaries.summary import Source

Numbers = NDArray[np.float64]


class MultivariatePercentileNoise(StratifiedMethod, MultivariateMethod):
    """Perturb several numbers together within percentile groups and keep every sum of parts.

    Keeps each group's means and covariance, hence those of the file, and every exact linear identity such as a total
    and its parts: the noise lies in the range of the group's covariance. Groups come from one column, the total.
    Source: Shlomo's overview of disclosure control methods.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    delta: float = param(0.5, "Share of noise in the variance is the square of this.", gt=0, le=1, search=(0.1, 1))
    by: str | None = param(None, "The column whose percentiles make the groups; by default the first masked one.")
    groups: int = param(20, "Number of percentile groups.", ge=1, search=(50, 5))
    least: int = param(
        10, "Neighbouring groups merge until each has this many records; twice the columns and one where exact.", ge=3
    )
    exact: bool = param(True, "Keep group means and covariances exactly instead of in expectation.")

    @classmethod
    def examples(cls) -> list[Self]:
        """As it is, and within strata by another column."""
        return [cls(), cls(within=("zone",), by="age", exact=False)]

    @property
    def fewest(self) -> int:
        """What one group must have; without strata, fewer are one group and the owner is told."""
        return self.least if self.within else 2

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns, the one that makes the groups, and the weight."""
        by = () if self.by is None else (schema[self.by].name,)
        return tuple(dict.fromkeys((*self.chosen(schema), *by, *([schema.weight] if schema.weight else []))))

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Say which groups keep their moments in expectation only, and how large the noise is on average."""
        names = self.chosen(source.schema)
        refuse_unmeasurable(source, names)
        schema = source.schema.select(names)
        schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        block = source.block(tuple(dict.fromkeys((*self.needs(source.schema), *self.within))))
        records = block.matrix(names)
        within = np.zeros((len(names), len(names)))
        notes = []
        if len(records):
            strata = rows_of_strata(block, self.within)
            labels, found = np.empty(len(records), dtype=np.intp), 0
            for rows in strata:
                labels[rows] = found + self._labels(block.take(rows), names)
                found = int(labels[rows].max()) + 1
            within = _within_covariance(records, labels)
            if len(records) < self.least:
                notes.append(f"{len(records)} records are fewer than the {self.least} that a group should have")
            if found < self.groups * len(strata):
                many = f", in {len(strata)} strata" if self.within else ""
                notes.append(
                    f"{found} percentile groups instead of {self.groups * len(strata)}: neighbours were merged{many}"
                )
            notes.extend(self._inexact(block, labels, names))
        share = 2 * (1 - np.sqrt(1 - self.delta**2))
        return Plan(schema, disclosed=(NoiseLaw(names, share * within, self.delta**2),), notes=tuple(notes))

    def _inexact(self, block: Block, labels: NDArray[np.intp], names: tuple[str, ...]) -> list[str]:
        """Which groups cannot have exact moments: with a missing value, or too few records that count."""
        if not self.exact:
            return []
        notes = []
        if np.isnan(block.matrix(names)).any():
            notes.append("groups with missing values keep their moments in expectation, not exactly")
        weight, enough = block.schema.weight, 2 * len(names) + 1
        counting = np.bincount(labels, block.numbers(weight) > 0 if weight else None)
        if few := int(np.count_nonzero(counting < enough)):
            notes.append(
                f"{few} of {len(counting)} percentile groups have fewer than {enough} records and keep their moments "
                "in expectation, not exactly"
            )
        return notes

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Perturb the records of a stratum group by group."""
        from ammg.kernels.percentile_noise import perturb_records_in_groups

        names = tuple(plan.schema.names)
        weight = block.schema.weight
        noise = [draws.generator(f"noise of {name}").standard_normal(len(block)) for name in names]
        masked, _ = perturb_records_in_groups(
            block.matrix(names),
            self._labels(block, names),
            self.delta,
            np.column_stack(noise),
            self.exact,
            weights=block.numbers(weight) if weight else None,
        )
        return block.with_columns({name: np.ascontiguousarray(masked[:, j]) for j, name in enumerate(names)})

    def _labels(self, block: Block, names: tuple[str, ...]) -> NDArray[np.intp]:
        """Percentile groups of the controlling column; records without it go with the median."""
        from ammg.kernels.percentile_noise import percentile_groups

        control = block.numbers(self.by or names[0])
        seen = ~np.isnan(control)
        if not seen.any():
            return np.zeros(len(control), dtype=np.intp)
        filled = np.where(seen, control, np.median(control[seen]))
        least = max(self.least, 2 * len(names) + 1) if self.exact else self.least
        return percentile_groups(filled, self.groups, min(least, len(filled))).labels


def _within_covariance(records: Numbers, labels: NDArray[np.intp]) -> Numbers:
    """Mean products of deviations from the group's means, each over the records that have both values."""
    from ammg.kernels.psd import nearest_psd

    seen = (~np.isnan(records)).astype(np.float64)
    centred = np.nan_to_num(records - _group_means(records, labels)[labels])
    return nearest_psd(centred.T @ centred / np.maximum(seen.T @ seen, 1.0))


def _group_means(records: Numbers, labels: NDArray[np.intp]) -> Numbers:
    seen = ~np.isnan(records)
    sums = np.column_stack([np.bincount(labels, np.where(s, c, 0.0)) for c, s in zip(records.T, seen.T, strict=True)])
    counts = np.column_stack([np.bincount(labels, s.astype(float)) for s in seen.T])
    return sums / np.maximum(counts, 1.0)
