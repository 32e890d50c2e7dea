"""One YAML document makes the same release again."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import ammg
from ammg import Level, Role, registry
from ammg.draws import Secret
from ammg.errors import InputError, ProjectError
from ammg.methods.method import RiskAbove
from ammg.params import search_ranges
from ammg.projects.reader import ProjectReader
from ammg.release.provenance import write_secret

PROJECT = """
source: patients.csv
roles: {Name: identifier, SSN: identifier, Age: key, State: key, Diagnosis: confidential, Income: confidential}
methods:
  - univariate_microaggregation: {columns: [Age], k: 2}
  - sampling: {fraction: 0.8}
measures: [frequency, target_unit, il1s]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("project")
    ammg.datasets.patients().write_csv(path / "patients.csv")
    return path


def written(folder: Path, text: str, name: str = "project.yaml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_the_project_of_the_design_is_read(folder: Path) -> None:
    project, data = ammg.Project.open(written(folder, PROJECT))
    assert project.methods == (ammg.UnivariateMicroaggregation(columns=["Age"], k=2), ammg.Sampling(fraction=0.8))
    assert [measure.name for measure in project.measures or ()] == ["frequency", "target_unit", "il1s"]
    assert data.schema.keys == ["Age", "State"]
    assert project.pipeline().run(data, 1).t == 8


def test_identities_are_read_written_and_checked_with_everything_else(tmp_path: Path) -> None:
    table = pl.DataFrame({"income": [3, 5, 7], "wages": [1, 2, 3], "pensions": [2, 3, 4], "sex": ["f", "m", "f"]})
    table.write_csv(tmp_path / "people.csv")
    text = "source: people.csv\nroles: {income: confidential}\nidentities:\n- income = wages + pensions\n"
    project, data = ammg.Project.open(written(tmp_path, text))
    assert [identity.text for identity in data.schema.identities] == ["income = wages + pensions"]
    again = ammg.Project.load(written(tmp_path, project.to_yaml(), "again.yaml"))
    assert again.rules == project.identities == ("income = wages + pensions",)
    wrong = """
source: people.csv
roles: {incom: confidential}
identities: [income = wage + pensions, income = wages + sex, income = wages + pensions, wages = income - pensions]
"""
    with pytest.raises(ProjectError) as error:
        ammg.Project.load(written(tmp_path, wrong))
    assert [problem.place for problem in error.value.problems] == [
        "roles.incom",
        "identities[1]",
        "identities[2]",
        "identities[4]",
    ]
    assert "Did you mean 'wages'?" in error.value.problems[1].message
    assert "given twice" in error.value.problems[3].message


def test_every_section_is_read_and_written(folder: Path) -> None:
    (folder / "key").mkdir()
    (folder / "states.csv").write_text("MI;Midwest\nIN;Midwest\n", encoding="utf-8")
    write_secret(Secret.of(1), folder / "key" / "secret")
    text = """
source: {path: patients.csv, separator: ','}
roles: {Name: identifier, SSN: household, Age: key, Income: confidential}
kinds: {Billing: continuous}
levels: {State: household}
links: {Billing: Income}
hierarchies: {State: states.csv, Diagnosis: {AIDS: ['*'], Asthma: ['*'], Diabetes: ['*'], Tuberculosis: ['*']}}
scenario: {known: [Age], inclusion: 0.5, error: {Age: 2.0}, known_by_record: {'3': [Income]}, targets: [1, 3]}
methods:
- rounding: {columns: [Income], where: Age > 40}
- rank_swapping: {where: {risk: frequency, above: 0.3}, p: 20.0}
- identifier_removal
measures: [frequency, il1: {version: original}]
limits: {frequency: 0.1}
search: {trials: 7, methods: [rounding]}
secret_file: key/secret
target: masked.parquet
order: households
"""
    project, data = ammg.Project.open(written(folder, text))
    assert data.schema["State"].level is Level.HOUSEHOLD
    assert data.schema["SSN"].role is Role.HOUSEHOLD
    assert data.schema["Billing"].linked_to == "Income"
    assert data.schema["State"].hierarchy.level(1) == {"MI": "Midwest", "IN": "Midwest"}
    assert project.methods[1].where == RiskAbove(risk="frequency", above=0.3)
    again = ammg.Project.load(written(folder, project.to_yaml(), "again.yaml"))
    assert again == project
    assert yaml.safe_load(project.to_yaml()) == yaml.safe_load(text)


def test_the_external_file_of_the_intruder_is_read_and_its_path_follows_the_project(folder: Path) -> None:
    ammg.datasets.patients().select("SSN", "Age").head(4).write_csv(folder / "voters.csv")
    text = "source: patients.csv\nroles: {SSN: identifier}\nscenario:\n  external: {match: SSN, path: voters.csv}\n"
    project = ammg.Project.load(written(folder, text, "linked.yaml"))
    assert len(project.scenario.external.data) == 4
    assert yaml.safe_load(project.to_yaml())["scenario"] == {"external": {"match": "SSN", "path": "voters.csv"}}
    assert project.seen_from(folder / "below").scenario.external.path == "../voters.csv"
    masked = project.pipeline().run(project.read(), 1)
    evaluation = ammg.evaluate(masked, ["distance_linkage"], project.scenario)
    assert evaluation["distance_linkage"].facts.items() >= {"external_people": 4, "external_records": 4}.items()


METHODS = [unit for unit in registry.units("methods").values() if unit.searched and search_ranges(unit)]


@st.composite
def methods(draw: st.DrawFn) -> ammg.Method:
    """A method with parameters from their search ranges, on columns that fit it."""
    unit = draw(st.sampled_from(METHODS))
    values: dict[str, Any] = {}
    for field, searched in search_ranges(unit).items():
        if searched.choices:
            values[field] = draw(st.sampled_from(searched.choices))
        elif unit.model_fields[field].annotation in (int, int | None):
            values[field] = draw(st.integers(*sorted((int(searched.mild), int(searched.strong)))))
        else:
            values[field] = draw(st.floats(*sorted((searched.mild, searched.strong))))
    if unit.takes_columns:
        fitting = ammg.Microdata(ammg.datasets.patients()).schema
        names = [attribute.name for attribute in fitting if attribute.kind & unit.accepts]
        values["columns"] = draw(st.lists(st.sampled_from(names), min_size=1, unique=True)) if names else None
    if "where" in unit.model_fields and draw(st.booleans()):
        values["where"] = draw(st.sampled_from(["Age > 40", "State = 'MI' AND Age < 50"]))
    try:
        return unit(**values)
    except InputError:  # choices that exclude each other
        reject()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(methods(), max_size=3))
