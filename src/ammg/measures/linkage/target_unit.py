"""The AMMG target unit probability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Pair
from ammg.data.published import ValueSets
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.blas import one_blas_thread
from ammg.kernels.blocks import over_blocks
from ammg.kernels.threads import in_threads
from ammg.measures.linkage.intruder import held, known_sets
from ammg.measures.linkage.intruder import targets as sought
from ammg.measures.measure import Risk
from ammg.measures.measurement import Fact, Measurement, People, Table, numbers, shares
from ammg.params import param

Floats = NDArray[np.float64]
Positions = NDArray[np.int64]
Codes = NDArray[np.int32]
Likelihood = Callable[[Positions], Floats]

MOST_PAIRS = 2e7  # of targets and records that are compared where values may have been changed


class TargetUnit(Risk):
    """Mean probability that an intruder looking for a known person picks that person's record.

    For each target, it is the probability that record j is the target, given the known values, the released file, the
    probability π that the target is in the file, and how common the known values are in the population. (The latter
    comes from smoothed independent margins of the released file, unless `population` gives it.) A known value must
    agree exactly or, if that finds more, within the average change that masking makes. Targets are people of the
    original, or of the intruder's external file; π is then the share of them who are in the release. Artificial records
    may be the target like any other record, each with probability π/t; the fact `if_recognised` gives the risk if the
    intruder can recognise them. Source: Truta, Fotouhi and Barth-Jones (2003), equations 4.10 and 4.11.
    """

    exempt: ClassVar[Mapping[str, str]] = {
        "more_suppression": "a record with a missing value is a less likely target, so similar ones become more likely",
        "independent_files": (
            "a record that differs in a known value cannot be the target, so its probability is below chance"
        ),
    }
    mixes_simulated: ClassVar[bool] = True
    population: float | None = param(
        None, "Probability of a target's known values in the population, if it is the same for all.", gt=0, le=1
    )
    thresholds: tuple[float, ...] = param((0.05, 0.2), "Shares of targets above these probabilities are reported.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average the probability of the true link over the targets."""
        if not pair.t:
            raise NotDefined("the masked file has no records")
        pair, scenario = held(pair, scenario)
        targets = sought(pair, scenario)
        if not len(targets):
            raise NotDefined("there are no targets")
        in_sets = any(_sets(pair, names) for names, _ in known_sets(pair, scenario))
        find = self._sought_by_sample if in_sets else self._probabilities
        of_original = find(pair, scenario, targets)
        learned = _learned(pair, scenario)
        if learned != scenario:
            others = self._sought_by_sample(pair, learned, targets)
            of_original = max(of_original, others, key=lambda chances: float(chances[targets].mean()))
        probability = of_original[targets]
        by_record = np.where(pair.link >= 0, of_original[pair.link], 0.0)
        return Measurement(
            value=float(probability.mean()),
            facts={
                "targets": len(targets),
                "expected_identifications": float(probability.sum()),
                "largest": float(probability.max()),
                "inclusion": float(np.mean(_inclusion(pair, scenario, targets))),
                **self._if_recognised(pair, scenario),
            },
            tables={
                "share_above": Table(
                    {
                        "probability": numbers(self.thresholds),
                        "share": shares(np.mean(probability > limit) for limit in self.thresholds),
                    }
                )
            },
            people=People(by_record),
        )

    def _if_recognised(self, pair: Pair, scenario: Scenario) -> dict[str, Fact]:
        """The simulated factor, and the risk where the intruder recognises artificial records."""
        if pair.r == pair.t:
            return {}
        without = self.measure(pair.without_simulated(), scenario).value if pair.r else 0.0
        return {"simulated_factor": pair.simulated_factor, "if_recognised": without}

    def _probabilities(self, pair: Pair, scenario: Scenario, targets: Positions) -> Floats:
        """The probability of the true link of each target, by its position in the original."""
        wanted = np.zeros(pair.n, dtype=bool)
        wanted[targets] = True
        found = np.zeros(pair.n)
        for names, members in known_sets(pair, scenario):
            people = np.flatnonzero(members & wanted)
            if len(people):
                found[people] = self._true_link(pair, scenario, names, people)
        return found

    def _sought_by_sample(self, pair: Pair, scenario: Scenario, targets: Positions) -> Floats:
        """The same where all records are compared; of many targets a random sample, whose mean the others get."""
        most = max(1, int(MOST_PAIRS / max(pair.t, 1)))
        if len(targets) <= most:
            return self._probabilities(pair, scenario, targets)
        some = np.sort(np.random.default_rng(len(targets)).choice(targets, most, replace=False))
        found = self._probabilities(pair, scenario, some)
        others = np.zeros(pair.n, dtype=bool)
        others[targets] = True
        others[some] = False
        found[others] = found[some].mean()
        return found

    def _true_link(self, pair: Pair, scenario: Scenario, names: Sequence[str], targets: Positions) -> Floats:
        from ammg.kernels.linkage.target_unit import link_probability

        known = [name for name in names if name in pair.masked.schema]
        uncertain = [name for name in known if scenario.error.get(name, 0) > 0]
        measured = [name for name in uncertain if pair.common_numbers(name) is not None]
        sets = {name: told for name, told in _sets(pair, known).items() if name not in measured}
        common = self._population_probabilities(
            pair, [name for name in known if name not in measured and name not in sets], targets
        )
        if uncertain or sets:
            relative = self.population is None
            columns = [
                _number_likelihood(pair, name, scenario.error[name], targets, relative)
                if name in measured
                else _set_likelihood(pair, name, sets[name], targets, relative)
                if name in sets
                else _category_likelihood(pair, name, _mistaken(pair, name, scenario), targets, common[name])
                for name in known
            ]
            with one_blas_thread():  # whose sums would depend on the number of threads
                ratio, total = _agreement_with_error(pair, columns, targets)
        else:
            ratio, total = _exact_agreement(pair, known, targets, common)
        if self.population is not None:
            ratio, total = ratio / self.population, total / self.population
        return link_probability(ratio, total, _inclusion(pair, scenario, targets), pair.t)

    def _population_probabilities(self, pair: Pair, names: list[str], targets: Positions) -> dict[str, Floats]:
        """How common each known value of the targets is; 1 where nothing is known, or `population` tells it of all."""
        mass = _mass(pair)

        def common(name: str) -> Floats:
            before, after, categories = pair.common_codes(name)
            size = len(categories) + 1
            counts = np.bincount(after + 1, weights=mass, minlength=size) + 1.0
            probability = np.where(before < 0, 1.0, counts[before + 1] / (pair.t + size))
            return np.asarray(probability[targets] if self.population is None else np.ones(len(targets)))

        return dict(zip(names, in_threads(common, names, len(names) * pair.t), strict=True))


