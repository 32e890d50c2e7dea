"""What leaves: in random order, without identifiers, the same from memory and from a stream."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.release import buckets

RECORDS = 5_000


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(RECORDS)],
            "nick": [f"nick {i}" for i in range(RECORDS)],
            "home": rng.integers(0, 1500, RECORDS).astype(str),
            "age": rng.integers(0, 100, RECORDS),
            "pay": rng.lognormal(size=RECORDS),
            "town": pl.Series(rng.choice(["North", "South"], RECORDS), dtype=pl.Enum(["North", "South", "Nowhere"])),
            "born": pl.Series(rng.integers(0, 9000, RECORDS).astype(np.int32)).cast(pl.Date),
        }
    )


@pytest.fixture
def small_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "ROWS", 700)


def with_roles(data: ammg.Microdata) -> ammg.Microdata:
    return data.with_roles(identifier="name", household="home").with_links({"nick": "name"})


@pytest.fixture
def streamed(table: pl.DataFrame, tmp_path: Path) -> ammg.Microdata:
    table.write_parquet(tmp_path / "in.parquet", row_group_size=901)
    return with_roles(ammg.read(tmp_path / "in.parquet", stream=True))


def test_a_release_is_a_permutation_without_identifiers_and_what_is_linked_to_them(table: pl.DataFrame) -> None:
    released = ammg.Pipeline().run(with_roles(ammg.Microdata(table)), secret=1).release().table
    assert released.columns == ["home", "age", "pay", "town", "born"]
    assert not released["pay"].equals(table["pay"])
    assert released["pay"].sort().equals(table["pay"].sort())


def test_the_order_depends_on_the_secret_alone(table: pl.DataFrame) -> None:
    data = with_roles(ammg.Microdata(table))
    first, again, other = (ammg.Pipeline().run(data, secret=s).release().table for s in (1, 1, 2))
    assert first.equals(again)
    assert not first["pay"].equals(other["pay"])


def test_the_order_says_nothing_about_the_original_order(table: pl.DataFrame) -> None:
    numbered = ammg.Microdata(table.with_row_index("row"))
    released = ammg.Pipeline().run(numbered, secret=5).release(force="the row numbers are what is tested")
    rows = released.table["row"].to_numpy().astype(float)
    assert abs(np.corrcoef(rows, np.arange(RECORDS))[0, 1]) < 4 / np.sqrt(RECORDS)
    assert abs(np.corrcoef(rows[1:], rows[:-1])[0, 1]) < 4 / np.sqrt(RECORDS)


def test_households_get_new_numbers_and_keep_their_members(table: pl.DataFrame) -> None:
    data = with_roles(ammg.Microdata(table))
    released = ammg.Pipeline().run(data, secret=1).release(order="households").table
    numbers = released["home"]
    assert numbers.is_sorted()
    assert numbers.unique().to_list() == list(range(1, table["home"].n_unique() + 1))
    members = sorted(tuple(sorted(group["pay"])) for _, group in table.group_by("home"))
    assert sorted(tuple(sorted(group["pay"])) for _, group in released.group_by("home")) == members


@pytest.mark.usefixtures("small_buckets")
@pytest.mark.parametrize("order", ["records", "households"])
def test_a_stream_is_released_as_the_same_file_as_a_table_in_memory(
    table: pl.DataFrame, streamed: ammg.Microdata, tmp_path: Path, order: str
) -> None:
    pipeline = ammg.Pipeline([ammg.Sampling(fraction=0.7), ammg.Rounding(columns=("pay",), base=0.5)])
    whole = pipeline.run(with_roles(ammg.Microdata(table)), secret=1).release(order=order)
    pipeline.run(streamed, secret=1).release(order=order).write(tmp_path / "out.parquet")
    back = pl.read_parquet(tmp_path / "out.parquet")
    assert back.equals(whole.table)
    assert back.schema == whole.table.schema
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_a_streamed_release_without_records_still_has_its_columns(streamed: ammg.Microdata, tmp_path: Path) -> None:
    masked = ammg.Pipeline([ammg.BernoulliSampling(fraction=1e-9)]).run(streamed, secret=1)
    masked.release().write(tmp_path / "out.parquet")
    back = pl.read_parquet(tmp_path / "out.parquet")
    assert back.shape == (0, 5)


def test_a_category_that_no_record_has_is_not_in_a_streamed_release(streamed: ammg.Microdata, tmp_path: Path) -> None:
    ammg.Pipeline().run(streamed, secret=1).release().write(tmp_path / "out.parquet")
    assert b"Nowhere" not in (tmp_path / "out.parquet").read_bytes()


def test_a_streamed_release_to_a_folder_that_does_not_exist_is_refused(streamed: ammg.Microdata) -> None:
    with pytest.raises(ammg.AmmgError, match="Cannot write"):
        ammg.Pipeline().run(streamed, secret=1).release().write("/nowhere/at/all/out.parquet")


def test_an_error_in_the_middle_leaves_the_old_file(streamed: ammg.Microdata, tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    target.write_bytes(b"old")
    masked = ammg.Pipeline([ammg.GlobalRecoding(columns=("age",), map={"1": "one"})]).run(streamed, secret=1)
    with pytest.raises(ammg.AmmgError, match="not in the map"):
        masked.release().write(target)
    assert target.read_bytes() == b"old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["in.parquet", "out.parquet"]


def test_households_are_not_kept_together_where_there_are_none(table: pl.DataFrame) -> None:
    masked = ammg.Pipeline().run(ammg.Microdata(table), secret=1)
    with pytest.raises(ammg.AmmgError, match="no attribute has the role household"):
        masked.release(order="households")


def test_a_pickle_holds_only_what_leaves(patients: ammg.Microdata, tmp_path: Path) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["Age"])]).run(patients, secret=bytes(range(32)))
    release = masked.release(force="the panel knows Mr Miller")
    stored = pickle.dumps(release)
    for private in (masked.secret.key, b"John Wayne", b"123456789", b"Miller", *_names(patients)):
        assert private not in stored
    back = pickle.loads(stored)
    assert back.to_polars().equals(release.to_polars())
    assert (len(back), repr(back)) == (len(release), repr(release))
    assert copy.deepcopy(release).to_pandas().equals(release.to_pandas())
    back.write(tmp_path / "a.csv")
    release.write(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    with pytest.raises(ammg.AmmgError, match="has no link"), back.record_ids(tmp_path):
        pass


def _names(patients: ammg.Microdata) -> list[bytes]:
    return [value.encode() for column in ("Name", "SSN") for value in patients.table[column].cast(pl.String)]
