import numpy as np
import pandas as pd
import polars as pl
import pytest
from beside import pair_of

import ammg
from ammg.errors import InputError

BEFORE, AFTER = {"x": [1.0, 3.0], "c": ["a", "b"]}, {"x": [2.0, 3.0], "c": ["a", "b"]}


def test_the_relative_change_of_a_number() -> None:
    own = ammg.loss_of(lambda frame: frame["x"].mean())
    assert ammg.evaluate(pair_of(BEFORE, AFTER), own).value("loss_of") == pytest.approx(0.25)


@pytest.mark.parametrize(
    "function",
    [
        lambda frame: {"least": frame["x"].min(), "greatest": frame["x"].max()},
        lambda frame: [frame["x"].min(), frame["x"].max()],
        lambda frame: np.array([frame["x"].min(), frame["x"].max()]),
        lambda frame: frame["x"].sort(),
        lambda frame: frame.sort("x").select("c", "x"),
        lambda frame: frame["x"].to_pandas(),
    ],
)
def test_every_number_that_is_returned_counts(function: object) -> None:
    found = ammg.evaluate(pair_of(BEFORE, AFTER), ammg.loss_of(function, "own"))["own"]
    assert found.value == pytest.approx((1 + 0) / 2)
    assert found.facts["greatest"] == pytest.approx(1)


def test_users_of_pandas_get_pandas() -> None:
    frame = pd.DataFrame(BEFORE)
    masked = ammg.Pipeline([ammg.Rounding(columns="x", base=10)]).run(ammg.Microdata(frame), 1)
    seen = []

    def spread(table: pd.DataFrame) -> float:
        seen.append(type(table))
        return float(table["x"].std())

    assert ammg.evaluate(masked, ammg.loss_of(spread)).value("spread") == 1
    assert seen == [pd.DataFrame, pl.DataFrame] or seen == [pd.DataFrame, pd.DataFrame]


def test_a_function_that_fails_is_a_sentence_in_the_table() -> None:
    found = ammg.evaluate(pair_of(BEFORE, {"c": ["a", "b"]}), ammg.loss_of(lambda frame: frame["x"].mean(), "own"))
    assert found["own"].value is None
    assert found["own"].reason.startswith("the function fails on the masked file (ColumnNotFoundError")
    assert "own: not defined" in str(found)
    nothing = ammg.evaluate(pair_of(BEFORE, AFTER), ammg.loss_of(lambda frame: "text"))
    assert nothing["loss_of"].reason == "the function returns no number for the original file"


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(InputError, match="3 is not a function"):
        ammg.loss_of(3)


def test_it_may_be_limited() -> None:
    own = ammg.loss_of(lambda frame: frame["x"].mean(), "mean of x")
    found = ammg.evaluate(pair_of(BEFORE, AFTER), [], limits=[ammg.Limit(own, 0.1)])
    assert found.broken == {"mean of x": "mean of x is 0.25, the limit is 0.1."}
    assert found.to_dict()["measures"]["mean of x"]["value"] == 0.25
