import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import ColumnError, InputError

SUM = "total = wages + rent"


def restored(data: object, *identities: str, **options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.RestoreAdditivity(identities=identities or [SUM], **options)]).run(data, 1)


@pytest.fixture
def broken() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    parts = rng.lognormal(3, 1, (200, 2))
    table = np.column_stack([parts.sum(axis=1), parts]) + rng.normal(size=(200, 3)) * (np.arange(200) % 2)[:, None]
    return pl.DataFrame(table, schema=["total", "wages", "rent"])


def test_the_identity_of_census_holds_again_after_noise_on_each_column(census_data: ammg.Microdata) -> None:
    identity = "PTOTVAL = PEARNVAL + POTHVAL"
    noise = ammg.AdditiveNoise(columns=["PTOTVAL", "PEARNVAL", "POTHVAL"])
    noisy = ammg.Pipeline([noise]).run(census_data, 1).table
    run = ammg.Pipeline([noise, ammg.RestoreAdditivity(identities=[identity])]).run(census_data, 1)
    after = run.table
    assert (noisy["PTOTVAL"] - noisy["PEARNVAL"] - noisy["POTHVAL"]).abs().min() > 1e-6
    assert (after["PTOTVAL"] - after["PEARNVAL"] - after["POTHVAL"]).abs().max() < 1e-9 * after["PTOTVAL"].max()
    moved = {name: (noisy[name] - after[name]).abs().sum() / noisy[name].std() for name in noisy.columns}
    new_total = (noisy["PTOTVAL"] - noisy["PEARNVAL"] - noisy["POTHVAL"]).abs().sum() / noisy["PTOTVAL"].std()
    assert sum(moved.values()) <= new_total + 1e-9
    assert run.steps[1].notes == (f"'{identity}' did not hold in 1,080 records",)


def test_records_that_satisfy_are_untouched(broken: pl.DataFrame) -> None:
    after = restored(broken).table
    assert after[::2].equals(broken[::2])
    assert (after["total"] - after["wages"] - after["rent"]).abs().max() < 1e-9 * broken["total"].max()


def test_only_columns_that_may_move_do(broken: pl.DataFrame) -> None:
    after = restored(broken, columns=["rent"]).table
    assert after.select("total", "wages").equals(broken.select("total", "wages"))
    np.testing.assert_allclose(after["rent"], broken["total"] - broken["wages"], rtol=1e-12, atol=1e-12)


def test_bounds_are_kept(broken: pl.DataFrame) -> None:
    after = restored(broken, bounds={"wages": (0, 60), "rent": (5, None)}).table
    assert after["wages"].min() >= 0
    assert after["wages"].max() <= 60
    assert after["rent"].min() >= 5
    assert (after["total"] - after["wages"] - after["rent"]).abs().max() < 1e-9 * broken["total"].max()


def test_totals_given_by_the_owner_are_met(broken: pl.DataFrame) -> None:
    wanted = {"wages": 6500.0, "total": 13000.0}
    after = restored(broken, totals=wanted, bounds={"wages": (0, None)}).table
    assert after["wages"].sum() == pytest.approx(6500, rel=1e-9)
    assert after["total"].sum() == pytest.approx(13000, rel=1e-9)
    assert after["rent"].sum() == pytest.approx(6500, rel=1e-9)
    assert (after["total"] - after["wages"] - after["rent"]).abs().max() < 1e-9 * broken["total"].max()


def test_weighted_totals_that_satisfy_the_identity_stay(broken: pl.DataFrame) -> None:
    lacking = broken["wages"] + broken["rent"] - broken["total"]
    weight = np.random.default_rng(1).uniform(1, 5, len(broken))
    table = broken.with_columns(weight=weight, total=broken["total"] + (lacking * weight).sum() / weight.sum())
    data = ammg.Microdata(table).with_roles(weight="weight")
    after = restored(data, totals=True).table
    for name in ("total", "wages", "rent"):
        assert (after[name] * weight).sum() == pytest.approx((table[name] * weight).sum(), rel=1e-9)


