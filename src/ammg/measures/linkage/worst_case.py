"""The worst of all attacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.threads import AT_ONCE, in_threads
from ammg.measures.linkage.attack import Attack
from ammg.measures.measurement import Chart, Measurement, People, Table, counts, numbers, shares, text
from ammg.measures.population.record_risk import RecordRisk
from ammg.params import param
from ammg.progress import part

_Result: TypeAlias = Measurement | NotDefined


class WorstCase(RecordRisk):
    """Largest share of people found by any attack, with the attack that found them.

    All attacks that apply to the release are tried, cheap ones first: distance and probabilistic linkage, attacks that
    use the published description of the methods, replays, and the search for people whose own values are in the
    release. With a `limit`, the first attack that breaks it ends the search. `people.by_record` holds the largest
    probability of each record over all attacks. The table `attacks` has the rates of all attacks, and the expected
    number of records found if each falls to its strongest attack. In large files, every attack searches for a random
    sample of people in the whole release, and the interval accounts for it. One-to-one links, which need everybody, are
    then made only if published rank windows leave few candidates.
    """

    exempt: ClassVar[Mapping[str, str]] = {
        "other_units": "as for probabilistic linkage, whose distance ratios have a floor",
        "more_suppression": "as for the attacks that it tries, which link one to one",
        "recoding_alone": "it also counts people whose own values are in the release",
        "independent_files": "the best of several attacks exceeds the chance level of each",
    }
    most_pairs: float = param(
        2e7, "With more pairs of records than this, attacks use a sample of people and no one-to-one links.", gt=0
    )
    sample: int = param(2000, "Size of that sample of people.", ge=1)
    limit: float | None = param(
        None,
        "Try cheap attacks first and stop as soon as one finds more than this share: the limit is broken then.",
        ge=0,
        le=1,
    )

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Try every attack in its strongest settings."""
        found: dict[str, Measurement] = {}
        skipped: dict[str, str] = {}
        attacks = {
            _label(name, attack): attack
            for name, unit in registry.units("measures").items()
            if issubclass(unit, Attack)
            for attack in (
                one.model_copy(update={"sample": self.sample, "limit": self.limit})
                for one in unit.strongest(self.most_pairs)
            )
        }
        ladder = dict(sorted(attacks.items(), key=lambda item: item[1].cost))
        stopped: str | None = None
        for label, result in self._results(ladder, pair, scenario):
            if isinstance(result, NotDefined):
                skipped[label] = str(result)
                continue
            found[label] = result
            if self.limit is not None and float(result.value or 0.0) > self.limit:
                stopped = label
                break
        skipped |= {label: f"{stopped} has broken the limit" for label in ladder if label not in {**found, **skipped}}
        if not found:
            raise NotDefined("; ".join(sorted(set(skipped.values()))) or "there is no attack")
        rates = {label: float(measurement.value or 0.0) for label, measurement in found.items()}
        ordered = sorted(rates, key=lambda label: -rates[label])
        worst = found[ordered[0]]
        chances = np.stack([_chances(found[label], pair.t) for label in ordered])
        first, chance = chances.argmax(axis=0), chances.max(axis=0)
        ends = [found[label].interval or (None, None) for label in ordered]
        attacks_tried = {
            "attack": text(ordered),
            "rate": shares(rates[label] for label in ordered),
            "low": shares(low for low, _ in ends),
            "high": shares(high for _, high in ends),
            "fell_to": numbers(chance[first == k].sum() for k in range(len(ordered))),
            "sample": counts(found[label].facts.get("sample") for label in ordered),
            "surest": shares(found[label].facts.get("surest_value") for label in ordered),
            "cost": text(ladder[label].cost.name.lower() for label in ordered),
        }
        return replace(
            worst,
            facts={"attack": ordered[0]}
            | ({} if stopped is None else {"stopped_by": stopped})
            | {name: fact for name, fact in worst.facts.items() if "outlier" in name or "surest" in name},
            tables={
                "attacks": Table(attacks_tried),
                "not_applicable": Table({"attack": text(skipped), "reason": text(skipped.values())}),
            },
            charts=(_chart(rates, ordered),),
            people=People(chance),
        )

    def _results(self, ladder: Mapping[str, Attack], pair: Pair, scenario: Scenario) -> Iterator[tuple[str, _Result]]:
        """What each attack found, or why it does not apply; one by one where the first may be the last."""
        if self.limit is None:
            results = self._all_results(ladder, pair, scenario)
            yield from ((label, results[label]) for label in ladder)
            return
        for position, label in enumerate(ladder):
            with part(position, len(ladder), label):
                result = _result(ladder[label], pair, scenario)
            yield label, result

    def _all_results(self, ladder: Mapping[str, Attack], pair: Pair, scenario: Scenario) -> dict[str, _Result]:
        """Several at a time; in large files, attacks that may hold a number for each pair run on their own."""
        is_large = float(pair.n) * pair.t > self.most_pairs
        alone = [label for label, attack in ladder.items() if is_large and attack.holds_pairs(pair)]
        together = [label for label in ladder if label not in alone][::-1]  # costly ones first, so that none is left

        def result(label: str) -> _Result:
            return _result(ladder[label], pair, scenario)

        with part(0, len(ladder), size=len(together)):
            results = in_threads(result, together, pair.n * pair.t, brief=False, name=str, most=AT_ONCE)
        for position, label in enumerate(alone, start=len(together)):
            with part(position, len(ladder), label):
                results.append(result(label))
        return dict(zip([*together, *alone], results, strict=True))


def _result(attack: Attack, pair: Pair, scenario: Scenario) -> _Result:
    try:
        return attack.measure(pair, scenario)
    except NotDefined as reason:
        return reason


def _label(name: str, attack: Attack) -> str:
    """The attack with the settings that differ from its defaults."""
    settings = [
        f"{field}={getattr(attack, field)}"
        for field in sorted(attack.model_fields_set - {"most_pairs", "sample", "limit"})
        if getattr(attack, field) != type(attack).model_fields[field].default
    ]
    return f"{name}({', '.join(settings)})" if settings else name


def _chances(measurement: Measurement, records: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.zeros(records) if measurement.people.by_record is None else measurement.people.by_record


def _chart(rates: dict[str, float], ordered: list[str]) -> Chart:
    return Chart(
        "bars",
        "Share found by each attack",
        tuple(ordered),
        {"share found": tuple(rates[label] for label in ordered)},
        "attack",
        "share found",
    )
