import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret

RNG = np.random.default_rng(0)
DATA = pl.DataFrame(
    {"x": RNG.integers(0, 500, 300), "region": RNG.choice(["n", "s", "w"], 300), "sex": RNG.integers(0, 2, 300)}
)


def rounded(secret: int = 1, **options) -> pl.DataFrame:
    return ammg.Pipeline([ammg.SemiControlledRounding(columns=["x"], **options)]).run(DATA, secret).table


@pytest.mark.parametrize("secret", range(5))
def test_totals_of_the_file_and_of_every_control_group_move_by_less_than_the_base(secret) -> None:
    masked = rounded(secret, base=10, control=["region", "sex"])
    change = masked["x"] - DATA["x"]
    assert (masked["x"] % 10 == 0).all()
    assert change.abs().max() < 10
    assert abs(change.sum()) < 10
    for rows in DATA.with_columns(change=change).partition_by("region", "sex"):
        assert abs(rows["change"].sum()) < 10


def test_each_number_is_its_expectation_over_four_hundred_secrets() -> None:
    data = DATA.head(30)
    pipeline = ammg.Pipeline([ammg.SemiControlledRounding(columns=["x"], base=5, control=["region"])])
    values = data["x"].to_numpy()
    mean = sum(pipeline.run(data, secret).table["x"].to_numpy() for secret in map(Secret.known, range(400))) / 400
    residual = values % 5
    assert (np.abs(mean - values) <= 4 * np.sqrt(residual * (5 - residual) / 400) + 1e-9).all()


def test_the_printed_rule_rounds_the_nearest_whole_number_of_each_residual_up() -> None:
    masked = rounded(rule="classwise", base=10)
    up = masked.filter(masked["x"] > DATA["x"]).height
    residual = DATA["x"].to_numpy() % 10
    assert up == sum(np.rint((residual == r).sum() * r / 10) for r in range(1, 10))


def test_strata_are_rounded_apart_and_classes_have_no_control() -> None:
    masked = rounded(base=10, within=["region"])
    for rows in DATA.with_columns(change=masked["x"] - DATA["x"]).partition_by("region"):
        assert abs(rows["change"].sum()) < 10
    with pytest.raises(ValueError, match="no control groups"):
        ammg.SemiControlledRounding(rule="classwise", control=["region"])
