"""What people ask first, one call each."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError


def masked() -> ammg.Masked:
    data = ammg.Microdata(ammg.datasets.patients()).with_roles(
        **{
            role: [name for name, given in ammg.datasets.PATIENT_ROLES.items() if given == role]
            for role in set(ammg.datasets.PATIENT_ROLES.values())
        }
    )
    return ammg.Pipeline([ammg.GlobalRecoding(columns="Age", cuts=[45]), ammg.Sampling(fraction=0.8)]).run(data, 1)


def test_records_below_k_are_those_that_k_anonymity_counts() -> None:
    file = masked()
    for k in (2, 3, 5):
        violating = ammg.evaluate(file, ammg.KAnonymity(k=k)).after["k_anonymity"].facts["violating"]
        assert ammg.records_below(file, k) == violating
    assert ammg.records_below(pl.DataFrame({"a": [1, 1, 2]}), 2, ammg.Scenario(known="a")) == 1


def test_expected_reidentifications_are_one_for_each_group_of_look_alikes() -> None:
    table = pl.DataFrame({"a": ["x", "x", "y", "z", "z", "z"]})
    assert ammg.expected_reidentifications(table, ammg.Scenario(known="a")) == pytest.approx(3)
    frame = ammg.record_risks(table, ammg.Scenario(known="a"), measure="frequency")
    assert frame["risk"].sum() == pytest.approx(3)


def test_risks_are_joined_to_the_identifiers_of_their_records() -> None:
    file = masked()
    frame = ammg.record_risks(file)
    assert frame.columns == ["record", "Name", "SSN", "f", "F", "risk"]
    originals = file.original.table
    assert len(frame) == 8
    for row in frame.iter_rows(named=True):
        assert row["Name"] == originals["Name"][row["record"]]
        state = originals["State"][row["record"]]
        assert row["f"] <= (masked().table["State"] == state).sum()
    assert np.all(frame["F"].to_numpy() >= frame["f"].to_numpy())


def test_categories_are_counted_before_and_after() -> None:
    data = ammg.Microdata(pl.DataFrame({"c": ["a", "a", "b", None, "c"], "n": [1, 2, 3, 4, 5]})).with_roles(key="c")
    file = ammg.Pipeline([ammg.RareCategoryRecoding(columns="c", keep=1)]).run(data, 1)
    assert ammg.category_counts(file).rows() == [
        ("c", "a", 2, 2),
        ("c", "b", 1, 0),
        ("c", "c", 1, 0),
        ("c", "other", 0, 2),
        ("c", None, 1, 1),
    ]
    assert ammg.category_counts(file, "n")["after"].to_list() == [1] * 5


def test_a_file_without_keys_and_a_measure_without_records_are_refused() -> None:
    dropped = ammg.Microdata(pl.DataFrame({"a": [1.5, 2], "b": [1, 2]})).with_roles(identifier="a", key="b")
    gone = ammg.Pipeline([ammg.IdentifierRemoval(columns="b")]).run(dropped, 1)
    with pytest.raises(InputError, match="Give attributes the role key, or pass a scenario"):
        ammg.records_below(gone, 2)
    with pytest.raises(InputError, match="'cell_loss' has no value for single records"):
        ammg.record_risks(masked(), measure="cell_loss")


def test_the_measures_name_the_calls() -> None:
    assert "ammg.records_below" in (ammg.KAnonymity.__doc__ or "")
    assert "ammg.record_risks" in (ammg.Frequency.__doc__ or "")
    assert "ammg.expected_reidentifications" in (ammg.IndividualRisk.__doc__ or "")
