"""Random orthogonal matrix masking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import NoiseLaw
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.finite import records_that_count, refuse_unmeasurable
from ammg.methods.method import MultivariateMethod, Plan, Sees
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.summary import Source, whole


class RandomOrthogonalMasking(MultivariateMethod):
    """Multiply the file by a random orthogonal matrix that keeps all means and covariances exactly (ROMM).

    Keeps means, covariances and exact linear identities up to rounding, hence every least-squares analysis of the
    masked columns. Breaks ranks, skewness and the link between a record and its values, more so the greater the
    strength. With missing values, it keeps the moments of the file after imputing column means. To an intruder who
    knows the strength, it is rescaled correlated noise with d = λ² and a known covariance: 22 percent of CENSUS are
    re-identified at the default strength. Source: Ting, Fienberg and Trottini (2008), in O(n·m²) instead of n³.
    """

    also_called: ClassVar[tuple[str, ...]] = ("Romm",)
    accepts: ClassVar[Kind] = Kind.NUMERIC
    sees: ClassVar[Sees] = Sees.FILE

    strength: float = param(
        1.0,
        "Size λ of the random part: masked and original values correlate at about 1/√(1 + λ²).",
        gt=0,
        le=1e6,
        search=(0.05, 5),
        log=True,
    )

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns and the weight."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Only least-squares analyses hold, and they hold exactly."""
        return Usage(
            "Means, covariances and every least-squares regression among the masked numbers are those of the "
            "original file.",
            "Ordinary least squares on the masked columns, all of them from this file.",
            "Do not use quantiles, ranks, tests of normality, subsets of the file, or regressions on "
            "columns that were not masked.",
            f"masked = file.select({listed(columns)}).drop_nulls()\nprint(masked.mean(), masked.corr())",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Check that there are more records than dimensions, and find the law of the rotated records."""
        names = self.chosen(source.schema)
        refuse_unmeasurable(source, names)
        records, of_weight = records_that_count(source), " of positive weight" if source.schema.weight else ""
        if 1 < records <= len(names) + 1:
            columns = "One column needs" if len(names) == 1 else f"{len(names)} columns need"
            raise InputError(f"{columns} more than {len(names) + 1} records{of_weight}, there are {records}.")
        notes: tuple[str, ...] = ()
        if source.fold(MissingCounts(names)).any():
            notes = ("moments are kept with missing values replaced by column means, not among the observed values",)
        schema = source.schema.select(names)
        schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        return Plan(schema, published=(self._law(source, names),), notes=notes)

    def _law(self, source: Source, names: tuple[str, ...]) -> NoiseLaw:
        """The rotated scores (u + λw)/√(1 + λ²) of a record, before the correction that makes the moments exact."""
        from ammg.kernels.pairwise import fill_missing, pairwise_moments

        strength = self.strength**2
        if source.count() < 2:
            return NoiseLaw(names, np.zeros((len(names), len(names))), strength)
        block = whole(source).block(self.needs(source.schema))
        weights = block.numbers(source.schema.weight) if source.schema.weight else None
        mean, covariance = pairwise_moments(fill_missing(block.matrix(names)), weights)
        return NoiseLaw(names, strength * covariance, strength, float(1 / np.sqrt(1 + strength)), mean)

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Rotate the scores of all records at random."""
        from ammg.kernels.noise.romm import rotate_records
        from ammg.kernels.pairwise import fill_missing

        names = plan.schema.names
        if len(block) < 2:
            return block
        records = block.matrix(names)
        weights = block.numbers(block.schema.weight) if block.schema.weight else None
        turned = rotate_records(fill_missing(records), self.strength, draws.generator("rotation"), weights)
        masked = np.where(np.isnan(records), np.nan, turned)
        return block.with_columns({name: np.ascontiguousarray(masked[:, j]) for j, name in enumerate(names)})