def test_whole_numbers_are_given_where_they_are_asked_for() -> None:
    table = pl.DataFrame({"persons": [5, 3, 4], "adults": [2, 1, 4], "children": [2, 1, 1]})
    after = restored(table, "persons = adults + children", integers=True).table
    assert after.dtypes == [pl.Int64] * 3
    assert (after["persons"] == after["adults"] + after["children"]).all()


def test_records_with_a_missing_member_stay_and_are_counted() -> None:
    table = pl.DataFrame({"total": [5.0, 5, None], "wages": [2.0, None, 1], "rent": [2.0, 1, 1]})
    run = restored(table, totals=False)
    assert run.table[1:].equals(table[1:])
    assert run.steps[0].notes == (
        f"'{SUM}' did not hold in 1 records",
        "2 records have a missing term of an identity and were left unchanged",
    )


def test_shares_sum_to_a_constant() -> None:
    table = pl.DataFrame({"a": [20.0, 50], "b": [30.0, 20], "c": [51.0, 30]})
    after = restored(table, "a + b + c = 100").table
    np.testing.assert_allclose(after.sum_horizontal(), [100, 100], rtol=1e-12)


def test_what_cannot_hold_is_named() -> None:
    table = pl.DataFrame({"total": [3.0, -4, -5, 6], "wages": [1.0, 2, 3, 4], "rent": [2.0, 1, 1, 1]})
    options = {"columns": ["wages", "rent"], "bounds": {"wages": (0, None), "rent": (0, None)}}
    with pytest.raises(InputError, match=r"'total = wages \+ rent' cannot hold in 2 records \(id 1, 2\)"):
        restored(table, **options)
    with pytest.raises(InputError, match=r"in 2 records \(id 1, 2\)"):
        restored(table, SUM, "wages = 2 rent", **options)
    with pytest.raises(InputError, match=r"in 2 records \(id 1, 2\)"):
        restored(table, totals=True, **options)
    with pytest.raises(InputError, match="The total of 'rent' cannot be kept within the bounds"):
        restored(table, bounds={"rent": (0, 1)}, totals={"rent": 99})
    with pytest.raises(InputError, match="The totals contradict 'total = wages"):
        restored(table, totals={"rent": 1, "wages": 2, "total": 4})


def test_wrong_options_are_refused_in_words() -> None:
    table = pl.DataFrame({"total": [3.0], "wages": [1.0], "rent": [2.0], "name": ["x"]})
    with pytest.raises(ColumnError, match=r"'wage' not found\. Did you mean 'wages'"):
        restored(table, "total = wage + rent")
    with pytest.raises(InputError, match=r"'name' is .* identities need numeric columns"):
        restored(table, "total = name")
    with pytest.raises(InputError, match="'name' is to change, but no identity names it"):
        restored(table, columns=["name"])
    with pytest.raises(InputError, match=r"No identity names 'rents'\. Did you mean 'rent'"):
        restored(table, bounds={"rents": (0, 1)})
    with pytest.raises(InputError, match="bounds of 'rent' leave no room: 2 is above 1"):
        restored(table, bounds={"rent": (2, 1)})
    for options in (
        {"identities": []},
        {"identities": ["a = = b"]},
        {"identities": ["a = 0.5 b"], "integers": True},
        {"identities": ["a = b"], "integers": True, "totals": True},
    ):
        with pytest.raises(InputError):
            ammg.RestoreAdditivity(**options)


def test_declared_identities_are_restored_when_none_is_given() -> None:
    rng = np.random.default_rng(3)
    wages, pensions = rng.lognormal(8, 1, (2, 300))
    table = pl.DataFrame({"income": wages + pensions, "wages": wages, "pensions": pensions})
    declared = ammg.Microdata(table).with_identities("income = wages + pensions")
    noise = ammg.AdditiveNoise(below_zero="allow")
    steps = [noise, ammg.RestoreAdditivity()]
    masked = ammg.Pipeline(steps).run(declared, secret=1).table
    np.testing.assert_allclose(masked["income"], masked["wages"] + masked["pensions"], rtol=1e-9)
    given = [noise, ammg.RestoreAdditivity(identities=("income = wages + pensions",))]
    assert ammg.Pipeline(given).run(ammg.Microdata(table), secret=1).table.equals(masked)
    with pytest.raises(InputError, match="has no identity and none is declared"):
        ammg.Pipeline(steps).run(table, secret=1)
