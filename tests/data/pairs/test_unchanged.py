import polars as pl

import ammg
from ammg.data.pairs.unchanged import is_unchanged


def test_a_column_is_unchanged_where_every_record_shows_the_same_value_in_its_place() -> None:
    data = ammg.Microdata(pl.DataFrame({"town": ["Lyon", "Nice", None, "Nice"], "pay": [1.0, 2.0, 4.0, 9.0]}))
    noisy = ammg.Pipeline([ammg.AdditiveNoise(columns=["pay"])]).run(data, 1).pair
    assert is_unchanged(noisy, "town")
    assert not is_unchanged(noisy, "pay")
    sampled = ammg.Pipeline([ammg.Sampling(fraction=0.5)]).run(data, 1).pair
    assert not is_unchanged(sampled, "town")
    merged = ammg.Pipeline([ammg.GlobalRecoding(columns=["town"], map={"Lyon": "Nice"})]).run(data, 1).pair
    assert not is_unchanged(merged, "town")
    dropped = ammg.Pipeline([ammg.IdentifierRemoval(columns=["town"])]).run(data, 1).pair
    assert not is_unchanged(dropped, "town")
    assert not is_unchanged(ammg.Pair(data, data, None), "town")
