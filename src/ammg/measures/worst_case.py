"""The worst of all attacks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.attack import Attack
from ammg.measures.measure import Chart, Measurement
from ammg.measures.record_risk import RecordRisk
from ammg.params import param
from ammg.progress import part


class WorstCase(RecordRisk):
    """Largest share of people found by any attack, and the attack that found them.

    All attacks are tried that apply to the release: distance and probabilistic linkage, those that use what the
    published description of the methods tells, and the search for people whose own record stands in the release.
    `by_record` holds the largest chance of each record over all attacks; `details` the rates of all, and how many
    records may be expected to fall to the attack that finds them most surely. No attack is left out of a large file:
    it seeks a random sample of the people in the whole release, which `details` tell, and the interval is that of the
    sample. Links one to one, which need everybody, are then made where published windows of ranks leave few candidates.
    """

    default = False

    most_pairs: float = param(
        2e7, "Beyond so many pairs of records, people are sought by sample, and one by one only.", gt=0
    )
    sample: int = param(2000, "People sought where there are more pairs, drawn at random.", ge=1)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Try every attack in its strongest settings."""
        found: dict[str, Measurement] = {}
        skipped: dict[str, str] = {}
        attacks = {
            _label(name, attack): attack
            for name, unit in registry.units("measures").items()
            if issubclass(unit, Attack)
            for attack in (one.model_copy(update={"sample": self.sample}) for one in unit.strongest(self.most_pairs))
        }
        for position, (label, attack) in enumerate(attacks.items()):
            try:
                with part(position, len(attacks), label):
                    found[label] = attack.measure(pair, scenario)
            except NotDefined as reason:
                skipped[label] = str(reason)
        if not found:
            raise NotDefined("; ".join(sorted(set(skipped.values()))) or "there is no attack")
        rates = {label: float(measurement.value or 0.0) for label, measurement in found.items()}
        ordered = sorted(rates, key=lambda label: -rates[label])
        worst = found[ordered[0]]
        chances = np.stack([_chances(found[label], pair.t) for label in ordered])
        first, chance = chances.argmax(axis=0), chances.max(axis=0)
        details: dict[str, Any] = {
            "attack": ordered[0],
            "rates": {label: rates[label] for label in ordered},
            "intervals": {label: found[label].interval for label in ordered},
            "fell_to": {label: float(chance[first == k].sum()) for k, label in enumerate(ordered)},
            "not_applicable": skipped,
            "sample": {label: made.details["sample"] for label, made in found.items() if "sample" in made.details},
            "outliers": worst.details.get("outliers", {}),
        }
        return replace(worst, by_record=chance, details=details, charts=(_chart(rates, ordered),))


def _label(name: str, attack: Attack) -> str:
    """The attack with the settings that differ from its defaults."""
    settings = [
        f"{field}={getattr(attack, field)}"
        for field in sorted(attack.model_fields_set - {"most_pairs", "sample"})
        if getattr(attack, field) != type(attack).model_fields[field].default
    ]
    return f"{name}({', '.join(settings)})" if settings else name


def _chances(measurement: Measurement, records: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.zeros(records) if measurement.by_record is None else measurement.by_record


def _chart(rates: dict[str, float], ordered: list[str]) -> Chart:
    return Chart(
        "bars",
        "Share found by each attack",
        tuple(ordered),
        {"share found": tuple(rates[label] for label in ordered)},
        "attack",
        "share found",
    )
