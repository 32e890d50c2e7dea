from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.estimators import regression_on_changed

TRUE = np.array([10.0, 3.0, -2.0, 0.5])  # intercept, b, c, slope of age


def sample(seed, n=2500):
    rng = np.random.default_rng(seed)
    letter = rng.choice(list("abc"), n, p=[0.5, 0.3, 0.2])
    age = rng.normal(40, 10, n) + 4 * (letter == "c")
    pay = TRUE[0] + TRUE[1] * (letter == "b") + TRUE[2] * (letter == "c") + TRUE[3] * age + rng.normal(0, 2, n)
    data = ammg.Microdata(pl.DataFrame({"letter": letter, "age": age, "pay": pay})).with_roles(key=["letter"])
    masked = ammg.Pipeline([ammg.Pram(columns="letter", stay=0.7, pattern="uniform")]).run(data, Secret.known(seed))
    return masked.table, masked.published[0]


def test_coefficients_are_those_of_the_original_file_and_intervals_cover_them():
    draws, inside, naive = [], [], []
    for seed in range(120):
        table, transition = sample(seed)
        fit = regression_on_changed(table["pay"], table["letter"], transition, table.select("age"))
        draws.append(fit.coefficients)
        inside.append(np.abs(fit.coefficients - TRUE) <= 1.96 * fit.standard_errors)
        dummies = [(table["letter"] == value).to_numpy().astype(float) for value in "bc"]
        design = np.column_stack([np.ones(len(table)), *dummies, table["age"].to_numpy()])
        naive.append(np.linalg.lstsq(design, table["pay"].to_numpy(), rcond=None)[0])
    errors = np.std(draws, axis=0, ddof=1)
    assert (np.abs(np.mean(draws, axis=0) - TRUE) <= 4 * errors / np.sqrt(len(draws))).all()
    assert fit.standard_errors == pytest.approx(errors, rel=0.25)
    assert 0.91 <= np.mean(inside) <= 0.98
    assert np.mean(naive, axis=0)[1] < 0.8 * TRUE[1]  # what ignoring the changes would give


def test_an_unchanged_attribute_gives_least_squares():
    from ammg.data.published import Transition

    table, transition = sample(1)
    same = Transition(("letter",), np.eye(3), transition.categories)
    fit = regression_on_changed(table["pay"], table["letter"], same, table.select("age"))
    dummies = [(table["letter"] == value).to_numpy().astype(float) for value in "bc"]
    design = np.column_stack([np.ones(len(table)), *dummies, table["age"].to_numpy()])
    assert fit.coefficients == pytest.approx(np.linalg.lstsq(design, table["pay"].to_numpy(), rcond=None)[0])


def test_too_few_records_are_refused():
    table, transition = sample(1)
    with pytest.raises(InputError, match="do not determine"):
        regression_on_changed(table["pay"][:3], table["letter"][:3], transition, table.select("age")[:3])