def _learned(pair: Pair, scenario: Scenario) -> Scenario:
    """The scenario of the best informed intruder, who knows how far the mask moves values from the truth.

    Of numbers the root mean square of the changes is their error, of categories the share that changed. What was moved
    as far as chance would move it tells nothing, and is not used for those of whom the usual attributes are known.
    """
    names = {name for known, _ in known_sets(pair, scenario) for name in known if name in pair.masked.schema}
    errors, useless = dict(scenario.error), set()
    real = pair.link >= 0
    for name in sorted(names):
        numbers = pair.common_numbers(name)
        if numbers is None and pair.value_sets(name) is not None:
            continue  # what categories stand for is published
        sides = numbers if numbers is not None else pair.common_codes(name)[:2]
        before, after = sides[0][pair.link[real]], sides[1][real]
        seen = ~np.isnan(before) & ~np.isnan(after) if numbers is not None else (before >= 0) & (after >= 0)
        before, after = before[seen], after[seen]
        if not len(before):
            continue
        if numbers is not None:
            error, chance = float(np.sqrt(np.mean(np.square(after - before)))), float(np.std(before))
        else:
            shares = np.unique(before, return_counts=True)[1] / len(before)
            error, chance = float(np.mean(before != after)), 1.0 - float(np.square(shares).sum())
        if error > errors.get(name, 0.0) and np.isfinite(error):
            errors[name] = error
            useless.update([name] if error >= 0.8 * chance else [])
    used = tuple(name for name in scenario.known_in(pair.original.schema) if name not in useless)
    return scenario.model_copy(update={"error": errors} | ({"known": used} if used and useless else {}))


