"""The code that the documentation shows runs as it stands."""

import re
from pathlib import Path

import pytest
import yaml

import ammg
from ammg import registry
from ammg.datasets import patients, survey

ROOT = Path(__file__).parents[1]
WRITTEN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
PAGES = sorted(page for page in WRITTEN if page.name != "extend.md" and "reference" not in page.parts)
ALONE = [page for page in PAGES if not page.name.startswith("from_")]  # those are followed in test_guide.py


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


@pytest.mark.parametrize("page", ALONE, ids=lambda page: str(page.relative_to(ROOT)))
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
    monkeypatch.setattr("ammg.draws.os.urandom", lambda size: bytes(range(size)))
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_is_no_wider_than_the_page(page):
    code = "\n".join(code for language in ("python", "yaml", "sh") for code in snippets(page, language))
    assert [line for line in code.splitlines() if len(line) > 108] == []


def test_the_reference_has_every_command_and_every_public_function_and_class(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from command_line import command_page
    from python_face import python_page

    from ammg.cli.commands import MODULES

    assert [f"ammg {name}" for name in MODULES] == re.findall(r"^## (.*)$", command_page(), flags=re.MULTILINE)
    others = {
        "Kind",
        "Role",
        "Level",
        "Pair",
        "Method",
        "Measure",
        "Risk",
        "Loss",
        "AmmgError",
        "__version__",
    }  # told elsewhere
    shown = {heading.removeprefix("ammg.") for heading in re.findall(r"^## (.*)$", python_page(), flags=re.MULTILINE)}
    assert set(ammg.__all__) - others <= shown


@pytest.mark.parametrize("family", ["methods", "measures", "formats"])
def test_a_unit_has_a_page_with_a_row_for_each_parameter(family, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from generate import index, page

    units = registry.units(family)
    listed = index(family, units)
    for name, unit in units.items():
        text = page(family, name, unit)
        assert f"[{name}]({name}.md)" in listed
        assert all(f"| `{field}` |" in text for field in unit.model_fields)
        table = [line for line in text.splitlines() if line.startswith("|")]
        assert "\n## Example\n" in text or family == "formats"
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} <= {5}


@pytest.mark.parametrize("kind", ["methods", "measures"])
def test_the_example_of_every_unit_runs_and_does_something(kind, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from examples import measure_example, method_example
    from pictures import run_example

    for name, unit in registry.units(kind).items():
        if kind == "methods":
            names = run_example(method_example(name, unit))
            assert not names["masked"].table.equals(names["data"].table), name  # even the smallest example shows it
        else:
            code = measure_example(name, unit).replace("print(ammg.evaluate(", "found = (ammg.evaluate(")
            found = run_example(code)["found"]
            assert [label for label in found if found[label].value is None] == [], name


def test_every_page_is_in_the_navigation():
    pages = ROOT / "docs" / "pages"
    named = re.findall(r": (\S+\.md)$", (ROOT / "docs" / "site.yml").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert {str(page.relative_to(pages)) for page in PAGES if page.is_relative_to(pages)} <= set(named)


def test_the_search_of_the_documentation_works_from_a_folder_and_loads_nothing_from_the_internet():
    config = yaml.safe_load((ROOT / "docs" / "site.yml").read_text(encoding="utf-8"))
    assert {"search", "offline"} <= set(config["plugins"])
    assert [name for name in config["extra"]["polyfills"] if "iframe-worker" in name]  # else one comes from a CDN
    assert all((ROOT / "docs" / "pages" / name).is_file() for name in config["extra"]["polyfills"])


def test_no_page_shows_a_secret_that_people_would_copy_for_their_files():
    shown = [line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if "secret=" in line]
    assert shown == []
