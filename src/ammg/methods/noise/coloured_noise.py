"""Shared base of correlated noise: one affine map of a record and its own white-noise draws."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import NoiseLaw, Published
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.finite import records_that_count, refuse_infinite, refuse_unmeasurable
from ammg.methods.method import MultivariateMethod, Plan
from ammg.methods.noise.noise_options import Columns, NoisyMethod, without_rounding
from ammg.methods.usage import Usage, listed, weighted
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.extremes import Extremes
from ammg.summaries.moments import Moments, MomentState, MomentValues
from ammg.summaries.summary import Source, State, Summary, Value

Matrix = NDArray[np.float64]


class ColouredNoise(NoisyMethod, MultivariateMethod):
    """Base of methods that add noise whose covariance is d times that of the data: Z = X + √d·W·A', A·A' = Σ."""

    accepts: ClassVar[Kind] = Kind.NUMERIC

    d: float = param(
        0.1, "Covariance of the noise, as a multiple of that of the data.", gt=0, le=2, search=(0.005, 0.5), log=True
    )
    exact: bool = param(False, "Keep means and covariances (times 1 + d) exactly instead of in expectation.")
    rescaled: bool = param(
        False, "Shrink values towards the mean so that covariances match the data again.", search=[False, True]
    )
    centre: Literal["masked", "original"] = param(
        "masked", "Whether to shrink towards the mean of the masked or of the original file."
    )
    root: Literal["eig", "sym", "chol", "corr-sym"] = param(
        "eig", "Square root of the covariance matrix that shapes the noise."
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, rescaled with whole numbers, and exact."""
        return [cls(), cls(rescaled=True, integers=True), cls(exact=True)]

    def prepared(self, names: tuple[str, ...], draws: Draws) -> Any:
        """What `variates` needs besides the records' own draws; picklable."""
        return None

    @abstractmethod
    def variates(self, block: Block, names: tuple[str, ...], prepared: Any, draws: Draws) -> list[Matrix]:
        """White variates of mean zero, one array per column, each record from its own draws."""

    def on_scale(self, block: Block, names: tuple[str, ...]) -> Block:
        """The block on the scale of the noise; override it to add noise to a transform of the data."""
        return block

    @property
    def transforms(self) -> bool:
        """Whether noise is added on another scale than that of the data."""
        return type(self).on_scale is not ColouredNoise.on_scale

    def off_scale(self, values: Matrix) -> Matrix:
        """Values back on the scale of the data."""
        return values

    def mixture(self, prepared: Any) -> tuple[tuple[float, ...], tuple[float, ...], float] | None:
        """The law of the variates for publication, None for the normal."""
        return None

    def joint_law(self, names: tuple[str, ...]) -> tuple[int, float] | None:
        """Components drawn once per record and the variance inside them, for publication; else None."""
        return None

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Correct means and covariances for the noise (Kim 1990)."""
        is_exact = self.plain and (self.exact or self.below_zero == "allow")
        near = "" if is_exact else " Bounds, whole numbers and zeros left unchanged make these corrections approximate."
        scaled = ", scaled=True" if self.rescaled else ""
        code = (
            f"noisy = file.select({listed(columns)})\n"
            f"moments = ammg.estimators.subdomain_moments(noisy, noisy, d={self.d:g}{scaled}"
            f"{weighted(weight, 'weights', 'file_weights')})\n"
            "print(moments.mean, moments.cov)  # for a part of the file: its records first, then noisy"
        )
        grown = "are kept" if self.rescaled else f"are {1 + self.d:g} times too large, which the estimator corrects"
        return Usage(
            f"Means, correlations and regressions among the masked numbers; their variances and covariances {grown}.",
            f"subdomain_moments with d = {self.d:g} for covariances and for parts of the file, corrected_regression "
            f"for regressions on a mix of masked and unmasked columns.{near}",
            "Do not use single values, extremes or quantiles, and do not select records by a masked "
            "column: the noise has changed them.",
            code,
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Fold the moments of the data (and of the noise where they matter) into one affine map of a record."""
        from ammg.kernels.psd import nearest_psd, psd_factor

        names = self.chosen(source.schema)
        extremes = refuse_infinite(source, names)
        self.check_options(source.schema, names, extremes)
        if self.exact and not self.plain:
            raise InputError(
                "exact noise keeps moments that bounds, integers or zeros would break: drop either `exact` or these."
            )
        weight, prepared = source.schema.weight, self.prepared(names, draws)
        incomplete = bool(source.fold(OnScale(MissingCounts(names), self, names)).any())
        joint: MomentValues | None = None
        scaled = source.fold(OnScale(Extremes(names), self, names)) if self.transforms else extremes
        refuse_unmeasurable(source, names, scaled)
        if self.exact or (self.rescaled and self.centre == "masked"):
            joint = source.fold(OnScale(VariateMoments(self, names, prepared, draws, weight), self, names))
            joint = without_rounding(joint, scaled)
            size = len(names)
            moments = joint.first(size)
        else:
            moments = without_rounding(source.fold(OnScale(Moments(names, weight), self, names)), scaled)
        sigma = moments.covariance
        if incomplete:
            sigma = nearest_psd(sigma)
        floors = self.floors(source.schema, names, extremes, sigma)
        gains = self.zero_gains(source, names)
        factor = gains[:, None] * psd_factor(sigma, self.root)
        size = len(names)
        on_data, on_noise, shift = np.eye(size), np.sqrt(self.d) * factor.T, np.zeros(size)
        if self.exact:
            assert joint is not None
            if incomplete:
                raise InputError("exact noise needs complete columns: impute missing values, or drop `exact`.")
            on_data, on_noise, shift = exact_map(joint, on_noise, source)
        scale, centre = 1.0, None
        if self.rescaled:
            scale = float(1 / np.sqrt(1 + self.d))
            centre = moments.mean
            if self.centre == "masked" and joint is not None:
                centre = moments.mean @ on_data + joint.mean[size:] @ on_noise + shift
                # Where values are missing, the noise that counts is that of the records that have one.
                centre += ((joint.mean_beside[size:, :size] - joint.mean[size:, None]) * on_noise).sum(axis=0)
            on_data, on_noise, shift = scale * on_data, scale * on_noise, scale * shift + (1 - scale) * centre
        law = NoiseLaw(
            names,
            self.d * sigma * np.outer(gains, gains),
            self.d,
            scale,
            centre,
            factor,
            self.mixture(prepared),
            joint=self.joint_law(names),
            keeps="zeros" if self.zeros_are_told(floors) else "nothing",
            floors=floors,
        )
        schema = self.after(source.schema.select(names))
        notes = self.advice(source, names, extremes, floors)
        return Plan(schema, (on_data, on_noise, shift, prepared), (self.published(law),), notes=notes)

    def published(self, law: NoiseLaw) -> Published:
        """What a published description of the step reveals."""
        return law

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Apply the affine map to each record and its own draws; sums run in a fixed order, without BLAS."""
        on_data, on_noise, shift, prepared = plan.state
        names = tuple(plan.schema.names)

        def noisy(part: Block, attempt: int) -> Columns:
            place = draws.at("redraw", attempt) if attempt else draws
            noise = self.variates(part, names, prepared, place)
            scaled = self.on_scale(part, names)
            values = [scaled.numbers(name) for name in names]
            masked = {}
            for j, name in enumerate(names):
                if on_noise[:, j].any():
                    masked[name] = self.off_scale(combined(values, on_data[:, j], noise, on_noise[:, j], shift[j]))
                else:  # a constant column stays as it is to the last bit, whatever the scale
                    masked[name] = part.numbers(name).copy()
            return masked

        return self.finished(block, plan, noisy, draws)


class DrawsVariates(Protocol):
    """A method whose records draw variates."""

    def variates(self, block: Block, names: tuple[str, ...], prepared: Any, draws: Draws) -> list[Matrix]:
        """One array per column."""
        ...


class OnScale(Summary[State, Value]):
    """A summary of the data on the scale of a method's noise."""

    def __init__(self, inner: Summary[State, Value], method: ColouredNoise, names: tuple[str, ...]) -> None:
        self.inner, self.method, self.names = inner, method, names
        self.columns = inner.columns

    def add(self, block: Block) -> State:
        """Transform the chunk and hand it on."""
        return self.inner.add(self.method.on_scale(block, self.names))

    def merge(self, left: State, right: State) -> State:
        """As the inner summary does."""
        return self.inner.merge(left, right)

    def finish(self, state: State | None) -> Value:
        """As the inner summary does."""
        return self.inner.finish(state)


