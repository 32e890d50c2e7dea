"""Attack rates on CENSUS beside the published ones and the prototype's: `python benchmarks/bench_attack_rates.py`.

Looks for the reference data in the folder `shared` beside the checkout. Table 2 takes 5 secrets, the method-aware
attacks 10; a row is marked where it leaves the tolerance, or falls short of what attacks from outside have found.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import polars as pl

import ammg
from ammg.data.scenario import Scenario

SHARED = Path(__file__).parents[2] / "shared"
ANYBODY = Scenario()
STRENGTHS = {"01": 0.01, "05": 0.05, "10": 0.1, "20": 0.2}
MASKS = {
    **{f"rnkswp{p:02d}": ammg.RankSwapping(p=p) for p in (5, 10, 15, 20)},
    "add01": ammg.CorrelatedNoise(d=0.01),
    "add10": ammg.CorrelatedNoise(d=0.1),
    **{f"mixadd{name}": ammg.MixtureNoise(d=d) for name, d in STRENGTHS.items()},
    **{f"scalmixadd{name}": ammg.MixtureNoise(d=d, rescaled=True) for name, d in STRENGTHS.items()},
}


def census() -> ammg.Microdata:
    table = pl.read_csv(SHARED / "data" / "CENSUS.csv")
    return ammg.Microdata(table).with_roles(confidential=table.columns)


def rows(name: str) -> list[dict[str, str]]:
    with (SHARED / "spec" / "targets" / name).open() as lines:
        return list(csv.DictReader(lines))


def pairs(data: ammg.Microdata, row: str, secrets: int) -> list:
    return [ammg.Pipeline([MASKS[row]]).run(data, secret).pair for secret in range(secrets)]


def shown(label: str, found: float, target: float, tolerance: float) -> None:
    mark = "" if abs(found - target) <= tolerance else "  <-- outside"
    print(f"{label:55s} {found:6.3f}  target {target:6.3f} ± {tolerance:.2f}{mark}", flush=True)


def table_2(secrets: int = 5) -> None:
    """Yancey, Winkler and Creecy (2002), Table 2; its row add05 is d = 0.01."""
    data = census()
    for line in rows("yancey_table2_census_reid.csv"):
        row = {"add05": "add01"}.get(line["method"], line["method"])
        files = pairs(data, row, secrets)
        for metric, tolerance in (("d", 0.04), ("l", 0.06)):
            attack = ammg.ProbabilisticLinkage(metric=metric)
            rate = np.mean([attack.measure(pair, ANYBODY).value for pair in files])
            shown(f"{row}, {metric} metric", float(rate), float(line[f"reid_{metric}"]), tolerance)


def stronger_attacks(secrets: int = 10) -> None:
    """Intruders who know the swap range, or the covariance of the noise."""
    data = census()
    for line in rows("prototype_stronger_attacks_census.csv"):
        row = line["masking"]
        files = pairs(data, row, secrets)
        if row.startswith("rnkswp"):
            found = [
                ammg.RankWindowLinkage().measure(pair, ANYBODY).tables["ways"].lookup("way", "rate") for pair in files
            ]
            rates = {way: [one[way] for one in found] for way in ("nearest_candidate", "one_to_one")}
        else:
            rates = {
                way: [
                    ammg.DistanceLinkage(metric="mahalanobis", one_to_one=one).measure(pair, ANYBODY).value
                    for pair in files
                ]
                for way, one in (("nearest", False), ("one_to_one", True))
            }
            law = np.mean([ammg.NoiseLawLinkage().measure(pair, ANYBODY).value for pair in files])
            print(f"{row + ', law of the noise known':55s} {law:6.3f}")
        for (way, values), column in zip(rates.items(), ("reid_nearest", "reid_1to1"), strict=True):
            target = float(line[column])
            shown(f"{row}, {way}", float(np.mean(values)), target, 0.05 if 0.3 <= target <= 0.95 else 0.02)


OUTSIDE = {
    "RankSwapping p=15": ammg.RankSwapping(p=15),
    "RankSwapping p=40": ammg.RankSwapping(p=40),
    "DistributionRankSwapping p=20": ammg.DistributionRankSwapping(p=20),
    "JointMixtureNoise d=0.5": ammg.JointMixtureNoise(d=0.5, below_zero="allow"),
    "MixtureNoise d=0.2": ammg.MixtureNoise(d=0.2, below_zero="allow"),
    "PercentileNoise delta=1 groups=5": ammg.PercentileNoise(delta=1, groups=5),
    "Jpeg order=principal quality=20": ammg.Jpeg(order="principal", quality=20),
    "Jpeg order=principal quality=5": ammg.Jpeg(order="principal", quality=5),
    "MultiplicativeNoise two_sided cv=0.4": ammg.MultiplicativeNoise(law="two_sided", cv=0.4),
    "MDAV k=5 pooled noise": ammg.Mdav(k=5, noise="pooled"),
    "RandomRounding 20000": ammg.RandomRounding(base=20_000),
    "AdditiveNoise Laplace p=1": ammg.AdditiveNoise(law="laplace", p=1, below_zero="allow"),
    "MDAV k=5": ammg.Mdav(k=5),
}


def attacks_from_outside(secrets: int = 10) -> None:
    """The worst case beside attacks that were written from outside; it stops once it has found that much less 0.02."""
    data = census()
    for line in rows("stronger_attacks_2.csv"):
        target, known = float(line["found_percent"]) / 100, int(line["known_columns"])
        measure, scenario = ammg.WorstCase(limit=max(target - 0.02, 0)), Scenario(known=tuple(data.columns[:known]))
        found = [
            measure.measure(ammg.Pipeline([OUTSIDE[line["method"]]]).run(data, secret).pair, scenario).value
            for secret in range(secrets)
        ]
        mark = "" if np.mean(found) >= target - 0.02 else "  <-- below"
        print(f"{line['method']}, {known} known: {np.mean(found):6.3f}  target {target:6.3f}{mark}", flush=True)


FIGURES = {f.__name__: f for f in (table_2, stronger_attacks, attacks_from_outside)}

if __name__ == "__main__":
    if not SHARED.is_dir():
        sys.exit("The reference data are not beside the checkout.")
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
