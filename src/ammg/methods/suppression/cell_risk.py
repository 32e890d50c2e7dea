"""What methods share that act on records whose risk of re-identification is above a threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.methods.key_method import KeyMethod
from ammg.params import param
from ammg.summaries.cells import CellCounts, CellValues
from ammg.summaries.summary import Source

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


class RiskMethod(KeyMethod):
    """Base of methods that act on records above a risk threshold.

    The risk of a record is the expected 1/F given its sample frequency f and the sum of weights of its equivalence
    class (negative binomial model of Benedetti and Franconi 1998); without weights it is 1/f. A missing value matches
    every value.
    """

    threshold: float = param(0.2, "Largest acceptable risk of a record.", gt=0, le=1, search=(0.5, 0.05))

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The keys and the weight."""
        return (*self.chosen(schema), *self.beside(schema), *([schema.weight] if schema.weight else []))

    def counted(self, source: Source) -> CellValues:
        """The combinations of keys, those that the step may change first, with weights where there are any."""
        names = (*self.chosen(source.schema), *self.beside(source.schema))
        values = source.fold(CellCounts(names, source.schema.weight))
        if values.weights is not None and not np.all(values.weights >= values.counts):
            raise InputError(
                f"The weights '{source.schema.weight}' of a combination add up to less than its number of "
                "records, but a weight must be at least 1: rescale the weights to the population, or give the "
                "column another role."
            )
        return values

    def risks(self, asked: Codes, codes: Codes, counts: Floats, weights: Floats | None) -> Floats:
        """The risk of records with the keys `asked` among records with the keys `codes`."""
        from ammg.kernels.anonymity.wildcards import count_matches
        from ammg.kernels.population.individual_risk import negative_binomial_risk

        together = np.concatenate([codes, asked])
        columns = [np.ascontiguousarray(column) for column in together.T]
        sizes = [max(1, int(column.max(initial=-1)) + 1) for column in columns]
        nothing = np.zeros(len(asked))
        _, f = count_matches(columns, sizes, np.concatenate([counts, nothing]))
        f = np.maximum(f[len(codes) :], 1.0)
        if weights is None:
            return 1.0 / f
        _, population = count_matches(columns, sizes, np.concatenate([weights, nothing]))
        return negative_binomial_risk(f, np.maximum(population[len(codes) :], f))