def test_methods_with_any_parameters_survive_the_way_through_yaml(folder: Path, steps: list[ammg.Method]) -> None:
    project = ammg.Project(source={"path": "patients.csv"}, methods=tuple(steps))
    assert ammg.Project.load(written(folder, project.to_yaml(), "round.yaml")).methods == tuple(steps)


def test_five_mistakes_are_reported_together(folder: Path) -> None:
    text = """
source: patients.csv
roles: {Name: identifer, Agee: key}
methods:
  - univariate_microagregation: {columns: [Age]}
  - sampling: {fraction: 1.8}
  - rounding: {columns: [Incom]}
mesures: [il1]
"""
    with pytest.raises(ProjectError) as caught:
        ammg.Project.open(written(folder, text))
    problems = list(map(str, caught.value.problems))
    expected = [
        "mesures: unknown section. Did you mean 'measures'?",
        "roles.Name: Unknown role 'identifer'. Did you mean 'identifier'?",
        "roles.Agee: Column 'Agee' not found. Did you mean 'Age'?",
        "methods[1]: Unknown method 'univariate_microagregation'. Did you mean 'univariate_microaggregation'?",
        "methods[2] sampling.fraction: input should be less than or equal to 1 (it is 1.8).",
        "methods[3] rounding: column 'Incom' not found. Did you mean 'Income'?",
    ]
    assert sorted(problems) == sorted(expected)
    assert str(caught.value).startswith(f"{folder / 'project.yaml'} has 6 problems:")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("source: nowhere.csv", "File '.*nowhere.csv' does not exist"),
        ("roles: {Age: key}", "source: is missing"),
        ("source: {separator: ','}", "source: has no path"),
        ("source: {path: 5}", "source: has no path"),
        ("- a list", "it must be a mapping"),
        ("source: [", "the bracket '\\[' is never closed"),
        ("source: patients.csv\nroles: {Age: key, Age: confidential}", "'Age' is given twice, first at line 2"),
        ("source: patients.csv\nsource: other.csv", "'source' is given twice"),
        ("source: patients.csv\nroles: {Age: weight, Income: weight}", "all have the role weight"),
        ("source: patients.csv\nlevels: {Age: houshold}", "levels.Age: Unknown level 'houshold'"),
        ("source: patients.csv\nkinds: {Age: nominl}", "Did you mean 'nominal'"),
        ("source: patients.csv\nlinks: {Age: Agee}", "links.Age: Column 'Agee' not found"),
        (
            "source: patients.csv\nhierarchies: {Age: nowhere.csv}",
            "hierarchies.Age: .*nowhere.csv' cannot be read: No such",
        ),
        ("source: patients.csv\nscenario: {knwon: [Age]}", "unknown parameter. Did you mean 'known'"),
        ("source: patients.csv\nscenario: {known: [Aeg]}", "scenario.known: column 'Aeg' not found"),
        ("source: patients.csv\nscenario: {external: {path: none.csv, match: SSN}}", "scenario.external: "),
        ("source: patients.csv\nscenario: {external: {match: SSN}}", "scenario.external: has no path"),
        (
            "source: patients.csv\nscenario: {external: {path: patients.csv, match: SNS}}",
            "scenario.external.match: column 'SNS' not found",
        ),
        ("source: patients.csv\nscenario: {error: {Aeg: 1}}", "scenario.error: column 'Aeg' not found"),
        ("source: patients.csv\nsearch: {trails: 5}", "search.trails: unknown parameter. Did you mean 'trials'"),
        ("source: patients.csv\nthresholds: {frequncy: 0.1}", "thresholds.frequncy: Unknown measure"),
        ("source: patients.csv\nmethods: sampling", "methods: must be a list; this is 'sampling'"),
        ("source: patients.csv\nmethods: [{sampling: {}, rounding: {}}]", "must be a name, or a name with its param"),
        ("source: patients.csv\nmethods: [rounding: {columns: [State]}]", "'State' is nominal; rounding masks"),
        ("source: patients.csv\nmethods: [top_coding: {}]", "give either a threshold or a share"),
        ("source: patients.csv\nmethods: [rounding: {bse: 3}]", "unknown parameter. Did you mean 'base'"),
        ("source: patients.csv\nmethods: [rounding: {where: Aeg > 3}]", "where: column 'Aeg' not found"),
        ("source: patients.csv\nmethods: [rounding: {where: 'Age >'}]", "where: Condition .* cannot be read"),
        ("source: patients.csv\nmethods: [rounding: {where: {risk: frq, above: 1}}]", "where: Unknown measure 'frq'"),
        (
            "source: patients.csv\nroles: [Age]",
            r"roles: input should be a mapping such as \{name: value\} \(it is \['Age",
        ),
        ("source: patients.csv\nroles: {2019: key}", "roles: the name 2019 is not text: put it in quotes"),
        ("source: patients.csv\nroles: {yes: key}", "roles: the name True is not text: put it in quotes"),
        (
            "source: patients.csv\nmethods: [rounding: {columns: 5}]",
            r"columns: input should be a list such as \[a, b\]",
        ),
        ("source: patients.csv\nmethods: [rounding: {columns: [5]}]", r"input should be text \(it is 5\): put it in"),
        ("source: patients.csv\nmethods: [rounding: [Age]]", "rounding: input should be a mapping such as"),
        ("source: patients.csv\nmethods: [rounding: {where: 5}]", "rounding.where: input should be text, or a mapping"),
        ("source: patients.csv\nmethods: [rounding: {where: {risk: frequency}}]", r"where\.above: missing; it has no"),
        ("source: patients.csv\nhierarchies: {Age: {a: b}}", r"hierarchies\.Age\.a: input should be a list such as"),
        (
            "source: patients.csv\nhierarchies: {Age: patients.csv}",
            "Hierarchy value 'MI' of level 3 has two parents",
        ),
        (
            "source: patients.csv\nthresholds: {frequency: -1}",
            r"thresholds\.frequency: must be a number of at least 0 \(it is -1",
        ),
        (
            "source: patients.csv\nthresholds: {frequency: .nan}",
            r"thresholds\.frequency: must be a number of at least 0 \(it is n",
        ),
        ("source: patients.csv\nsearch: {loss: il9}", "search.loss: Unknown measure 'il9'"),
        ("source: patients.csv\nsearch: {methods: [roundin]}", "search.methods: Unknown method 'roundin'"),
        ("source: patients.csv\nlinks: {Age: Age}", "links.Age: Column 'Age' is linked to itself"),
        ("source: patients.csv\norder: households", "order: no attribute has the role household"),
        ("source: patients.csv\norder: random", "order: input should be 'records' or 'households'"),
    ],
)
def test_a_mistake_is_reported_with_its_place_and_what_to_do(folder: Path, text: str, problem: str) -> None:
    with pytest.raises(ProjectError, match=problem) as caught:
        ammg.Project.open(written(folder, text))
    assert len(caught.value.problems) == 1


