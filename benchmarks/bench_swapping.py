"""R-U curves of rank swapping and of the bounded rank permutation: `python benchmarks/bench_swapping.py [file ...]`.

Risk is the share of people that the whole suite of attacks finds (`worst_case`, all columns known), loss is IL1s; both
are means over `SECRETS` secrets. The last column reads the permutation's risk off its curve at the loss of the swap
beside it. CENSUS and EIA are looked for in the folder `shared` beside the checkout.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

import ammg
from ammg.data.scenario import Scenario

SHARED = Path(__file__).parents[2] / "shared" / "data"
RECORDS = 1_080
SECRETS = 1
REACHES = (5, 10, 20, 30, 40)
INCOMES = ["age", "wages", "self_employment", "pensions", "capital_income", "other_income", "taxes"]


def census() -> pl.DataFrame:
    return pl.read_csv(SHARED / "CENSUS.csv")


def eia() -> pl.DataFrame:
    """Revenues and sales of a random part of the file."""
    table = pl.read_csv(SHARED / "EIA.csv")
    names = [name for name in table.columns if name.endswith(("REVENUE", "SALES"))]
    return table.select(names).sample(RECORDS, seed=1)


def survey() -> pl.DataFrame:
    """Incomes and ages."""
    return ammg.datasets.survey(RECORDS, seed=1).select(INCOMES)


def point(data: ammg.Microdata, method: type, p: float) -> tuple[float, float]:
    """Loss and risk."""
    found = []
    for secret in range(SECRETS):
        pair = ammg.Pipeline([method(p=p)]).run(data, secret=secret).pair
        found.append([measure.measure(pair, Scenario()).value for measure in (ammg.IL1s(), ammg.WorstCase())])
    loss, risk = np.mean(found, axis=0)
    return float(loss), float(risk)


def curves(table: pl.DataFrame) -> None:
    data = ammg.Microdata(table).with_roles(confidential=table.columns)
    new = [point(data, ammg.BoundedRankPermutation, p) for p in REACHES]
    order = np.argsort([loss for loss, _ in new])
    losses, risks = (np.array(part)[order] for part in zip(*new, strict=True))
    print("   p   rank swapping     permutation       permutation at the loss of the swap")
    for p, (loss, risk) in zip(REACHES, new, strict=True):
        swapped = point(data, ammg.RankSwapping, p)
        beyond = "" if losses[0] <= swapped[0] <= losses[-1] else " (end of the curve)"
        equal = float(np.interp(swapped[0], losses, risks))
        print(
            f"{p:>4} {swapped[0]:8.3f} {swapped[1]:7.1%} {loss:9.3f} {risk:7.1%} {equal:18.1%}{beyond}",
            flush=True,
        )


FILES = {f.__name__: f for f in (census, eia, survey)}

if __name__ == "__main__":
    for name in sys.argv[1:] or FILES:
        if name != "survey" and not SHARED.is_dir():
            print(f"{name}: the reference data are not beside the checkout", file=sys.stderr)
            continue
        print(f"-- {name}, {RECORDS:,} records, mean of {SECRETS} secrets: loss and share found")
        curves(FILES[name]())
