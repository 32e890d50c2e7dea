"""Every measure says the same whatever the unit of a column, from denormal numbers to the largest there are."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measure import Measurement

EXPONENTS = (-1030, -700, -490, 490, 700, 1000)
EXEMPT = {"probabilistic_linkage", "domingo_ferrer_torra_score"}
"""The metrics of Yancey, Winkler and Creecy (2002) have a floor in the unit of the data."""


def beside(exponent: int, noisy: bool) -> ammg.Microdata:
    """Sixty records; two of three numeric columns times two to the exponent, which changes none of their digits."""
    rng = np.random.default_rng(5)
    wage = rng.lognormal(size=60).astype(np.float32).astype(np.float64)
    rent = (wage + rng.normal(size=60)).astype(np.float32).astype(np.float64)
    age, region = rng.normal(size=60), rng.choice(["north", "south"], 60)
    if noisy:
        noise = np.random.default_rng(6).normal(size=(2, 60)) / 4
        wage, rent = (np.float64(np.float32(values)) for values in (wage + noise[0], rent + noise[1]))
    table = {"wage": np.ldexp(wage, exponent), "rent": np.ldexp(rent, exponent), "age": age, "region": region}
    return ammg.Microdata(pl.DataFrame(table)).with_roles(key=["rent", "age", "region"], confidential="wage")


def pair(exponent: int) -> Pair:
    return Pair(beside(exponent, noisy=False), beside(exponent, noisy=True), np.arange(60))


def said(name: str, files: Pair) -> Measurement | str:
    try:
        return registry.find("measures", name)().measure(files, Scenario())
    except NotDefined as reason:
        return str(reason)


PAIRS = {exponent: pair(exponent) for exponent in (0, *EXPONENTS)}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", sorted(set(registry.units("measures")) - EXEMPT))
def test_no_unit_changes_a_measure(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    usual = said(name, PAIRS[0])
    for exponent in EXPONENTS:
        found = said(name, PAIRS[exponent])
        if isinstance(usual, str) or isinstance(found, str):
            assert found == usual, exponent
            continue
        assert found.value == pytest.approx(usual.value, rel=1e-9, abs=1e-12), exponent
        assert dict(found.by_column) == pytest.approx(dict(usual.by_column), rel=1e-9, abs=1e-12), exponent
    assert capfd.readouterr() == ("", "")  # LAPACK complains past Python


@pytest.mark.parametrize("side", ["original", "masked"])
def test_an_infinite_value_is_blamed_on_its_column_and_its_file(side: str) -> None:
    files = {"original": beside(0, noisy=False), "masked": beside(0, noisy=True)}
    files[side] = ammg.Microdata(
        files[side].table.with_columns(rent=pl.when(pl.int_range(60) == 7).then(np.inf).otherwise("rent")),
        files[side].schema,
    )
    with pytest.raises(NotDefined, match=f"'rent' has an infinite value in the {side} file"):
        ammg.DistanceLinkage().measure(Pair(files["original"], files["masked"], np.arange(60)), Scenario())


def test_one_denormal_number_makes_no_loss_infinite() -> None:
    table = pl.DataFrame({"x": [5e-324, 1.0, 2.0, 3.0], "y": [5e-324, 1e-323, 1.5e-323, 2e-323]})
    shifted = pl.DataFrame({"x": [1.0, 1.5, 2.0, 3.0], "y": [1e-323, 1e-323, 1e-323, 2e-323]})
    files = Pair(ammg.Microdata(table), ammg.Microdata(shifted), np.arange(4))
    for measure in (ammg.IL1(), ammg.IL1(version="original"), ammg.S1()):
        assert np.isfinite(measure.measure(files, Scenario()).value)


def test_a_masked_value_beyond_all_others_is_lost_but_leaves_numbers() -> None:
    table = beside(0, noisy=True).table
    far = table.with_columns(rent=pl.when(pl.int_range(60) == 7).then(1e300).otherwise("rent"))
    files = Pair(beside(0, noisy=False), ammg.Microdata(far, beside(0, noisy=True).schema), np.arange(60))
    for name in ("distance_linkage", "il1s", "s1", "cell_loss", "deviation_interval_disclosure"):
        found = said(name, files)
        assert isinstance(found, Measurement)
        assert np.isfinite(found.value)