class VariateMoments(Moments):
    """Joint moments of columns and of the variates that their records draw: first the columns, then the variates."""

    def __init__(
        self, method: DrawsVariates, columns: tuple[str, ...], prepared: Any, draws: Draws, weight: str | None = None
    ) -> None:
        super().__init__((*columns, *(f"noise of {name}" for name in columns)), weight)
        self.method, self.names, self.prepared, self.draws = method, columns, prepared, draws
        self.columns = (*columns, weight) if weight else columns

    def add(self, block: Block) -> MomentState:
        """Draw the chunk's variates and take the moments of both."""
        noise = self.method.variates(block, self.names, self.prepared, self.draws)
        named = {f"noise of {name}": column for name, column in zip(self.names, noise, strict=True)}
        return super().add(block.with_columns(named))


def exact_map(joint: MomentValues, on_noise: Matrix, source: Source) -> tuple[Matrix, Matrix, Matrix]:
    """Residualise the noise on the data and whiten it, as one affine map z = x·P + w·Q + r."""
    from ammg.kernels.psd import psd_rank

    size = len(on_noise)
    data, cross, noise = joint.covariance[:size, :size], joint.covariance[:size, size:], joint.covariance[size:, size:]
    rank = psd_rank(data)
    records, of_weight = records_that_count(source), " of positive weight" if source.schema.weight else ""
    least = rank + size
    if records < source.count():  # what makes the noise of a few records exact would make that of the others huge
        least *= 3
    if records - 1 < least:
        columns = "one column" if size == 1 else f"{size} columns"
        raise InputError(
            f"exact noise for {columns} needs more than {least} records{of_weight}, but there are "
            f"{records}: drop `exact`."
        )
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


def combined(values: list[Matrix], a: Matrix, noise: list[Matrix], b: Matrix, shift: float) -> Matrix:
    """Sum columns times factors, in the order given."""
    out = np.full(len(noise[0]), shift)
    product = np.empty_like(out)
    for column, factor in zip([*values, *noise], [*a, *b], strict=True):
        if factor != 0:
            np.multiply(column, factor, out=product)
            out += product
    return out
