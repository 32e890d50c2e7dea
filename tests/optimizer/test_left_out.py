"""Methods that a search does not consider come with a reason."""

import polars as pl

import ammg
from ammg.optimizer.left_out import left_out
from ammg.optimizer.space import Space

DATA = ammg.Microdata(pl.DataFrame({"sex": ["f", "m"], "wage": [1.0, 2.0]})).with_roles(key="sex")


def test_every_method_is_considered_or_has_a_reason() -> None:
    space = Space(DATA.schema, 2)
    reasons = left_out(space)
    assert reasons["additive_noise"] == "It does not apply to any column to protect (sex)."
    assert reasons["pseudonyms"] == "It needs decisions that a search cannot make: add it by hand."
    assert "pram" not in reasons
    assert not reasons.keys() & {option.method for option in space.options}


def test_methods_that_were_not_asked_for_are_named() -> None:
    assert left_out(Space(DATA.schema, 2, ["pram"]))["sampling"].startswith("It is not among the methods")
