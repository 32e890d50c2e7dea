"""Artificial records from a Gaussian copula."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.methods.synthesis.margins import Margin, margin_groups
from ammg.methods.synthesis.simulation import SimulationMethod
from ammg.methods.synthesis.units import Units

if TYPE_CHECKING:
    from ammg.kernels.synthesis.gaussian_copula import LatentLaw

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class CopulaSimulation(SimulationMethod):
    """Add artificial records drawn from a Gaussian copula that is fitted to the real ones.

    Correlated normal variables are drawn and mapped to the quantiles of the real values, with correlations chosen so
    that the values correlate as the real ones do. Nominal categories are ordered by their mean along the first
    principal component of the other attributes. Keeps marginal distributions, pairwise correlations, the total of the
    weights (the weight is simulated too) and all real records; breaks relations of three or more attributes. Missing
    values follow the pattern of a random real record. Households, rules and risks are as in `independent_simulation`.
    An intruder who recognises the artificial records is left with the real ones, which are released unchanged. Source:
    Truta, Fotouhi and Barth-Jones (2003), section 3, simulated factor; Cario and Nelson (1997) for the copula.
    """

    also_called: ClassVar[tuple[str, ...]] = ("GaussianCopula",)
    model: ClassVar[str] = "Gaussian copula"

    def fitted(self, block: Block, units: Units, shared: Mapping[str, bool], computed: Collection[str]) -> CopulaModel:
        """Margins, and the correlations of the normal numbers behind them."""
        from ammg.kernels.synthesis.gaussian_copula import latent_correlation, latent_law
        from ammg.kernels.threads import in_threads

        groups = margin_groups(units)
        values = _ordered(block, list(shared))

        def margin(name: str) -> tuple[NDArray[np.bool_], Margin | None]:
            """Which records have no value, and the margin of the others."""
            home = shared[name]
            group, among = groups[home]
            gone = np.isnan(values[name][units.heads][units.of_record] if home else values[name])
            seen = among[~gone[among]]
            return gone, Margin.of(values[name], group, seen) if len(seen) else None

        found = dict(zip(shared, in_threads(margin, shared, len(block) * len(shared)), strict=True))
        missing = {name: gone for name, (gone, _) in found.items()}
        margins = {name: margin for name, (_, margin) in found.items() if margin is not None}
        scored = np.array([bool(block.schema[name].kind & Kind.CATEGORICAL) for name in shared])
        columns = [values[name] if name not in computed else np.full(len(block), np.nan) for name in shared]
        correlation = latent_correlation(columns, [groups[home][0] for home in shared.values()], scored)
        at_home = np.array(list(shared.values()), dtype=bool)
        return CopulaModel(margins, missing, shared, latent_law(correlation, at_home))


class CopulaModel:
    """Correlated normal numbers, and the margins that make values of them."""

    def __init__(
        self,
        margins: Mapping[str, Margin],
        missing: Mapping[str, NDArray[np.bool_]],
        shared: Mapping[str, bool],
        law: LatentLaw,
    ) -> None:
        self.margins, self.missing, self.shared, self.law = margins, missing, shared, law

    def draw(self, templates: Ints, homes: Ints, rng: np.random.Generator) -> dict[str, Ints]:
        """Values at the quantiles of the normal numbers; what the template lacks is missing."""
        from scipy.special import ndtr

        from ammg.kernels.threads import in_threads

        of_homes, of_members = self.law.draw(homes, rng)
        at_home = [name for name, home in self.shared.items() if home]
        of_person = [name for name, home in self.shared.items() if not home]
        names = [*at_home, *of_person]

        def positions(name: str) -> Ints:
            normals = (
                of_homes[homes, at_home.index(name)] if self.shared[name] else of_members[:, of_person.index(name)]
            )
            gone = self.missing[name][templates]
            drawn = templates.copy()
            if not gone.all():
                drawn[~gone] = self.margins[name].positions(templates[~gone], ndtr(normals[~gone]))
            return drawn

        return dict(zip(names, in_threads(positions, names, len(templates) * len(names)), strict=True))


def _ordered(block: Block, names: list[str]) -> dict[str, Floats]:
    """The columns as numbers whose order means something; categories without one get that of their mean direction."""
    values = {name: block.numbers(name) for name in names}
    nominal = [name for name in names if block.schema[name].kind & Kind.NOMINAL]
    direction = _direction([values[name] for name in names if name not in nominal], len(block))
    for name in nominal:
        codes = block[name]
        seen = codes >= 0
        size = int(codes.max(initial=-1)) + 1
        sums = np.bincount(codes[seen], direction[seen], minlength=size)
        means = sums / np.maximum(np.bincount(codes[seen], minlength=size), 1)
        rank = np.empty(size)
        rank[np.argsort(means, kind="stable")] = np.arange(size)
        values[name] = np.where(seen, np.append(rank, np.nan)[codes], np.nan)
    return values


def _direction(columns: list[Floats], records: int) -> Floats:
    """The first principal component of standardised ranks; missing values are in the middle."""
    if not columns:
        return np.zeros(records)
    from ammg.kernels.orders import dense_ranks
    from ammg.kernels.threads import in_threads

    ranks = np.zeros((records, len(columns)))

    def rank(place: int) -> None:
        seen = ~np.isnan(columns[place])
        number = dense_ranks(columns[place][seen])
        if number.any():
            ranks[seen, place] = (number - number.mean()) / number.std()

    in_threads(rank, range(len(columns)), ranks.size)
    main = np.linalg.eigh(ranks.T @ ranks)[1][:, -1]
    return np.asarray(ranks @ (main * np.sign(main[np.argmax(np.abs(main))])))
