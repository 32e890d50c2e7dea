import json
from pathlib import Path

TABLE = "tables: [{rows: State, columns: Diagnosis, protect: {controlled_table_rounding: {base: 3}}, target: t.xlsx}]\n"


def asking(project: Path, tables: str = TABLE) -> Path:
    project.write_text(project.read_text(encoding="utf-8") + tables, encoding="utf-8")
    return project


def test_both_routes_are_shown_with_their_losses_and_the_table_is_written(run, project: Path) -> None:
    ended = run("tabulate", asking(project))
    assert ended.code == 0, ended.err
    assert "Table(count by State (2) × Diagnosis (4)), tabulated, then protected" in ended.out
    assert "masked, then tabulated" in ended.out
    assert "6 cells are sensitive; an intruder can bound 0 of them" in ended.out
    assert (project.parent / "t.xlsx").exists()


def test_a_table_can_be_asked_for_on_the_command_line(run, project: Path, tmp_path: Path) -> None:
    ended = run("tabulate", project, "--rows", "Diagnosis", "--value", "Income", "--target", tmp_path / "t.csv")
    assert ended.code == 0, ended.err
    assert (tmp_path / "t.csv").read_text(encoding="utf-8").startswith('"Diagnosis","Income"')


def test_an_unsafe_table_ends_with_1_and_wrong_input_with_2(run, project: Path, tmp_path: Path) -> None:
    options = ("--rows", "State", "--columns", "Diagnosis", "--protect", "primary_suppression")
    ended = run("tabulate", project, *options, "--target", tmp_path / "t.csv")
    assert ended.code == 1
    assert "discloses sensitive cells and is not written" in ended.err
    assert not (tmp_path / "t.csv").exists()
    ended = run("tabulate", project, "--rows", "Stat")
    assert (ended.code, ended.out) == (2, "")
    assert "Column 'Stat' not found. Did you mean 'State'?" in ended.err
    assert "has no tables" in run("tabulate", project).err


def test_machines_get_json(run, project: Path) -> None:
    told = json.loads(run("tabulate", asking(project), "--json").out)["tables"][0]
    assert told["intruder"] == {"sensitive": 6, "bounded": 0, "exact": 0}
    assert set(told["routes"]) == {"tables", "microdata"}
