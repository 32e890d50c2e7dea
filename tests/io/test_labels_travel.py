"""Labels, missing codes and display formats go with the records, streamed or not, to every kind of target."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from samples import described_facts, schema_of

import ammg
from ammg import Kind
from ammg.data.attribute import Attribute


@pytest.fixture
def survey(tmp_path: Path) -> ammg.Microdata:
    """A labelled .sav, brought to Parquet and opened there as a stream."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"sex": rng.integers(1, 3, 500), "income": rng.lognormal(8, 1, 500).round(2)})
    sex = Attribute(
        name="sex",
        kind=Kind.NOMINAL,
        label="Sex of the respondent",
        value_labels={1: "male", 2: "female", 9: "refused"},
        missing_codes=(9,),
        display_format="F1.0",
    )
    income = Attribute(name="income", kind=Kind.CONTINUOUS, label="Net income", display_format="F10.2")
    schema = schema_of(frame, sex, income)
    ammg.registry.format_for("a.sav").write(frame, schema, str(tmp_path / "survey.sav"))
    read = ammg.read(tmp_path / "survey.sav")
    ammg.registry.format_for("a.parquet").write(read.table, read.schema, str(tmp_path / "survey.parquet"))
    return ammg.read(tmp_path / "survey.parquet", stream=True).with_roles(key="sex", confidential="income")


@pytest.mark.parametrize("target", ["out.parquet", "out.sav", "out.dta", "out.csv", "out.arrow", "database"])
def test_what_a_sav_says_survives_a_stream(survey: ammg.Microdata, tmp_path: Path, target: str) -> None:
    assert survey.streamed is not None
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"])]).run(survey, secret=1)
    (tmp_path / "out.db").touch()
    where = f"sqlite:///{tmp_path}/out.db?table=survey" if target == "database" else str(tmp_path / target)
    masked.release().write(where)
    after = ammg.read(where)
    assert len(after) == 500
    sex = described_facts(after.schema)["sex"]
    assert sex[1] == "Sex of the respondent"
    assert sex[2] == {1: "male", 2: "female", 9: "refused"}
    assert after.schema["income"].label == "Net income"
    if target != "out.dta":  # Stata's missing codes are .a to .z, and its formats are its own
        assert sex[3] == (9,)
        assert after.schema["income"].display_format == "F10.2"
