"""The AMMG target unit probability."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.intruder import held, known_sets
from ammg.measures.intruder import targets as sought
from ammg.measures.measure import Measure, Measurement
from ammg.params import param
from ammg.progress import tick

Floats = NDArray[np.float64]
Positions = NDArray[np.int64]
Likelihood = Callable[[Positions], Floats]


class TargetUnit(Measure):
    """Mean probability with which an intruder who seeks a known person picks that person's record.

    For each target: the chance that record j is the target, given what is known of the target, the released file, the
    chance π that the target is in the file at all, and how common the known values are in the population (independent
    margins of the released file, smoothed, unless `population` gives the probability of a combination). Targets are
    people of the original, or of the intruder's external file: π is the share of them who are in the release then.
    Source: Truta, Fotouhi and Barth-Jones (2003), equations 4.10 and 4.11.
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True

    population: float | None = param(
        None, "Probability of a target's known values in the population, if the same for all.", gt=0, le=1
    )
    thresholds: tuple[float, ...] = param((0.05, 0.2), "Shares of targets above these probabilities are reported.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average the probability of the true link over the targets."""
        if not pair.t:
            raise NotDefined("the masked file has no records")
        pair, scenario = held(pair, scenario)
        targets = sought(pair, scenario)
        if not len(targets):
            raise NotDefined("nobody is sought")
        of_original = np.zeros(pair.n)
        for names, members in known_sets(pair, scenario):
            people = np.flatnonzero(members)
            of_original[people] = self._true_link(pair, scenario, names, people)
        probability = of_original[targets]
        by_record = np.where(pair.link >= 0, of_original[pair.link], 0.0)
        return Measurement(
            value=float(probability.mean()),
            by_record=by_record,
            details={
                "targets": len(targets),
                "expected_identifications": float(probability.sum()),
                "largest": float(probability.max()),
                "share_above": {f"{limit:g}": float(np.mean(probability > limit)) for limit in self.thresholds},
                "inclusion": float(np.mean(_inclusion(pair, scenario, targets))),
            },
        )

    def _true_link(self, pair: Pair, scenario: Scenario, names: Sequence[str], targets: Positions) -> Floats:
        from ammg.kernels.target_unit import link_probability

        known = [name for name in names if name in pair.masked.schema]
        uncertain = [name for name in known if scenario.error.get(name, 0) > 0]
        measured = [name for name in uncertain if pair.original.schema[name].is_numeric]
        common = self._population_probability(pair, [name for name in known if name not in measured], targets)
        if uncertain:
            relative = self.population is None
            columns = [
                _number_likelihood(pair, name, scenario.error[name], targets, relative)
                if name in measured
                else _category_likelihood(pair, name, scenario.error.get(name, 0.0), targets)
                for name in known
            ]
            agreement, total = _agreement_with_error(pair, columns, targets)
        else:
            agreement, total = _exact_agreement(pair, known, targets)
        inclusion = _inclusion(pair, scenario, targets)
        return link_probability(agreement / common, total / common, inclusion, pair.t)

    def _population_probability(self, pair: Pair, names: list[str], targets: Positions) -> Floats:
        if self.population is not None:
            return np.full(len(targets), self.population)
        mass = _mass(pair)
        probability = np.ones(len(targets))
        for name in names:
            before, after, categories = pair.common_codes(name)
            size = len(categories) + 1
            counts = np.bincount(after + 1, weights=mass, minlength=size) + 1.0
            probability *= counts[before[targets] + 1] / (pair.t + size)
        return probability


def _inclusion(pair: Pair, scenario: Scenario, targets: Positions) -> Floats:
    """π: as given, else the sampling factor, divided by the weight of a record that stands for several people."""
    if scenario.inclusion is not None:
        return np.full(len(targets), scenario.inclusion)
    weights = pair.weights(masked=False)
    factor = np.full(len(targets), pair.sampling_factor)
    return factor if weights is None else factor / np.maximum(weights[targets], 1.0)


def _exact_agreement(pair: Pair, names: list[str], targets: Positions) -> tuple[Floats, Floats]:
    """Whether a target's own record agrees with what is known, and how many records do."""
    from ammg.kernels.cells import count_cells

    codes, sizes = [], []
    for name in names:
        before, after, categories = pair.common_codes(name)
        codes.append(np.concatenate([before, after]))
        sizes.append(len(categories))
    cells = count_cells(codes, sizes, pair.n + pair.t)
    of_original, of_masked = cells.index[: pair.n], cells.index[pair.n :]
    agreeing = np.bincount(of_masked, minlength=len(cells)).astype(np.float64)
    own = np.zeros(pair.n)
    real = pair.link >= 0
    own[pair.link[real]] = of_masked[real] == of_original[pair.link[real]]
    return own[targets], agreeing[of_original[targets]]


def _agreement_with_error(pair: Pair, columns: list[Likelihood], targets: Positions) -> tuple[Floats, Floats]:
    """Likelihood of what is known under each record, with errors of measurement: own record, and sum over the file.

    Takes targets × records steps, in blocks.
    """
    position = np.full(pair.n, -1)
    real = np.flatnonzero(pair.link >= 0)
    position[pair.link[real]] = real
    own, total = np.zeros(len(targets)), np.zeros(len(targets))
    block = max(1, 4_000_000 // max(pair.t, 1))
    for start in range(0, len(targets), block):
        rows = np.arange(start, min(start + block, len(targets)))
        likelihood = np.ones((len(rows), pair.t))
        for column in columns:
            likelihood *= column(rows)
        total[rows] = likelihood.sum(axis=1)
        at = position[targets[rows]]
        own[rows] = np.where(at >= 0, likelihood[np.arange(len(rows)), at], 0.0)
        tick(rows[-1] + 1, len(targets))
    return own, total


def _number_likelihood(pair: Pair, name: str, error: float, targets: Positions, relative: bool) -> Likelihood:
    """Density of a known number under each released one; if `relative`, divided by its density in the whole file.

    A density has a unit, so that it is compared with a density: the released numbers blurred by the error, and one
    more record that may lie anywhere between them. A missing number tells nothing either way.
    """
    known, shown = pair.originals([name])[targets, 0], pair.released([name])[:, 0]
    seen = ~np.isnan(shown)
    mass = np.where(seen, _mass(pair), 0.0)
    width = float(np.ptp(shown[seen])) + error if seen.any() else error

    def likelihood(rows: Positions) -> Floats:
        apart = (known[rows, None] - shown[None, :]) / error
        density: Floats = np.exp(-0.5 * apart**2) / (error * np.sqrt(2 * np.pi))
        if relative:
            common = (np.where(seen, density, 0.0) @ mass + 1 / width) / (mass.sum() + 1)
            density /= common[:, None]
        density[np.isnan(density)] = 1.0
        return density

    return likelihood


def _category_likelihood(pair: Pair, name: str, error: float, targets: Positions) -> Likelihood:
    before, after, categories = pair.common_codes(name)
    spread = error / max(len(categories), 1)
    known = before[targets]
    return lambda rows: np.where(known[rows, None] == after[None, :], 1 - error + spread, spread)


def _mass(pair: Pair) -> Floats:
    """What each released record counts for: its weight, 1 on average."""
    weights = pair.weights(masked=True)
    return np.ones(pair.t) if weights is None or not weights.any() else weights / weights.mean()
