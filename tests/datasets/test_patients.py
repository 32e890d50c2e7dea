from pathlib import Path

import polars as pl
import pytest

from ammg.datasets import PATIENT_ROLES, patients

PRINTED = Path(__file__).parents[3] / "shared" / "spec" / "targets" / "ammg_patient_table.csv"


def test_patients_are_the_records_of_the_paper():
    if not PRINTED.exists():
        pytest.skip("the table of the paper is not beside this checkout")
    assert patients().equals(pl.read_csv(PRINTED))


def test_age_and_state_form_the_clusters_of_the_paper():
    # Truta, Fotouhi and Barth-Jones 2003: clusters of 3, 3, 2, 1 and 1 records.
    assert sorted(patients().group_by("Age", "State").len()["len"].to_list()) == [1, 1, 2, 3, 3]


def test_every_patient_column_has_a_role():
    assert patients().columns == list(PATIENT_ROLES)
