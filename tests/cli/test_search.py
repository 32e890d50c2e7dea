import json
import stat
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ammg import Project


@pytest.fixture
def searched(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"age": rng.integers(18, 90, 120), "wage": rng.lognormal(10, 0.7, 120).round(2)})
    table.write_csv(tmp_path / "people.csv")
    (tmp_path / "secret").write_text("01" * 32)
    path = tmp_path / "project.yaml"
    path.write_text(
        "source: people.csv\nroles: {age: key, wage: key}\nlimits: {distance_linkage: 0.7}\n"
        "search: {trials: 4, steps: 1, loss: cell_loss, methods: [univariate_microaggregation, rank_swapping]}\n",
        encoding="utf-8",
    )
    return path


def test_the_chosen_project_and_the_map_are_written(run, searched: Path) -> None:
    ended = run("search", searched, "--secret", searched.with_name("secret"))
    assert ended.code == 0, ended.err
    found = searched.parent / "project.found.yaml"
    assert Project.load(found).methods
    assert found.with_suffix(".svg").exists()
    assert "all limits" in ended.out


def test_the_found_project_makes_the_file_that_was_judged(run, searched: Path) -> None:
    told = json.loads(run("search", searched, "--json").out)
    assert stat.S_IMODE(Path(told["secret"]).stat().st_mode) == 0o600
    assert Project.load(told["project"]).secret_file == "project.found.secret"
    masked = json.loads(run("mask", told["project"], "--target", searched.with_name("out.csv"), "--json").out)
    for name, value in told["chosen"]["risks"].items():
        assert masked["measures"][name]["value"] == value
    assert masked["measures"]["cell_loss"]["value"] == told["chosen"]["loss"]
    assert f"The search minimises cell_loss: {told['chosen']['loss']:.4g}." in run("assess", told["project"]).out


def test_a_found_project_is_never_written_over_data(run, searched: Path) -> None:
    before = searched.with_name("people.csv").read_bytes()
    ended = run("search", searched, "--output", searched.with_name("people.csv"))
    assert (ended.code, searched.with_name("people.csv").read_bytes()) == (2, before)
    assert "must be a project file: give it the ending .yaml" in ended.err


@pytest.mark.parametrize(("options", "said"), [([], "use --storage to keep trials"), (["--storage"], "to continue")])
def test_a_search_that_is_stopped_says_what_is_kept(run, searched: Path, monkeypatch, options, said: str) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("ammg.cli.search"), "search_project", stop)
    ended = run("search", searched, *options, *([searched.with_name("kept")] if options else []))
    assert ended.code == 130
    assert said in ended.err


def test_json_has_the_frontier(run, searched: Path) -> None:
    told = json.loads(run("search", searched, "--json", "--trials", 3, "--secret", searched.with_name("secret")).out)
    assert told["chosen"]["safe"] is True
    assert told["frontier"]
    assert Path(told["picture"]).exists()


def test_limits_that_nobody_keeps_are_exit_code_1_with_the_reason(run, searched: Path) -> None:
    searched.write_text(searched.read_text().replace("0.7", "0.0001"), encoding="utf-8")
    ended = run("search", searched, "--secret", searched.with_name("secret"))
    assert ended.code == 1
    assert "the limit is 0.0001" in ended.out


def test_a_found_project_in_another_folder_leads_to_the_data(run, searched: Path) -> None:
    other = searched.parent / "other"
    other.mkdir()
    run("search", searched, "--output", other / "best.yaml", "--trials", 2)
    assert Project.load(other / "best.yaml").methods


def test_a_kept_search_goes_on(run, searched: Path) -> None:
    storage = searched.parent / "kept"
    first = json.loads(run("search", searched, "--json", "--storage", storage, "--trials", 2).out)
    again = json.loads(run("search", searched, "--json", "--storage", storage, "--trials", 2, "--replace").out)
    assert first == again
    assert (searched.parent / "kept.secret").exists()


def test_a_project_without_limits_is_told_which_ones_to_begin_with(run, project: Path) -> None:
    ended = run("search", project)
    assert ended.code == 2
    assert "has no limits: add e.g. limits: {distance_linkage: 0.05, k_anonymity: 0}" in ended.err


@pytest.mark.parametrize("text", [None, "[1]\n", '"op_code"\n', "\x00\n"])
def test_a_file_that_is_no_kept_search_is_refused_and_stays_as_it_was(run, searched: Path, text: str | None) -> None:
    storage = searched.with_name("people.csv") if text is None else searched.with_name("other")
    if text is not None:
        storage.write_text(text)
    before = storage.read_bytes()
    ended = run("search", searched, "--storage", storage)
    assert ended.code == 2
    assert "does not hold a search: name another file" in ended.err
    assert storage.read_bytes() == before


def test_a_folder_that_is_none_is_noticed_before_the_search(run, searched: Path) -> None:
    ended = run("search", searched, "--output", searched.parent / "nowhere" / "best.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert "nowhere' does not exist" in ended.err


def test_the_goal_can_be_given_on_the_command_line(run, searched: Path) -> None:
    searched.write_text(searched.read_text().replace("limits: {distance_linkage: 0.7}\n", ""), encoding="utf-8")
    ended = run("search", searched, "--mode", "laboratory", "--untouched", "wage", "--trials", 6)
    assert ended.code == 1  # who knows all wages needs no more
    found = Project.load(searched.with_name("project.found.yaml"))
    assert found.goal.mode == "laboratory"
    assert all("wage" not in (step.columns or ()) for step in found.methods)


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--mode", "pubic"), "Did you mean 'public'"), (("--untouched", "wag"), "Did you mean 'wage'")],
)
def test_a_goal_that_cannot_be_is_exit_code_2(run, searched: Path, options: tuple[str, str], said: str) -> None:
    ended = run("search", searched, *options)
    assert ended.code == 2
    assert said in ended.err
