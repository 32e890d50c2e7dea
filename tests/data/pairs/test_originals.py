import pickle

import polars as pl

import ammg
from ammg.data.pairs.originals import once_of

TABLE = pl.DataFrame({"town": ["Lyon", "Nice", "Lyon"], "pay": [1.0, 2.0, 4.0]})


def kept(data: ammg.Microdata, value: int) -> int:
    return once_of(data, "test", lambda: value)


def test_copies_of_a_file_share_what_is_kept() -> None:
    data = ammg.Microdata(TABLE)
    assert kept(data, 1) == 1
    assert kept(ammg.Microdata(TABLE.clone()), 2) == 1
    assert kept(pickle.loads(pickle.dumps(data)), 3) == 1


def test_another_value_role_or_order_of_categories_is_another_file() -> None:
    assert kept(ammg.Microdata(TABLE), 1) == 1
    assert kept(ammg.Microdata(TABLE).with_roles(key=["town"]), 2) == 2
    assert kept(ammg.Microdata(TABLE.with_columns(pay=pl.Series([1.0, 2.0, 5.0]))), 3) == 3
    assert kept(ammg.Microdata(TABLE.reverse()), 4) == 4
    for number, order in enumerate((["Lyon", "Nice"], ["Nice", "Lyon"])):
        ordered = TABLE.with_columns(pl.col("town").cast(pl.Enum(order)))
        assert kept(ammg.Microdata(ordered), 5 + number) == 5 + number
