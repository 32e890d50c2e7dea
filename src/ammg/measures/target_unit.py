"""The AMMG target unit probability."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.measures.measure import Measure, Measurement
from ammg.params import param

Floats = NDArray[np.float64]
Positions = NDArray[np.int64]


class TargetUnit(Measure):
    """Mean probability with which an intruder who seeks a known person picks that person's record.

    For each target: the chance that record j is the target, given what is known of the target, the released file, the
    chance π that the target is in the file at all, and how common the known values are in the population (independent
    margins of the released file, smoothed, unless `population` gives the probability of a combination).
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
        targets = _targets(pair, scenario)
        probability = np.zeros(len(targets))
        for names, rows in _by_known_set(pair, scenario, targets):
            probability[rows] = self._true_link(pair, scenario, names, targets[rows])
        of_original = np.zeros(pair.n)
        of_original[targets] = probability
        by_record = np.where(pair.link >= 0, of_original[pair.link], 0.0)
        return Measurement(
            value=float(probability.mean()) if len(targets) else 0.0,
            by_record=by_record,
            details={
                "targets": len(targets),
                "expected_identifications": float(probability.sum()),
                "largest": float(probability.max(initial=0.0)),
                "share_above": {f"{limit:g}": float(np.mean(probability > limit)) for limit in self.thresholds},
                "inclusion": float(np.mean(_inclusion(pair, scenario, targets))),
            },
        )

    def _true_link(self, pair: Pair, scenario: Scenario, names: list[str], targets: Positions) -> Floats:
        from ammg.kernels.target_unit import link_probability

        known = [name for name in names if name in pair.masked.schema]
        common = self._population_probability(pair, known, targets)
        if any(scenario.error.get(name, 0) > 0 for name in known):
            agreement, total = _agreement_with_error(pair, scenario, known, targets)
        else:
            agreement, total = _exact_agreement(pair, known, targets)
        inclusion = _inclusion(pair, scenario, targets)
        return link_probability(agreement / common, total / common, inclusion, pair.t)

    def _population_probability(self, pair: Pair, names: list[str], targets: Positions) -> Floats:
        if self.population is not None:
            return np.full(len(targets), self.population)
        weights = pair.weights(masked=True)
        mass = np.ones(pair.t) if weights is None else weights / weights.mean()
        probability = np.ones(len(targets))
        for name in names:
            before, after, categories = pair.common_codes(name)
            size = len(categories) + 1
            counts = np.bincount(after + 1, weights=mass, minlength=size) + 1.0
            probability *= counts[before[targets] + 1] / (pair.t + size)
        return probability


def _targets(pair: Pair, scenario: Scenario) -> Positions:
    if scenario.targets is None:
        return np.arange(pair.n)
    targets = np.array(scenario.targets, dtype=np.int64)
    if targets.size and (targets.min() < 0 or targets.max() >= pair.n):
        raise InputError(f"Target {targets.max()} is not a record: ids run from 0 to {pair.n - 1}.")
    return targets


def _by_known_set(pair: Pair, scenario: Scenario, targets: Positions) -> list[tuple[list[str], Positions]]:
    """Targets grouped by what is known of them."""
    usual = tuple(scenario.known_in(pair.original.schema))
    sets: dict[tuple[str, ...], list[int]] = {}
    own = {int(i): tuple(pair.original.schema.select(names).names) for i, names in scenario.known_by_record.items()}
    special = [row for row in range(len(targets)) if int(targets[row]) in own] if own else []
    for row in special:
        sets.setdefault(own[int(targets[row])], []).append(row)
    rest = np.setdiff1d(np.arange(len(targets)), np.array(special, dtype=np.int64))
    groups = [(list(names), np.array(rows)) for names, rows in sets.items()]
    return [(list(usual), rest), *groups] if len(rest) else groups


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


def _agreement_with_error(
    pair: Pair, scenario: Scenario, names: list[str], targets: Positions
) -> tuple[Floats, Floats]:
    """Likelihood of what is known under each record, with errors of measurement: own record, and sum over the file.

    Takes targets × records steps, in blocks.
    """
    position = np.full(pair.n, -1)
    real = np.flatnonzero(pair.link >= 0)
    position[pair.link[real]] = real
    columns = [_likelihood(pair, scenario, name, targets) for name in names]
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
    return own, total


def _likelihood(pair: Pair, scenario: Scenario, name: str, targets: Positions) -> Callable[[Positions], Floats]:
    error = scenario.error.get(name, 0.0)
    if pair.original.schema[name].is_numeric and error > 0:
        known, shown = pair.originals([name])[targets, 0], pair.released([name])[:, 0]
        scale = 1 / (error * np.sqrt(2 * np.pi))
        return lambda rows: np.nan_to_num(
            scale * np.exp(-0.5 * ((known[rows, None] - shown[None, :]) / error) ** 2), nan=1.0
        )
    before, after, categories = pair.common_codes(name)
    spread = error / max(len(categories), 1)
    known_codes = before[targets]
    return lambda rows: np.where(known_codes[rows, None] == after[None, :], 1 - error + spread, spread)
