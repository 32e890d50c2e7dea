"""The code that the documentation shows runs as it stands."""

import re
from pathlib import Path

import pytest

from ammg import registry
from ammg.datasets import patients, survey

ROOT = Path(__file__).parents[1]
WRITTEN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
PAGES = sorted(page for page in WRITTEN if page.name != "extend.md" and "reference" not in page.parts)


@pytest.fixture
def units_as_before():
    """Units that a page defines are forgotten after it."""
    before = {family: set(registry.units(family)) for family in registry.FAMILIES}
    yield
    for family, known in before.items():
        for name in set(registry.units(family)) - known:
            registry.forget(family, name)


def snippets(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_snippets_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch, units_as_before):
    patients().write_csv(tmp_path / "patients.csv")
    survey(1_000, seed=1).write_parquet(tmp_path / "survey.parquet")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in snippets(page, "python"):
        exec(compile(code, str(page), "exec"), names)
    assert names or not snippets(page, "python")


def test_the_readme_shows_what_its_first_snippet_prints(tmp_path, monkeypatch, capsys):
    patients().write_csv(tmp_path / "patients.csv")
    monkeypatch.chdir(tmp_path)
    exec(compile(snippets(ROOT / "README.md", "python")[0], "README", "exec"), {})
    assert Path("masked.parquet").exists()
    assert capsys.readouterr().out == snippets(ROOT / "README.md", "text")[0]


def test_the_readme_project_file_is_valid(tmp_path):
    from ammg import Project

    patients().write_csv(tmp_path / "patients.csv")
    path = tmp_path / "project.yaml"
    path.write_text(snippets(ROOT / "README.md", "yaml")[0], encoding="utf-8")
    project = Project.load(path)
    assert [step.name for step in project.methods] == ["univariate_microaggregation", "sampling"]
