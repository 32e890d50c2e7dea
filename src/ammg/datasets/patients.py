"""The ten patient records on which the AMMG paper shows its architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

PATIENT_ROLES = {
    "Name": "identifier",
    "SSN": "identifier",
    "Age": "key",
    "State": "key",
    "Diagnosis": "confidential",
    "Income": "confidential",
    "Billing": "confidential",
}

_RECORDS = (
    ("John Wayne", 123456789, 44, "MI", "AIDS", 45500, 1200),
    ("Mary Gore", 323232323, 44, "MI", "Asthma", 37900, 2500),
    ("John Banks", 232345656, 55, "MI", "AIDS", 67000, 3000),
    ("Jesse Casey", 333333333, 44, "MI", "Asthma", 21000, 1000),
    ("Jack Stone", 444444444, 55, "MI", "Asthma", 90000, 900),
    ("Mike Kopi", 666666666, 45, "MI", "Diabetes", 48000, 750),
    ("Angela Simms", 777777777, 25, "IN", "Diabetes", 49000, 1200),
    ("Nike Wood", 888888888, 35, "MI", "AIDS", 66000, 2200),
    ("Mikhail Aaron", 999999999, 55, "MI", "AIDS", 69000, 4200),
    ("Sam Pall", 100000000, 45, "MI", "Tuberculosis", 34000, 3100),
)


def patients() -> pl.DataFrame:
    """Return the ten fictitious patients of Truta, Fotouhi and Barth-Jones (2003), all columns as printed there."""
    import polars as pl

    return pl.DataFrame(_RECORDS, schema=list(PATIENT_ROLES), orient="row")
