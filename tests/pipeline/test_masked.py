"""The masked file remembers where its records came from, and shows nobody the secret."""

import polars as pl
import pytest

import ammg
from ammg.errors import InputError


def masked(data: ammg.Microdata) -> ammg.Masked:
    return ammg.Pipeline([ammg.Sampling(fraction=0.8)]).run(data, secret="hunter2")


def test_a_masked_file_knows_n_t_and_r(patients: ammg.Microdata) -> None:
    file = masked(patients)
    assert (file.n, file.t, file.r) == (10, 8, 8)
    assert file.pair.sampling_factor == 0.8


def test_the_link_leads_to_the_original_record(patients: ammg.Microdata) -> None:
    file = masked(patients)
    assert patients.table["Name"].gather(file.link).to_list() == file.table["Name"].to_list()


def test_the_table_carries_no_record_ids(patients: ammg.Microdata) -> None:
    assert masked(patients).table.columns == patients.columns


def test_the_original_is_untouched() -> None:
    table = ammg.datasets.patients()
    before = table.clone()
    ammg.Pipeline([ammg.AdditiveNoise(columns=["Age"])]).run(table, secret=1)
    assert table.equals(before)
    assert isinstance(table, pl.DataFrame)


def test_an_order_that_is_none_is_refused(patients: ammg.Microdata) -> None:
    with pytest.raises(InputError, match="order = 'house' does not exist: choose records or households"):
        ammg.Pipeline().run(patients).release(order="house", force="a test")


def test_neither_representation_nor_steps_show_the_secret(patients: ammg.Microdata) -> None:
    file = masked(patients)
    shown = repr(file) + repr(file.steps) + repr(file.secret) + str(file.steps[0].parameters)
    assert "hunter2" not in shown
    assert file.secret.key.hex() not in shown
    assert repr(file) == "Masked(8 of 10 records; sampling)"