def _inclusion(pair: Pair, scenario: Scenario, targets: Positions) -> Floats:
    """π: as given, else the sampling factor, divided by the weight of a record that stands for several people."""
    if scenario.inclusion is not None:
        return np.full(len(targets), scenario.inclusion)
    weights = pair.weights(masked=False)
    factor = np.full(len(targets), pair.sampling_factor)
    return factor if weights is None else factor / np.maximum(weights[targets], 1.0)


def _exact_agreement(
    pair: Pair, names: list[str], targets: Positions, common: dict[str, Floats]
) -> tuple[Floats, Floats]:
    """Probability ratio of a target's own record, and the sum over the file.

    A record that differs in something known has ratio 0, one that agrees one over how common the known values are. A
    missing value agrees with any and tells nothing.
    """
    from ammg.kernels.anonymity.cells import count_cells
    from ammg.kernels.anonymity.missing_patterns import missing_patterns

    columns = [pair.common_codes(name) for name in names]
    sizes = [max(1, len(categories)) for _, _, categories in columns]
    before = _columns([codes[targets] for codes, _, _ in columns], len(targets))
    after = _columns([codes for _, codes, _ in columns], pair.t)
    record = np.full(pair.n, -1)
    real = np.flatnonzero(pair.link >= 0)
    record[pair.link[real]] = real
    record = record[targets]
    own, total = np.zeros(len(targets)), np.zeros(len(targets))
    gaps_of_records = missing_patterns(after)

    def compare(holes: NDArray[np.bool_], people: Positions) -> None:
        place = np.full(pair.t + 1, -1)
        for gaps, records in gaps_of_records:
            used = np.flatnonzero(~holes & ~gaps)
            codes = _joined(before, people, after, records, used)
            cells = count_cells(codes, [sizes[j] for j in used], len(people) + len(records))
            sought, shown = np.split(cells.index, [len(people)])
            ratio = np.ones(len(people))
            for j in used:
                ratio /= common[names[j]][people]
            total[people] += ratio * np.bincount(shown, minlength=len(cells))[sought]
            place[records] = shown
            own[people] += np.where(place[record[people]] == sought, ratio, 0.0)
            place[records] = -1

    in_threads(lambda some: compare(*some), missing_patterns(before), (len(targets) + pair.t) * len(names))
    return own, total


def _joined(before: Codes, people: Positions, after: Codes, records: Positions, used: Positions) -> list[Codes]:
    """Some columns of some targets, and behind them those of some records."""
    values = len(used) * (len(people) + len(records))
    return in_threads(lambda j: np.concatenate([before[people, j], after[records, j]]), used, values)


def _columns(codes: list[Codes], rows: int) -> Codes:
    """Codes side by side, with contiguous columns."""
    out = np.empty((rows, len(codes)), dtype=np.int32, order="F")
    for j, column in enumerate(codes):
        out[:, j] = column
    return out


