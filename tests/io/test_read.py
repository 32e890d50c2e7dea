"""`ammg.read` takes names of files and of databases."""

import polars as pl
import pytest

import ammg
from ammg.errors import InputError


@pytest.mark.parametrize("source", [pl.DataFrame({"income": [31_415, 27_182]}), {"income": [31_415]}, ["a.csv"], None])
def test_what_is_no_name_is_refused_in_one_sentence_that_shows_no_value(source: object) -> None:
    with pytest.raises(InputError) as refused:
        ammg.read(source)
    assert str(refused.value) == (
        f"A {type(source).__name__} is not a file name: give one, or make microdata from a table with "
        "ammg.Microdata(table)."
    )
