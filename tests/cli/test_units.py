"""What there is, and how each is used: a new class appears everywhere with no other change."""

import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ammg
from ammg import Kind, registry
from ammg.data.block import Block
from ammg.draws import Draws
from ammg.methods.method import Method, Plan
from ammg.optimizer.space import Space
from ammg.params import param
from ammg.summaries.summary import Source
from ammg.testing import check_method


@pytest.fixture
def toy() -> Iterator[type[Method]]:
    class ToySignFlipping(Method):
        """Change the sign of some numbers."""

        accepts = Kind.NUMERIC

        share: float = param(0.1, "Share of the values that change sign.", gt=0, le=1, search=(0.01, 0.5))

        def plan(self, source: Source, draws: Draws) -> Plan:
            return Plan(source.schema.select(self.chosen(source.schema)))

        def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
            return block.with_columns(
                {
                    name: np.where(
                        draws.uniform(block.ids, name) < self.share, -block.numbers(name), block.numbers(name)
                    )
                    for name in plan.schema.names
                }
            )

    yield ToySignFlipping
    registry.forget("methods", "toy_sign_flipping")


def test_every_method_is_listed_with_its_sentence(run) -> None:
    out = run("methods").out
    for name, unit in registry.units("methods").items():
        assert name in out
        assert (unit.__doc__ or "").splitlines()[0][:40] in out


def test_every_measure_is_listed_with_its_family(run) -> None:
    out = run("measures").out
    assert all(name in out for name in registry.units("measures"))
    assert "risk" in out
    assert "loss" in out


def test_one_method_is_shown_with_its_parameters(run) -> None:
    out = run("methods", "univariate_microaggregation").out
    assert "Least records in a group." in out
    assert "≥ 2" in out
    assert "Source: " in out


def test_brackets_in_a_description_are_shown(run) -> None:
    assert "[[wages, tax]," in run("methods", "microaggregation").out


def test_a_method_is_shown_under_its_own_name_whatever_it_is_called(run) -> None:
    out = run("methods", "individual_ranking").out
    assert out.splitlines()[:2] == ["univariate_microaggregation", "also called individual_ranking"]
    assert "individual_ranking" not in run("methods").out
    told = json.loads(run("methods", "individual_ranking", "--json").out)
    assert told["univariate_microaggregation"]["also_called"] == ["individual_ranking"]


def test_a_project_file_may_use_the_other_name_and_is_written_back_under_the_own(project: Path) -> None:
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace("sampling: {fraction: 0.8}", "individual_ranking: {columns: [Age], k: 2}"))
    plan, _ = ammg.Project.open(project)
    assert plan.methods[-1] == ammg.UnivariateMicroaggregation(columns=("Age",), k=2)
    assert "individual_ranking" not in plan.to_yaml()
    assert "univariate_microaggregation:" in plan.to_yaml()


@pytest.mark.parametrize("family", ["methods", "measures"])
def test_json_has_the_schema_of_every_unit(run, family: str) -> None:
    told = json.loads(run(family, "--json").out)
    assert set(told) == set(registry.units(family))
    assert all(entry["schema"]["type"] == "object" for entry in told.values())


def test_an_unknown_unit_gets_the_nearest_one(run) -> None:
    ended = run("methods", "rank_swaping")
    assert ended.code == 2
    assert ended.err == "error: Unknown method 'rank_swaping'. Did you mean 'rank_swapping'?\n"


def test_a_new_method_is_in_the_lists_and_in_its_own_page(run, toy: type[Method]) -> None:
    assert "toy_sign_flipping" in run("methods").out
    page = run("methods", "toy_sign_flipping").out
    assert "Change the sign of some numbers." in page
    assert "Share of the values that change sign." in page
    assert "> 0, ≤ 1" in page


def test_a_new_method_runs_from_a_project_file(run, toy: type[Method], project: Path) -> None:
    text = project.read_text(encoding="utf-8").replace("sampling: {fraction: 0.8}", "toy_sign_flipping: {share: 1.0}")
    project.write_text(text.replace("sampling", "toy_sign_flipping"), encoding="utf-8")
    plan, data = ammg.Project.open(project)
    assert plan.methods[-1] == toy(share=1.0)
    assert "toy_sign_flipping: {share: 1.0}" in plan.to_yaml()
    assert plan.pipeline().run(data, 1).table["Income"].max() < 0


def test_a_new_method_is_in_the_search_space(toy: type[Method], patients: ammg.Microdata) -> None:
    options = {option.name: option for option in Space(patients.schema, 1).options}
    assert options["toy_sign_flipping"].columns == ("Age", "Income", "Billing")
    result = ammg.search(patients, {"distance_linkage": 1.0}, methods=["toy_sign_flipping"], trials=2, secret=1)
    assert isinstance(result.recipe[0], toy)


def test_a_new_method_is_in_the_contract_suite_and_keeps_the_contract(
    toy: type[Method], monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = runpy.run_path(str(Path(__file__).parents[1] / "contract" / "test_methods.py"))
    assert "toy_sign_flipping" in {example.id for example in suite["EXAMPLES"]}
    toy.__qualname__ = toy.__name__  # found by name, as a class in a file of its own would be
    monkeypatch.setattr(sys.modules[toy.__module__], toy.__name__, toy, raising=False)
    check_method(toy(share=0.5))


def test_a_forgotten_method_is_gone(run, toy: type[Method]) -> None:
    registry.forget("methods", "toy_sign_flipping")
    assert "toy_sign_flipping" not in run("methods").out
