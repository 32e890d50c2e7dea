"""Truta, Fotouhi and Barth-Jones (2003), Automatic generation of masked microdata (AMMG)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ammg.data.microdata import Microdata
from ammg.datasets.patients import PATIENT_ROLES, patients
from ammg.draws import Secret
from ammg.kernels.linkage.target_unit import link_probability
from ammg.methods.grouping.univariate_microaggregation import UnivariateMicroaggregation
from ammg.methods.sampling.sampling import Sampling
from ammg.pipeline.pipeline import Pipeline
from ammg.reproduce.comparison import Comparison
from ammg.tables.rounding import ControlledTableRounding
from ammg.tables.suppression import PrimarySuppression
from ammg.tables.table import Table
from ammg.tables.tabulate import tabulate

RECORDS, POPULATION = 20_000, 200_000_000
RATIOS = {"base": 50_000.0, "case A": 10_000_000.0, "case B": 60_000_000.0}
"""The probability ratio r of the target's own record: one over the population share of age and zip code."""
PRINTED = {"base": 0.024, "case A": 4.98, "case B": 23.08}


def run(data: Path, secrets: int, *, quick: bool = False, figures: Path | None = None) -> list[Comparison]:
    """Make the worked examples of section 4, the appendix and figure 1.1; all data are in the paper."""
    file = Microdata(patients()).with_roles(PATIENT_ROLES)
    pipeline = Pipeline([UnivariateMicroaggregation(columns=("Age",), k=2), Sampling(fraction=0.8)])
    return [_worked_examples(), _density(), _appendix(file, pipeline, secrets), _figure_1_1(file, pipeline)]


def _worked_examples() -> Comparison:
    inclusion = RECORDS / POPULATION
    ours = {
        name: 100 * float(link_probability(np.array(ratio), np.array(ratio), inclusion, RECORDS))
        for name, ratio in RATIOS.items()
    }
    return Comparison(
        "Section 4: probability of the true link by equation 4.10, percent",
        ("risk",),
        {name: {"risk": value} for name, value in ours.items()},
        {name: {"risk": value} for name, value in PRINTED.items()},
        frozenset({("base", "risk"), ("case A", "risk")}),
        (
            "Base: 0.024996 was truncated in print.",
            "Case A: equation 4.10 with the paper's own numbers (r = 10,000,000) gives 4.76, not 4.98; base and case B "
            "agree with it.",
            "π is the sample over the population (the initial file is taken to be the population), though sf = r/n "
            "is defined by the initial file.",
            "Id(Y) = I(X) leads into the extended universe, simulated people included, and I(X) is meant to be the "
            "identifiers of X, not its confidential values. Willemborg is Willenborg.",
        ),
        decimals=4,
    )


def _density() -> Comparison:
    """The density of age in case A integrates to one only with 999 in the place of 9,999."""
    near, far = 10 / 10_000, 40 / 40_000
    return Comparison(
        "Section 4, case A: what the density of age adds up to",
        ("total", "upper piece"),
        {"density of age": {"total": near + far * 999, "upper piece": 999 / 40_000}},
        {"density of age": {"total": near + far * 9_999, "upper piece": 9_999 / 40_000}},
        frozenset({("density of age", "total"), ("density of age", "upper piece")}),
        ("9,999/40,000 on (28, 68) would make the total 10: 999/40,000 is meant.",),
        decimals=5,
    )


def _appendix(file: Microdata, pipeline: Pipeline, secrets: int) -> Comparison:
    """Ages in groups of two, then a sample of eight: who has lost the other of the pair."""
    unpaired, sizes = [], []
    for secret in map(Secret.known, range(secrets)):
        masked = pipeline.run(file, secret)
        ages = np.unique(masked.table["Age"].to_numpy(), return_counts=True)[1]
        unpaired.append(int(np.sum(ages == 1)))
        sizes.append(masked.t)
    columns = ("records", "records unique by Age", "sampling factor")
    return Comparison(
        "Appendix: the patients after microaggregation of Age (k = 2) and sampling (0.8)",
        columns,
        {
            "patients": {
                "records": float(np.mean(sizes)),
                "records unique by Age": float(np.mean(unpaired)),
                "sampling factor": float(np.mean(sizes)) / len(file),
            }
        },
        {"patients": dict(zip(columns, (8.0, 2.0, 0.8), strict=True))},
        notes=(
            f"The mean over {secrets} secrets. Which records the paper's sample left out is not printed: two of one "
            "pair leave nobody alone, two of different pairs leave two alone, as printed.",
        ),
        decimals=2,
    )


def _figure_1_1(file: Microdata, pipeline: Pipeline) -> Comparison:
    """State × Diagnosis by both routes; the text of the paper has no numbers of it."""
    secret = Secret.known(1)
    true = tabulate(file, "State", "Diagnosis")
    routes = {
        "T": true,
        "suppressed": PrimarySuppression().protect(true),
        "rounded": ControlledTableRounding(base=3).protect(true, secret),
        "from MM": tabulate(pipeline.run(file, secret).pair.masked, "State", "Diagnosis"),
    }
    cells = {name: _cells(table) for name, table in routes.items()}
    return Comparison(
        "Figure 1.1: State × Diagnosis, true (T), tabulated and then masked, masked and then tabulated",
        tuple(routes),
        {cell: {name: values.get(cell, 0.0) for name, values in cells.items()} for cell in cells["T"]},
        {},
        notes=(
            "A dash is a cell that is left out. The paper has this figure as a picture, and no numbers in its text.",
        ),
        decimals=0,
    )


def _cells(table: Table) -> dict[str, float]:
    labels = table.labels()
    return {" × ".join(label): float(value) for label, value in zip(labels, table.values.ravel(), strict=True)}
