"""Correlated additive noise."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.disclosure import NoiseLaw
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import MultivariateMethod, Plan
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.moments import Moments, MomentState, MomentValues
from ammg.summaries.summary import Source

Matrix = NDArray[np.float64]


class CorrelatedNoise(MultivariateMethod):
    """Add normal noise whose covariance is d times that of the data: Z = X + √d·W·A', A·A' = Σ.

    Keeps means and correlations in expectation, and every exact linear identity of the data; covariances grow by
    1 + d, which `rescaled` takes back. With `exact` the sample moments themselves are kept: the noise is made
    uncorrelated with the data and given the covariance dΣ to the last digit.
    Source: Kim (1986); Yancey, Winkler and Creecy (2002), appendix, with √d where they print d.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    d: float = param(
        0.1, "Covariance of the noise, as a multiple of the data's.", gt=0, le=2, search=(0.005, 0.5), log=True
    )
    exact: bool = param(False, "Keep means and covariances (times 1 + d) exactly instead of in expectation.")
    rescaled: bool = param(
        False, "Shrink towards the mean so that covariances are those of the data again.", search=[False, True]
    )
    centre: Literal["masked", "original"] = param(
        "masked", "The mean to shrink towards: of the masked or of the original file."
    )
    root: Literal["eig", "sym", "chol", "corr-sym"] = param(
        "eig", "Which square root of the covariance colours the noise."
    )

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns and the weight."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Fold the moments of the data (and of the noise where they matter) into one affine map of a record."""
        from ammg.kernels.psd import nearest_psd, psd_factor

        names = self.chosen(source.schema)
        weight = source.schema.weight
        incomplete = bool(source.fold(MissingCounts(names)).any())
        joint: MomentValues | None = None
        if self.exact or (self.rescaled and self.centre == "masked"):
            joint = source.fold(NoiseMoments(names, draws, weight))
            moments = MomentValues(
                joint.count[: len(names)], joint.mean[: len(names)], _corner(joint.covariance, names)
            )
        else:
            moments = source.fold(Moments(names, weight))
        sigma = nearest_psd(moments.covariance) if incomplete else moments.covariance
        factor = psd_factor(sigma, self.root)
        size = len(names)
        on_data, on_noise, shift = np.eye(size), np.sqrt(self.d) * factor.T, np.zeros(size)
        if self.exact:
            assert joint is not None
            if incomplete:
                raise InputError("exact noise needs complete columns: fill missing values in, or leave `exact` out.")
            on_data, on_noise, shift = _exact(joint, on_noise, source.count())
        scale, centre = 1.0, None
        if self.rescaled:
            scale = float(1 / np.sqrt(1 + self.d))
            centre = moments.mean
            if self.centre == "masked" and joint is not None:
                centre = moments.mean @ on_data + joint.mean[size:] @ on_noise + shift
            on_data, on_noise, shift = scale * on_data, scale * on_noise, scale * shift + (1 - scale) * centre
        schema = source.schema.select(names)
        schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        law = NoiseLaw(names, self.d * sigma, self.d, scale, centre, factor)
        return Plan(schema, (on_data, on_noise, shift), (law,))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Apply the affine map to each record and its own draws; sums run in a fixed order, without BLAS."""
        on_data, on_noise, shift = plan.state
        names = plan.schema.names
        noise = [draws.normal(block.ids, name) for name in names]
        values = [block.numbers(name) for name in names]
        return block.with_columns(
            {name: _combined(values, on_data[:, j], noise, on_noise[:, j], shift[j]) for j, name in enumerate(names)}
        )


class NoiseMoments(Moments):
    """Joint moments of columns and of the noise that their records draw: first the columns, then the noise."""

    def __init__(self, columns: tuple[str, ...], draws: Draws, weight: str | None = None) -> None:
        super().__init__((*columns, *(f"noise of {name}" for name in columns)), weight)
        self.names, self.draws = columns, draws
        self.columns = (*columns, weight) if weight else columns

    def add(self, block: Block) -> MomentState:
        """Draw the chunk's noise and take the moments of both."""
        noise = {f"noise of {name}": self.draws.normal(block.ids, name) for name in self.names}
        return super().add(block.with_columns(noise))


def _exact(joint: MomentValues, on_noise: Matrix, records: int) -> tuple[Matrix, Matrix, Matrix]:
    """Residualise the noise on the data and whiten it, as one affine map z = x·P + w·Q + r."""
    from ammg.kernels.psd import psd_rank

    size = len(on_noise)
    data, cross, noise = joint.covariance[:size, :size], joint.covariance[:size, size:], joint.covariance[size:, size:]
    rank = psd_rank(data)
    if records - 1 < rank + size:
        raise InputError(f"exact noise for {size} columns needs more than {rank + size} records, there are {records}.")
    spread = np.sqrt(np.diag(data))
    spread = np.where(spread > 0, spread, 1.0)
    slope = (
        np.linalg.pinv(data / np.outer(spread, spread), rcond=1e-11, hermitian=True) / np.outer(spread, spread) @ cross
    )
    residual = noise - cross.T @ slope
    values, vectors = np.linalg.eigh(residual)
    whitened = (vectors / np.sqrt(values)) @ vectors.T @ on_noise
    on_data = np.eye(size) - slope @ whitened
    shift = joint.mean[:size] @ slope @ whitened - joint.mean[size:] @ whitened
    return on_data, whitened, shift


def _combined(values: list[Matrix], a: Matrix, noise: list[Matrix], b: Matrix, shift: float) -> Matrix:
    out = np.full(len(noise[0]), shift)
    product = np.empty_like(out)
    for column, factor in zip([*values, *noise], [*a, *b], strict=True):
        if factor != 0:
            np.multiply(column, factor, out=product)
            out += product
    return out


def _corner(covariance: Matrix, names: tuple[str, ...]) -> Matrix:
    return covariance[: len(names), : len(names)]
