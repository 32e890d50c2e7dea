from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.published import ScoreNoise
from ammg.draws import Secret
from ammg.errors import ColumnError, InputError
from ammg.estimators import class_moments
from ammg.reproduce.sullivan_fuller import design

NUMBERS = ("X1", "X2", "X3")


def masked(secret: int) -> tuple[pl.DataFrame, pl.DataFrame, ScoreNoise]:
    """Ten files of the paper's design as one, with the law that is published."""
    table = pl.concat([design(100 * secret + number) for number in range(10)])
    done = ammg.Pipeline([ammg.SullivanFuller()]).run(
        ammg.Microdata(table).with_roles(confidential=table.columns), Secret.known(secret)
    )
    return table, done.table, next(fact for fact in done.published if isinstance(fact, ScoreNoise))


def correlations(covariance: np.ndarray) -> np.ndarray:
    scale = np.sqrt(np.diag(covariance))
    return (covariance / np.outer(scale, scale))[[0, 0, 1], [1, 2, 2]]


def test_correlations_within_classes_come_back_on_the_design_of_the_paper():
    """As in Table 4.4 they are far from each other in the classes, and near the overall ones in the masked file."""
    apart, left = [], []
    for secret in (1, 2):
        before, after, law = masked(secret)
        found = class_moments(after, law, "X4")
        for category in "14":
            part, moved = (
                file.filter(pl.col("X4") == category).select(NUMBERS).to_numpy().astype(float)
                for file in (before, after)
            )
            truth = correlations(np.cov(part.T))
            apart.append(correlations(np.cov(moved.T)) - truth)
            left.append(correlations(found[category].cov) - truth)
            np.testing.assert_allclose(found[category].mean, part.mean(axis=0), atol=0.2)
    apart, left = np.abs(apart).mean(axis=0), np.abs(left).mean(axis=0)
    assert apart[0] > 0.45
    assert left[0] < 0.15  # normal and chi-square variable
    assert apart[2] > 0.3
    assert left[2] < 0.15  # chi-square and Poisson variable
    assert left[1] < 0.2  # normal and Poisson variable, which agrees in the masked file


def test_what_does_not_fit_the_description_is_refused():
    _, after, law = masked(3)
    with pytest.raises(InputError, match="'X1' is not a masked column with categories: give one of X4"):
        class_moments(after, law, "X1")
    with pytest.raises(ColumnError, match="Column 'X2' not found in the file"):
        class_moments(after.drop("X2"), law, "X4")
    with pytest.raises(InputError, match="'X4' has the value '9', which is not a category"):
        class_moments(after.with_columns(X4=pl.lit("9")), law, "X4")
    with pytest.raises(InputError, match="has the shape"):
        class_moments(after, dataclasses.replace(law, covariance=np.eye(2)), "X4")
    with pytest.raises(InputError, match="too few"):
        class_moments(after.head(20), law, "X4")
