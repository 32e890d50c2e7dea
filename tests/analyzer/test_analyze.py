"""Roles, kinds and levels are proposed with reasons; the decisions are those of docs/pages/guide/analyze.md."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.analyzer.analysis import Analysis
from ammg.analyzer.render import as_project
from ammg.data.attribute import Kind, Level, Role
from ammg.datasets import PATIENT_ROLES, SURVEY_LEVELS, SURVEY_ROLES
from ammg.datasets import patients as patient_table
from ammg.datasets import survey as survey_table

FREE1 = {
    "key": "REGION SEX AGE MARSTAT EDUC1 EDUC2 ETNI PRIOCCU OCCUCODE",
    "confidential": "AGEYOUNG RECBEN RECUNBEN RECODBEN RECBILL RECSOSEC RECPENS INCOME MONEY ASSETS DEBTS",
    "weight": "WEIGHT",
    "other": "KINDPERS NUMYOUNG NUMOLD POSLABM REGJOBC POSLABLY POSFACT COMPCODE KINDFACT TENURE FTPTIME ADDJOB "
    "JOBFIND",
}
EIA_OTHERS = {"UTILITYID": "identifier", "UTILNAME": "identifier", "STATE": "key", "YEAR": "other", "MONTH": "other"}


def subjects(analysis: Analysis, subject: str) -> set[str]:
    return {name for warning in analysis.warnings if warning.subject == subject for name in warning.columns}


@pytest.fixture(scope="module")
def survey_analysis() -> Analysis:
    return ammg.analyze(survey_table(10_000))


def test_patients_get_the_roles_of_the_paper() -> None:
    assert ammg.analyze(patient_table()).roles == PATIENT_ROLES


@pytest.mark.parametrize("n", [300, 10_000, 120_000])
def test_the_survey_gets_its_roles_and_levels(n: int) -> None:
    analysis = ammg.analyze(survey_table(n, seed=1))
    assert analysis.roles == SURVEY_ROLES
    assert {p.name for p in analysis.attributes if p.level is Level.HOUSEHOLD} == set(SURVEY_LEVELS)


def test_the_identity_of_the_survey_is_found_in_words(survey_analysis: Analysis) -> None:
    assert [str(identity) for identity in survey_analysis.identities] == [
        "income = wages + self_employment + pensions + capital_income + other_income"
    ]


def test_every_proposal_has_a_reason(survey_analysis: Analysis) -> None:
    assert all(len(p.reason) > 8 and p.kind_reason for p in survey_analysis.attributes)


def test_census_is_a_weight_and_amounts_with_one_identity(shared: Path) -> None:
    analysis = ammg.analyze(ammg.read(shared / "data" / "CENSUS.csv"))
    assert analysis["AFNLWGT"].role is Role.WEIGHT
    assert {p.role for p in analysis.attributes if p.name != "AFNLWGT"} == {Role.CONFIDENTIAL}
    assert [str(identity) for identity in analysis.identities] == ["PTOTVAL = POTHVAL + PEARNVAL"]


def test_adult_is_eight_keys_and_a_salary(shared: Path) -> None:
    analysis = ammg.analyze(ammg.read(shared / "data" / "adult.csv"))
    assert {p.name for p in analysis.attributes if p.role is not Role.KEY} == {"salary-class"}
    assert analysis["salary-class"].role is Role.CONFIDENTIAL
    assert subjects(analysis, "rare categories") == {"native-country"}


def test_free1_gets_the_documented_roles_and_its_codes_are_nominal(shared: Path) -> None:
    analysis = ammg.analyze(ammg.read(shared / "data" / "free1.csv"))
    assert analysis.roles == {name: role for role, names in FREE1.items() for name in names.split()}
    assert analysis["SEX"].kind is analysis["OCCUCODE"].kind is analysis["COMPCODE"].kind is Kind.NOMINAL
    assert analysis["EDUC1"].kind is Kind.ORDINAL
    assert analysis["AGE"].kind is analysis["NUMYOUNG"].kind is analysis["INCOME"].kind is Kind.INTEGER
    assert [str(d) for d in analysis.dependencies] == [
        "'REGION' determines 'MONEY': each of its values occurs with only one value"
    ]
    assert "AGEYOUNG" in subjects(analysis, "missing code")


def test_eia_has_names_a_constant_year_and_amounts(shared: Path) -> None:
    analysis = ammg.analyze(ammg.read(shared / "data" / "EIA.csv"))
    assert analysis.roles == {p.name: EIA_OTHERS.get(p.name, "confidential") for p in analysis.attributes}
    assert subjects(analysis, "constant") == {"YEAR"}


def test_households_of_testdata_are_found_and_the_second_weight_is_pointed_out(shared: Path) -> None:
    analysis = ammg.analyze(ammg.read(shared / "data" / "testdata.csv"))
    assert analysis["ori_hid"].role is Role.HOUSEHOLD
    assert analysis["sampling_weight"].role is Role.WEIGHT
    assert subjects(analysis, "weights") == {"household_weights"}
    assert {"roof", "walls", "urbrur"} <= {p.name for p in analysis.attributes if p.level is Level.HOUSEHOLD}


def test_a_stream_is_analysed_like_a_table(tmp_path: Path) -> None:
    table = survey_table(150_000, seed=2)
    table.write_parquet(tmp_path / "survey.parquet")
    streamed = ammg.analyze(ammg.read(tmp_path / "survey.parquet", stream=True))
    whole = ammg.analyze(table)
    assert streamed.roles == whole.roles == SURVEY_ROLES
    assert streamed.identities == whole.identities
    assert [p.distinct for p in streamed.attributes] == [p.distinct for p in whole.attributes]


def test_an_identity_that_one_record_breaks_is_not_reported() -> None:
    n = 120_000  # more than the sample on which relations are found
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 100_000, (2, n))
    table = pl.DataFrame({"a": a, "b": b, "sum": a + b})
    assert [str(i) for i in ammg.analyze(table).identities] == ["sum = a + b"]
    broken = table.with_columns(sum=pl.when(pl.int_range(n) == 77_777).then(5).otherwise(pl.col("sum")))
    assert ammg.analyze(broken).identities == ()


def test_copies_and_linear_images_are_linked_to_the_first_of_them() -> None:
    pay = np.random.default_rng(0).lognormal(8, 1, 300).round(2)
    analysis = ammg.analyze(pl.DataFrame({"pay": pay, "yearly": 12 * pay, "again": pay}))
    assert {p.name: p.linked_to for p in analysis.attributes} == {"pay": None, "yearly": "pay", "again": "pay"}
    assert subjects(analysis, "linear image") == {"pay", "yearly", "again"}


def test_codes_that_go_together_one_to_one_are_reported() -> None:
    rng = np.random.default_rng(0)
    region = rng.integers(0, 5, 500)
    names = np.array(["north", "south", "east", "west", "centre"])[region]
    table = pl.DataFrame(
        {"region": names, "zip": 10 * region + rng.integers(0, 3, 500), "sex": rng.integers(1, 3, 500)}
    )
    table = table.with_columns(area=pl.col("region").replace({"north": "N", "south": "S"}))
    found = {str(d) for d in ammg.analyze(table).dependencies}
    assert "'region' and 'area' correspond one to one" in found
    assert "'zip' determines 'region': each of its values occurs with only one value" in found
    assert not any("sex" in text for text in found)


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("kontakt", [f"p{i}@example.org" for i in range(50)], "identifier"),
        ("Nachname", [f"Müller{i}" for i in range(50)], "identifier"),
        ("apellidos", [f"García {i}" for i in range(50)], "identifier"),
        ("geslacht", ["m", "v"] * 25, "key"),
        ("code_postal", [f"{75000 + i % 20}" for i in range(50)], "key"),
        ("einkommen", [1000.5 + i for i in range(50)], "confidential"),
        ("salaire", [1000.5 + i for i in range(50)], "confidential"),
        ("latitude", [52.37021 + i / 1000 for i in range(50)], "identifier"),
        ("lat", [float(50 + i % 5) for i in range(50)], "key"),
        ("x17", list(range(1, 51)), "identifier"),
        (
            "remarks",
            [f"the person said that {i} things had happened to her last year" for i in range(50)],
            "identifier",
        ),
        ("q3", ["yes", "no"] * 25, "other"),
        ("has_email", [0, 1] * 25, "other"),
        ("weight_kg", [60.5 + i / 3 for i in range(50)], "confidential"),
        ("empty", [None] * 50, "other"),
    ],
)
def test_single_columns_get_the_right_role(name: str, values: list[object], role: str) -> None:
    assert ammg.analyze(pl.DataFrame({name: values}))[name].role == role


def test_a_weight_beside_a_height_is_that_of_the_body() -> None:
    table = pl.DataFrame({"height": [150.5 + i for i in range(40)], "weight": [50.5 + i for i in range(40)]})
    assert ammg.analyze(table)["weight"].role is Role.CONFIDENTIAL


def test_exact_dates_are_keys_with_a_warning() -> None:
    dates = pl.date_range(pl.date(1950, 1, 1), pl.date(1950, 3, 31), eager=True)
    analysis = ammg.analyze(pl.DataFrame({"birth_date": dates}))
    assert analysis["birth_date"].role is Role.KEY
    assert subjects(analysis, "exact date as key") == {"birth_date"}


def test_duplicated_records_outliers_and_numbers_as_text_are_pointed_out() -> None:
    rng = np.random.default_rng(0)
    pay = np.concatenate([rng.normal(100, 10, 99), [10_000.0]])
    table = pl.DataFrame({"pay": pay, "band": [str(i % 7) for i in range(100)]})
    analysis = ammg.analyze(pl.concat([table, table.head(3)]))
    assert subjects(analysis, "outliers") == {"pay"}
    assert subjects(analysis, "numbers as text") == {"band"}
    assert any(str(w).startswith("3 records are duplicates") for w in analysis.warnings)


def test_nothing_is_applied_before_somebody_says_so(survey_analysis: Analysis) -> None:
    data = ammg.Microdata(survey_table(10_000))
    applied = survey_analysis.apply(data)
    assert all(attribute.role is Role.OTHER for attribute in data.schema)
    assert {a.name: a.role for a in applied.schema} == SURVEY_ROLES
    assert applied.schema["education"].kind is Kind.ORDINAL
    assert applied.schema.household == "household_id"
    assert len(ammg.Pipeline([ammg.RankSwapping(columns=["age"])]).run(applied, 1).release()) == 10_000


def test_an_analysis_can_be_read_printed_and_sent(survey_analysis: Analysis) -> None:
    text = str(survey_analysis)
    assert "nothing is applied yet" in text
    assert any(bar in text for bar in "▁▂▃▄▅▆▇█")
    assert "<table>" in survey_analysis._repr_html_()
    sent = json.loads(json.dumps(survey_analysis.to_dict()))
    assert sent["attributes"][0] | {"role": "identifier", "kind": "integer"} == sent["attributes"][0]
    assert sent["identities"][0]["terms"]["income"] == 1


def test_a_project_file_is_proposed_that_loads_and_says_why(tmp_path: Path, survey_analysis: Analysis) -> None:
    survey_table(10_000).write_parquet(tmp_path / "survey.parquet")
    text = as_project(survey_analysis, "survey.parquet")
    assert "# its name suggests money" in text
    (tmp_path / "project.yaml").write_text(text, encoding="utf-8")
    project, data = ammg.Project.open(tmp_path / "project.yaml")
    assert project.methods == ()
    assert {a.name: a.role for a in data.schema} == SURVEY_ROLES
    assert {a.name for a in data.schema if a.level is Level.HOUSEHOLD} == set(SURVEY_LEVELS)


def test_the_methods_that_a_project_file_suggests_run(tmp_path: Path, survey_analysis: Analysis) -> None:
    survey_table(500).write_parquet(tmp_path / "survey.parquet")
    text = (
        as_project(survey_analysis, "survey.parquet")
        .replace("methods: []\n", "methods:\n")
        .replace("#  - corr", "  - corr")
    )
    for name in ("univariate", "rare", "sampling"):
        text = text.replace(f"#  - {name}", f"  - {name}")
    (tmp_path / "project.yaml").write_text(text, encoding="utf-8")
    project, data = ammg.Project.open(tmp_path / "project.yaml")
    assert len(project.methods) == 4
    assert len(project.pipeline().run(data, 1).table) == 400


@pytest.mark.parametrize("name", ["a: b", "null", "1st", "üb er", 'say "hi"', "#x", "- y"])
def test_names_of_any_kind_fit_into_a_project_file(tmp_path: Path, name: str) -> None:
    table = pl.DataFrame({name: [1.5, 2.5, 3.5, 4.5], "sex": ["m", "f", "m", "f"]})
    table.write_csv(tmp_path / "d.csv")
    (tmp_path / "p.yaml").write_text(as_project(ammg.analyze(table), "d.csv"), encoding="utf-8")
    assert name in ammg.Project.open(tmp_path / "p.yaml")[0].roles


@pytest.mark.parametrize(
    "table", [pl.DataFrame({"x": []}), pl.DataFrame({"x": [1]}), pl.DataFrame({"x": [None, None]})]
)
def test_tiny_files_are_analysed(table: pl.DataFrame) -> None:
    assert len(ammg.analyze(table).attributes) == 1
    assert str(ammg.analyze(table))


def test_nested_and_odd_types_are_analysed() -> None:
    table = pl.DataFrame({"l": [[1], [2], [2]], "b": [b"a", b"b", None], "t": [True, False, None]})
    assert [p.distinct for p in ammg.analyze(table).attributes] == [2, 2, 2]


def test_a_role_that_was_not_analysed_is_an_error_that_says_what_there_is(survey_analysis: Analysis) -> None:
    with pytest.raises(ammg.AmmgError, match="no attribute 'agee'"):
        _ = survey_analysis["agee"]


def test_ammg_analyze_can_be_called_whatever_was_imported_before() -> None:
    import ammg.analyzer.render

    assert ammg.analyzer.render.bars([0, 1, 2]) == " ▅█"
    assert len(ammg.analyze(pl.DataFrame({"x": [1, 2]})).attributes) == 1


def test_variable_labels_say_what_names_do_not() -> None:
    table = pl.DataFrame({"v12": [1, 2, 3, 4] * 10, "v13": [1, 2] * 20})
    data = ammg.Microdata(table)
    labels = [data.schema["v12"].replace(label="Marital status"), data.schema["v13"].replace(label="Zzyzx")]
    found = {p.name: p for p in ammg.analyze(ammg.Microdata(table, data.schema.replace(*labels))).attributes}
    assert found["v12"].role is ammg.Role.KEY
    assert found["v12"].reason.startswith("its label suggests")
    assert "does not say of what" in found["v13"].reason


def test_a_constant_weight_is_kept() -> None:
    table = pl.DataFrame({"weight": [7.5] * 30, "age": list(range(20, 50)), "wave": [1] * 30})
    analysis = ammg.analyze(ammg.Microdata(table))
    assert [w.columns for w in analysis.warnings if w.subject == "constant"] == [("wave",)]


def test_dates_after_the_year_9999_are_shown() -> None:
    born = pl.Series([0, 5_163_000] * 20, dtype=pl.Int32).cast(pl.Date)
    shown = dict(ammg.analyze(pl.DataFrame({"born": born})).attributes[0].distribution)
    assert shown == {"1970-01-01": 20, "+16105-10-25": 20}


def test_numbers_that_are_given_out_are_identifiers_and_days_are_counted() -> None:
    rng = np.random.default_rng(1)
    table = pl.DataFrame(
        {
            "tax_number": rng.permutation(900) + 10**8,
            "loan_no": [f"L{n}" for n in rng.permutation(900)],
            "tax": rng.integers(0, 9000, 900),
            "sick_days": rng.choice([0, 1, 2, 5, 30], 900),
        }
    )
    analysis = ammg.analyze(table)
    assert {name: str(role) for name, role in analysis.roles.items()} == {
        "tax_number": "identifier",
        "loan_no": "identifier",
        "tax": "confidential",
        "sick_days": "confidential",
    }
    assert analysis["sick_days"].kind is Kind.INTEGER