def _agreement_with_error(pair: Pair, columns: list[Likelihood], targets: Positions) -> tuple[Floats, Floats]:
    """Likelihood of what is known under each record, with errors of measurement: own record, and sum over the file.

    Takes targets × records steps, in blocks.
    """
    position = np.full(pair.n, -1)
    real = np.flatnonzero(pair.link >= 0)
    position[pair.link[real]] = real
    own, total = np.zeros(len(targets)), np.zeros(len(targets))

    def work(start: int, stop: int) -> None:
        rows = np.arange(start, stop)
        likelihood = np.ones((len(rows), pair.t))
        for column in columns:
            likelihood *= column(rows)
        total[rows] = likelihood.sum(axis=1)
        at = position[targets[rows]]
        own[rows] = np.where(at >= 0, likelihood[np.arange(len(rows)), at], 0.0)

    over_blocks(work, len(targets), block=max(1, 2_000_000 // max(pair.t, 1)))
    return own, total


def _mistaken(pair: Pair, name: str, scenario: Scenario) -> float:
    """The chance that a category is known wrongly; a number that was recoded into classes is taken to be in its own."""
    return 0.0 if pair.original.schema[name].is_numeric else scenario.error.get(name, 0.0)


def _number_likelihood(pair: Pair, name: str, error: float, targets: Positions, relative: bool) -> Likelihood:
    """Density of a known number under each released one; if `relative`, divided by its density in the whole file.

    A density has a unit, so that it is compared with a density: the released numbers blurred by the error, and one
    more record that may lie anywhere between them. A missing number tells nothing either way.
    """
    numbers = pair.common_numbers(name)
    assert numbers is not None
    known, shown = numbers[0][targets], numbers[1]
    seen = ~np.isnan(shown)
    mass = np.where(seen, _mass(pair), 0.0)
    width = float(np.ptp(shown[seen])) + error if seen.any() else error

    def likelihood(rows: Positions) -> Floats:
        apart = (known[rows, None] - shown[None, :]) / error
        with np.errstate(under="ignore"):  # the density of somebody far away is 0
            density: Floats = np.exp(-0.5 * apart**2) / (error * np.sqrt(2 * np.pi))
        if relative:
            common = (np.where(seen, density, 0.0) @ mass + 1 / width) / (mass.sum() + 1)
            density /= common[:, None]
        density[np.isnan(density)] = 1.0
        return density

    return likelihood


def _category_likelihood(pair: Pair, name: str, error: float, targets: Positions, common: Floats) -> Likelihood:
    """Chance of a known category under each released one over how common it is; what is missing tells nothing."""
    before, after, categories = pair.common_codes(name)
    spread = error / max(len(categories), 1)
    known = before[targets]

    def likelihood(rows: Positions) -> Floats:
        agrees = known[rows, None] == after[None, :]
        ratio = np.where(agrees, 1 - error + spread, spread) / common[rows, None]
        return np.where((known[rows, None] < 0) | (after[None, :] < 0), 1.0, ratio)

    return likelihood


def _set_likelihood(pair: Pair, name: str, told: ValueSets, targets: Positions, relative: bool) -> Likelihood:
    """One over the people whose value each released set holds, 0 for sets that do not hold the known one.

    If `relative`, divided by how many people there are: a set of everybody tells nothing.
    """
    before, values = pair.recoded(name)
    released, shown = pair.codes(name, masked=True)
    held = told.holding(values)
    people = held @ np.bincount(before[before >= 0], minlength=len(values))
    chance = np.where(held, (pair.n if relative else 1.0) / np.maximum(people, 1)[:, None], 0.0)
    place = np.append(match_categories(shown, told.after), np.int32(-1))[released]
    known = before[targets]

    def likelihood(rows: Positions) -> Floats:
        ratio = chance[place[None, :], known[rows, None]]
        return np.where((known[rows, None] < 0) | (place[None, :] < 0), 1.0, ratio)

    return likelihood


def _sets(pair: Pair, names: Sequence[str]) -> dict[str, ValueSets]:
    """What the locally recoded ones of some attributes stand for."""
    shown = [name for name in names if name in pair.masked.schema]
    return {name: told for name in shown if (told := pair.value_sets(name)) is not None}


def _mass(pair: Pair) -> Floats:
    """What each released record counts for: its weight, 1 on average."""
    weights = pair.weights(masked=True)
    return np.ones(pair.t) if weights is None or not weights.any() else weights / weights.mean()
