import numpy as np
import pytest
from beside import found

import ammg

RNG = np.random.default_rng(9)
N = 2000
X = RNG.normal(size=N)
Y = X + 0.5 * RNG.normal(size=N)


def test_a_number_is_predicted_as_well_as_theory_says() -> None:
    facts = found(ammg.TargetPrediction(target="y"), {"x": X, "y": Y}, {"x": X, "y": Y}).facts
    assert facts["original"] == pytest.approx(1 / 1.25, abs=0.03)  # R² = 1 / (1 + 0.25)
    assert facts["masked"] == facts["original"]
    assert facts["baseline"] == pytest.approx(0, abs=0.01)


def test_a_permuted_target_teaches_nothing() -> None:
    result = found(ammg.TargetPrediction(target="y"), {"x": X, "y": Y}, {"x": X, "y": RNG.permutation(Y)})
    assert result.value == pytest.approx(1, abs=0.05)


def test_categories_are_predicted_beside_the_most_frequent_one() -> None:
    kind = np.where(X < -0.5, "low", np.where(X > 0.5, "high", "middle"))
    columns = {"x": X, "u": np.abs(X), "kind": kind.tolist()}
    same = found(ammg.TargetPrediction(target="kind"), columns, columns)
    assert same.value == 0
    original, masked, baseline = same.facts["right"]
    assert original == masked > 0.8 > 0.45 > baseline
    lost = found(ammg.TargetPrediction(target="kind"), columns, {**columns, "kind": RNG.permutation(kind).tolist()})
    assert lost.value == pytest.approx(1, abs=0.1)


def test_a_suppressed_target_leaves_the_baseline() -> None:
    assert found(ammg.TargetPrediction(target="y"), {"x": X, "y": Y}, {"x": X, "y": [None] * N}).value == 1


def test_a_target_that_nothing_predicts_has_no_such_loss() -> None:
    columns = {"x": X, "z": RNG.normal(size=N)}
    reason = found(ammg.TargetPrediction(target="z"), columns, columns).reason
    assert reason == "a model of the original predicts the target no better than without any attribute"
