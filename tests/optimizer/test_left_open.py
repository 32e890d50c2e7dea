"""What a goal leaves open."""

from __future__ import annotations

import polars as pl

import ammg
from ammg.optimizer.left_open import open_attributes

TABLE = pl.DataFrame({"age": [30, 30, 40, 40], "income": [10, 20, 30, 30], "illness": ["a", "a", "b", "b"]})


def test_attributes_that_single_out_records_and_are_not_known_are_named() -> None:
    data = ammg.Microdata(TABLE).with_roles(key="age", confidential=["income", "illness"])
    (said,) = open_attributes(data, ["age"])
    assert said.startswith("income alone singles out 50 % of the records")


def test_what_the_intruder_knows_is_not_open() -> None:
    data = ammg.Microdata(TABLE).with_roles(key=["age", "income"])
    assert open_attributes(data, ["age", "income"]) == ()
