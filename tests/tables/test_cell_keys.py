import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.tables import CellKeys

RNG = np.random.default_rng(6)
DATA = pl.DataFrame(
    {
        "a": RNG.choice(["p", "q", "r"], 400, p=[0.9, 0.08, 0.02]),
        "b": RNG.choice(list("uvwx"), 400, p=[0.5, 0.4, 0.07, 0.03]),
        "c": RNG.choice(["no", "yes"], 400),
    }
)


def test_the_same_cell_gets_the_same_value_in_every_table_of_the_file() -> None:
    keys = CellKeys()
    whole = keys.protect(ammg.tabulate(DATA, ["a", "b"], "c", secret=3))
    for names in (["a"], ["b", "a"], ["c", "b"]):
        other = keys.protect(ammg.tabulate(DATA, names[0], names[1:], secret=3))
        assert np.array_equal(whole.margin(*names).values, _in_order(other, whole, names))
    assert whole.values[-1, -1, -1] == keys.protect(ammg.tabulate(DATA, "c", secret=3)).values[-1]


def _in_order(table: ammg.tables.Table, like: ammg.tables.Table, names: list[str]) -> np.ndarray:
    ordered = sorted(names, key=like.layout.names.index)
    return np.transpose(table.values, [table.layout.names.index(name) for name in ordered])


def test_a_copy_of_a_line_is_changed_in_the_same_way() -> None:
    twice = DATA.with_columns(pl.when(pl.col("a") == "r").then(pl.lit("r2")).otherwise("a").alias("a2"))
    one, other = (CellKeys().protect(ammg.tabulate(twice, n, "b", secret=1)).values for n in ("a", "a2"))
    assert np.array_equal(one, other)


def test_changes_have_no_bias_the_variance_asked_for_and_leave_zeros() -> None:
    _assert_law(60)


@pytest.mark.proof
def test_changes_have_no_bias_and_the_variance_asked_for_over_1000_secrets() -> None:
    _assert_law(1000)


def _assert_law(secrets: int) -> None:
    keys = CellKeys(variance=2.5, most=4)
    true = ammg.tabulate(DATA, "a", "b", secret=0).values
    change = np.array(
        [keys.protect(ammg.tabulate(DATA, "a", "b", secret=Secret.known(s))).values - true for s in range(secrets)]
    )
    assert (true == 0).any()
    assert (true == 1).any()
    assert (change[:, true == 0] == 0).all()
    assert (true + change >= 0).all()
    assert np.abs(change).max() <= 4
    some = change[:, true > 0]
    # The mean of N changes has the deviation √(2.5/N); their variance one of about 2.5 √(2/N).
    assert np.abs(some.mean(axis=0)).max() < 4 * np.sqrt(2.5 / secrets)
    assert np.abs(some.var(axis=0) - 2.5).max() < 4 * 2.5 * np.sqrt(2 / secrets)
    assert some.mean() == pytest.approx(0, abs=4 * np.sqrt(2.5 / secrets))


def test_a_weighted_count_changes_by_records_of_the_mean_weight() -> None:
    data = ammg.Microdata(DATA.with_columns(pl.lit(10.0).alias("w"))).with_roles(weight="w")
    shown = CellKeys().protect(ammg.tabulate(data, "a", "b", secret=2))
    plain = CellKeys().protect(ammg.tabulate(DATA, "a", "b", secret=2))
    assert np.allclose(shown.values, 10 * plain.values)


def test_what_cell_keys_cannot_do_is_told() -> None:
    with pytest.raises(InputError, match="The table has no record keys: give tabulate a secret"):
        CellKeys().protect(ammg.tabulate(DATA, "a"))
    with pytest.raises(InputError, match=r"A count of 1 changes by -1 to 3, so the variance must be below 3"):
        CellKeys(variance=3, most=3)
    numbers = DATA.with_columns(pl.lit(2).alias("n"))
    with pytest.raises(InputError, match="Cell keys change counts, but this table sums 'n'"):
        CellKeys().protect(ammg.tabulate(numbers, "a", value="n", secret=1))
