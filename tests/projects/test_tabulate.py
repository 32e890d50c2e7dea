from pathlib import Path

import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import AmmgError, InputError, ProjectError
from ammg.projects.table_request import TableRequest
from ammg.projects.tabulate import tabulate_project

HEAD = """
source: patients.csv
roles: {Name: identifier, SSN: identifier, Age: key, State: key, Diagnosis: confidential, Income: confidential}
"""
MASK = "methods:\n  - sampling: {fraction: 0.8}\n"
ROUND = "protect: {controlled_table_rounding: {base: 3}}"


@pytest.fixture
def project(tmp_path: Path):
    ammg.datasets.patients().write_csv(tmp_path / "patients.csv")

    def write(text: str) -> ammg.Project:
        (tmp_path / "project.yaml").write_text(HEAD + text, encoding="utf-8")
        return ammg.Project.load(tmp_path / "project.yaml")

    return write


def test_both_routes_are_compared_with_the_true_table(project) -> None:
    plan = project(MASK + f"tables: [{{rows: State, columns: Diagnosis, {ROUND}}}]")
    (outcome,) = tabulate_project(plan, secret=Secret.known(1))
    assert outcome.true.values[-1, -1] == 10
    assert outcome.shown["microdata"].values[-1, -1] == 8
    assert set(outcome.losses) == {"tables", "microdata"}
    assert outcome.losses["tables"].facts["largest_difference"] < 3
    told = outcome.to_dict()
    assert told["route"] == "tables"
    assert told["intruder"] == {"sensitive": 6, "bounded": 0, "exact": 0}
    assert "true" not in told


def test_safe_tables_are_written_and_others_are_not(project, tmp_path: Path) -> None:
    plan = project(
        f"tables:\n  - {{rows: State, columns: Diagnosis, {ROUND}, target: safe.csv}}\n"
        "  - {rows: State, columns: Diagnosis, protect: primary_suppression, target: unsafe.csv}\n"
    )
    safe, unsafe = tabulate_project(plan, secret=Secret.known(1))
    assert safe.written == str(tmp_path / "safe.csv")
    assert (tmp_path / "safe.csv").exists()
    assert unsafe.bounds.exact == 6
    assert not unsafe.is_safe
    assert unsafe.written is None
    assert not (tmp_path / "unsafe.csv").exists()


def test_a_table_of_masked_records_leaves_only_if_they_may(project, tmp_path: Path) -> None:
    unmasked = project("methods: [identifier_removal]\ntables: [{rows: State, target: t.csv}]")
    with pytest.raises(AmmgError, match="no step masked anything"):
        tabulate_project(unmasked)
    limited = project(MASK + "limits: {frequency: 0}\ntables: [{rows: State, target: t.csv}]")
    with pytest.raises(InputError, match="Tables of a masked file that does not meet all limits are not written"):
        tabulate_project(limited, secret=Secret.known(1))
    assert not (tmp_path / "t.csv").exists()


def test_the_same_secret_makes_the_same_tables(project) -> None:
    plan = project(MASK + "tables: [{rows: State, columns: Diagnosis, protect: cell_keys}]")
    with pytest.raises(
        InputError, match="cell_keys protects only if all tables of a file are made with the same secret"
    ):
        tabulate_project(plan)
    first, again, other = (tabulate_project(plan, secret=Secret.known(s))[0].shown for s in (1, 1, 2))
    assert first["tables"].table.equals(again["tables"].table)
    assert first["microdata"].table.equals(again["microdata"].table)
    assert not first["tables"].table.equals(other["tables"].table)


def test_the_section_is_read_and_written_as_it_was(project) -> None:
    plan = project(f"tables: [{{rows: State, columns: [Diagnosis], {ROUND}, rules: [threshold, p_percent]}}]")
    assert plan.tables == (
        TableRequest(
            rows="State",
            columns="Diagnosis",
            protect={"controlled_table_rounding": {"base": 3}},
            rules=["threshold", "p_percent"],
        ),
    )
    again = project(plan.to_yaml().split("\n", 2)[2].partition("tables:")[1] + plan.to_yaml().partition("tables:")[2])
    assert again.tables == plan.tables


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ("[{rows: Stat}]", r"tables\[1\]: column 'Stat' not found\. Did you mean 'State'"),
        ("[{rows: State, protect: cell_key}]", "Unknown 'cell_key'. Did you mean 'cell_keys'"),
        ("[{rows: State, rules: [tresholds]}]", "Unknown 'tresholds'. Did you mean 'threshold'"),
        ("[{columns: State}]", "rows"),
        ("[{rows: State, route: tables}]", "needs protection"),
        ("[{rows: State, colums: Age}]", "colums"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_its_place(project, tables: str, message: str) -> None:
    with pytest.raises(ProjectError, match=message):
        project(f"tables: {tables}")


def test_a_table_needs_somebody_to_make_it_safe(project) -> None:
    with pytest.raises(InputError, match="neither methods to mask the records nor `protect`"):
        tabulate_project(project("tables: [{rows: State}]"))
    with pytest.raises(InputError, match="has no tables"):
        tabulate_project(project(""))
    with pytest.raises(InputError, match="is a source of the project"):
        tabulate_project(project(f"tables: [{{rows: State, columns: Diagnosis, {ROUND}, target: patients.csv}}]"))