def test_a_project_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"Project file '.*none.yaml' does not exist"):
        ammg.Project.load(tmp_path / "none.yaml")


def test_a_project_seen_from_another_folder_leads_to_the_same_files(folder: Path, tmp_path: Path) -> None:
    project = ammg.Project.load(written(folder, PROJECT + "target: out.csv\n"))
    moved = project.seen_from(tmp_path)
    again, data = ammg.Project.open(written(tmp_path, moved.to_yaml()))
    assert data.table.equals(pl.read_csv(folder / "patients.csv"))
    assert Path(again.path(again.target or "")).resolve() == (folder / "out.csv").resolve()


def test_a_path_may_begin_at_the_home_of_its_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    project = ammg.Project(source={"path": "~/patients.csv"}, folder=Path("elsewhere"))
    assert project.path("~/patients.csv") == str(folder / "patients.csv")
    assert project.seen_from("anywhere").source["path"] == "~/patients.csv"


def test_a_project_file_holds_no_secret(folder: Path) -> None:
    project, data = ammg.Project.open(written(folder, PROJECT))
    masked = project.pipeline().run(data, "hunter2")
    assert "hunter2" not in project.to_yaml()
    assert masked.secret.key.hex() not in project.to_yaml()


@pytest.mark.parametrize(
    "method", [example for unit in registry.units("methods").values() for example in unit.examples()], ids=repr
)
def test_a_project_that_says_every_parameter_is_read_as_what_it_was(method: ammg.Method) -> None:
    project = ammg.Project(source={"path": "patients.csv"}, methods=(method,))
    written = yaml.safe_load(project.to_yaml(full=True))["methods"]
    assert set(written[0][method.name]) == set(type(method).model_fields)
    reader = ProjectReader({"source": "patients.csv", "methods": written})
    assert reader.sections(ammg.Project)["methods"] == (method,)
    assert reader.problems == []


def test_a_step_with_skip_stays_in_the_file_and_is_not_run(tmp_path):
    ammg.datasets.patients().write_csv(tmp_path / "patients.csv")
    path = tmp_path / "p.yaml"
    steps = "[{sampling: {fraction: 0.5}, skip: true}, {rounding: {base: 5}, skip: false}, {sampling: {}, skip: true}]"
    path.write_text(f"source: patients.csv\nmethods: {steps}\n", encoding="utf-8")
    project = ammg.Project.load(path)
    assert [step.name for step in project.methods] == ["rounding"]
    assert [(place, step.name) for place, step in project.switched_off.items()] == [(1, "sampling"), (3, "sampling")]
    path.write_text(project.to_yaml(), encoding="utf-8")
    assert ammg.Project.load(path) == project
    path.write_text("source: patients.csv\nmethods: [{rounding: {base: 0}, skip: 1}]\n", encoding="utf-8")
    with pytest.raises(ProjectError) as refused:
        ammg.Project.load(path)
    assert [problem.place for problem in refused.value.problems] == ["methods[1].skip", "methods[1] rounding.base"]
