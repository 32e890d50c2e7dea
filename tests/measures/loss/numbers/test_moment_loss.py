"""What IL1 to IL5 share: zero on equal files, definitions by hand, and gaps that are charged."""

import gc
import weakref

import numpy as np
import polars as pl
import pytest

import ammg

ALL = ["il1", "il1s", "il2", "il3", "il4", "il5", "s0", "s1", "s2"]
TABLE = pl.DataFrame({"x": [1.0, 2.0, 3.0, 6.0], "y": [5.0, 0.0, 5.0, 2.0]})


@pytest.mark.parametrize("name", ALL)
def test_equal_files_lose_nothing(census_data: ammg.Microdata, name: str) -> None:
    assert ammg.evaluate(census_data, [name]).value(name) == 0


@pytest.mark.parametrize("name", ALL)
def test_the_order_of_the_records_does_not_matter(name: str) -> None:
    data = ammg.Microdata(TABLE)
    forward = ammg.Pair(data, ammg.Microdata(TABLE * 1.5), np.arange(4))
    backward = ammg.Pair(data, ammg.Microdata((TABLE * 1.5).reverse()), np.arange(4)[::-1].copy())
    assert ammg.evaluate(forward, [name]).value(name) == pytest.approx(ammg.evaluate(backward, [name]).value(name))


@pytest.mark.parametrize("name", ALL)
def test_what_is_withheld_is_charged_and_never_skipped(survey: ammg.Microdata, name: str) -> None:
    kept, dropped = (
        ammg.evaluate(ammg.Pipeline(steps).run(survey, 1), [name]).value(name)
        for steps in ([], [ammg.IdentifierRemoval(columns=["income"])])
    )
    assert kept == 0
    assert dropped > 0


@pytest.mark.parametrize("name", ALL)
def test_a_file_without_numbers_has_no_such_loss(name: str) -> None:
    data = ammg.Microdata(pl.DataFrame({"c": ["a", "b"]}))
    assert ammg.evaluate(data, [name])[name].reason == "no numeric attribute to compare"


@pytest.mark.parametrize("name", ALL)
def test_one_record_has_no_such_loss(name: str) -> None:
    assert ammg.evaluate(ammg.Microdata(TABLE[:1]), [name])[name].reason == "fewer than two records"


def test_measures_of_one_pair_leave_nothing_behind() -> None:
    pair = ammg.Pair(ammg.Microdata(TABLE), ammg.Microdata(TABLE * 2), np.arange(4))
    ammg.evaluate(pair, ALL)
    gone = weakref.ref(pair)
    del pair
    gc.collect()
    assert gone() is None
