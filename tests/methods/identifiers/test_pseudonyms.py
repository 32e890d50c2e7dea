"""Pseudonyms made with a key."""

import base64
import hashlib

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ammg
from ammg.data.attribute import Role
from ammg.draws import Draws, Secret
from ammg.errors import InputError

PERSONS = pl.DataFrame({"person": ["ann", "bob", "cid", "bob"], "home": [7, 7, 8, None], "pay": [1.0, 2.0, 3.0, 4.0]})


def masked(table: pl.DataFrame, secret: object = 1, **options: object) -> pl.DataFrame:
    roles = {"identifier": [n for n in ("person", "pid") if n in table.columns]}
    return ammg.Pipeline([ammg.Pseudonyms(**options)]).run(ammg.Microdata(table).with_roles(**roles), secret).table


def test_a_pseudonym_is_the_keyed_hash_of_the_identifier_in_base_32() -> None:
    key = Draws(Secret.of(1)).keyed("pseudonyms of person")
    digest = hashlib.blake2b(b"ann", key=key, digest_size=32).digest()
    assert masked(PERSONS)["person"][0] == base64.b32encode(digest).decode()[:16].lower()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=30), st.integers(0, 5))
def test_equal_identifiers_share_a_pseudonym_and_different_ones_do_not(names: list[str], secret: int) -> None:
    new = masked(pl.DataFrame({"person": names}), secret)["person"].to_list()
    assert len(set(zip(names, new, strict=True))) == len(set(names)) == len(set(new))


def test_tables_with_the_same_secret_and_namespace_can_be_joined() -> None:
    visits = pl.DataFrame({"pid": ["bob", "bob", "ann"]})
    left = masked(PERSONS, namespace="people")["person"]
    right = masked(visits, namespace="people")["pid"]
    assert right.to_list() == [left[1], left[1], left[0]]
    assert left.is_in(masked(visits, secret=2, namespace="people")["pid"].implode()).sum() == 0
    assert left.is_in(masked(visits, namespace="others")["pid"].implode()).sum() == 0


def test_the_place_in_the_pipeline_does_not_matter() -> None:
    data = ammg.Microdata(PERSONS).with_roles(identifier="person", confidential="pay")
    last = ammg.Pipeline([ammg.AdditiveNoise(columns=["pay"]), ammg.Pseudonyms()]).run(data, 1).table
    assert last["person"].equals(masked(PERSONS)["person"])


def test_a_number_and_the_same_number_as_text_are_the_same_identifier() -> None:
    as_text = masked(pl.DataFrame({"pid": ["7", "8"]}))["pid"].to_list()
    assert masked(pl.DataFrame({"pid": [7, 8]}))["pid"].to_list() == as_text


def test_members_of_a_household_keep_a_common_pseudonym_and_a_missing_one_stays_missing() -> None:
    home = masked(PERSONS, columns=["person", "home"], form="integer")["home"]
    assert home[0] == home[1] != home[2]
    assert home[3] is None
    assert home.dtype == pl.Int64


def test_integers_of_any_width_are_replaced_by_integers_below_2_to_the_53() -> None:
    narrow = pl.DataFrame({"pid": pl.Series(range(100), dtype=pl.Int8)})
    new = masked(narrow, form="integer")["pid"]
    assert new.n_unique() == 100
    assert 0 < new.min() <= new.max() < 2**53


def test_the_order_of_pseudonyms_says_nothing_about_the_order_of_identifiers() -> None:
    new = masked(pl.DataFrame({"pid": range(2_000)}))["pid"]
    assert new.dtype == pl.String  # a dictionary could carry the old order
    ranks = new.rank().to_numpy()
    assert abs(np.corrcoef(ranks, np.arange(2_000))[0, 1]) < 4 / np.sqrt(2_000)


def test_a_pseudonym_is_no_identifier_any_more_and_leaves_unchanged_with_the_release(survey: ammg.Microdata) -> None:
    steps = [ammg.Pseudonyms(columns=["person_id", "household_id"]), ammg.AdditiveNoise(columns=["age"])]
    result = ammg.Pipeline(steps).run(survey, secret=1)
    assert result.schema["person_id"].role is Role.OTHER
    assert result.schema["household_id"].role is Role.HOUSEHOLD
    released = result.release().table
    for name in ("person_id", "household_id"):
        assert released[name].sort().equals(result.table[name].sort())
    with pytest.raises(InputError, match="cannot be kept together"):
        result.release(order="households")


def test_streamed_and_whole_give_the_same_pseudonyms(tmp_path: object) -> None:
    table = pl.DataFrame({"pid": np.arange(70_000) % 50_000, "x": np.arange(70_000.0)})
    table.write_parquet(f"{tmp_path}/in.parquet")
    streamed = ammg.read(f"{tmp_path}/in.parquet", stream=True).with_roles(identifier="pid")
    assert ammg.Pipeline([ammg.Pseudonyms()]).run(streamed, 1).table.equals(masked(table))


def test_a_long_list_of_names_with_gaps_is_replaced_name_by_name() -> None:
    names = [None if i % 11 == 0 else f"name {i % 30_000}" for i in range(90_000)]
    new = masked(pl.DataFrame({"person": names}))["person"]
    assert new.null_count() == sum(name is None for name in names)
    pairs = pl.DataFrame({"old": names, "new": new}).drop_nulls().unique()
    assert len(pairs) == pairs["old"].n_unique() == pairs["new"].n_unique()
    assert new[1] == masked(pl.DataFrame({"person": ["name 1", "b"]}))["person"][0]


def test_without_an_identifier_there_is_nothing_to_replace() -> None:
    with pytest.raises(InputError, match="has the role identifier: name the columns"):
        masked(pl.DataFrame({"x": [1.5, 2.5]}))


def test_numbers_that_are_not_exact_are_refused() -> None:
    with pytest.raises(InputError, match="more than 53 bits"):
        masked(pl.DataFrame({"pid": [2**60, 1]}))


def test_values_that_would_share_a_pseudonym_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ammg.methods.identifiers.pseudonyms._digests", lambda key, values: np.zeros((len(values), 32), np.uint8)
    )
    with pytest.raises(InputError, match="2 of the 3 values of 'person' would share a pseudonym"):
        masked(PERSONS)


def test_keys_depend_on_secret_and_label_alone() -> None:
    draws = Draws(Secret.of(1))
    assert draws.keyed("a") == draws.at("step", 3).keyed("a")
    assert len({draws.keyed("a"), draws.keyed("b"), Draws(Secret.of(2)).keyed("a")}) == 3
