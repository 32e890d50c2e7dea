"""The automatic search: deterministic, resumable, and honest about limits."""

import stat
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement
from ammg.optimizer.result import SearchResult
from ammg.optimizer.sample import sampled
from ammg.registry import forget

METHODS = ["rank_swapping", "univariate_microaggregation", "sampling", "additive_noise"]


@pytest.fixture(scope="module")
def data() -> ammg.Microdata:
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"age": rng.integers(18, 90, 150), "wage": rng.lognormal(10, 0.7, 150)})
    return ammg.Microdata(table).with_roles(key=["age", "wage"])


def found(data: ammg.Microdata, trials: int = 12, limit: float = 0.2, **options: object) -> SearchResult:
    settings = {"secret": 7, "methods": METHODS, "steps": 2, "loss": "cell_loss", **options}
    return ammg.search(data, {"distance_linkage": limit}, trials=trials, **settings)


def told(result: SearchResult) -> object:
    return [(c.number, c.recipe, c.risks, c.loss) for c in result.candidates], result.recipe, result.choice.loss


@pytest.fixture(scope="module")
def result(data: ammg.Microdata) -> SearchResult:
    return found(data)


def test_a_secret_gives_the_same_search(data: ammg.Microdata, result: SearchResult) -> None:
    assert told(found(data)) == told(result)
    assert told(found(data, secret=8)) != told(result)


def test_the_choice_has_least_loss_among_the_safe(result: SearchResult) -> None:
    safe = [candidate for candidate in result.candidates if candidate.risks["distance_linkage"] <= 0.2]
    assert safe
    assert result.choice.is_safe
    assert result.choice.loss == min(candidate.loss for candidate in safe)
    assert "all limits" in result.reason


def test_the_chosen_file_is_what_its_recipe_makes(data: ammg.Microdata, result: SearchResult) -> None:
    again = ammg.Pipeline(result.recipe).run(data, 7)
    assert result.chosen.table.equals(again.table)
    assert ammg.evaluate(again, ["cell_loss"]).value("cell_loss") == result.choice.loss


def test_nobody_on_the_frontier_is_beaten_in_risk_and_loss(result: SearchResult) -> None:
    for point in result.frontier:
        for other in result.candidates:
            assert not (other.pressure <= point.pressure and other.loss < point.loss)
            assert not (other.pressure < point.pressure and other.loss <= point.loss)
    pressures = [point.pressure for point in result.frontier]
    assert pressures == sorted(pressures, reverse=True)


def test_limits_that_nobody_keeps_are_said_so_with_the_nearest(data: ammg.Microdata) -> None:
    result = found(data, trials=3, limit=0.0001)
    assert not result.choice.is_safe
    assert "None of" in result.reason
    assert "the limit is 0.0001" in result.reason


# Stopped and taken up again


def test_an_interrupted_search_ends_as_it_would_have_ended(
    data: ammg.Microdata, result: SearchResult, tmp_path: Path
) -> None:
    def stop(done: int, total: int, name: str) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        found(data, storage=tmp_path / "search", progress=stop)
    assert told(found(data, storage=tmp_path / "search")) == told(result)


@pytest.fixture
def stumbling() -> Iterator[list[int]]:
    calls: list[int] = []

    class StumblingLoss(Loss):
        """Cell loss that stops the program at its seventh call."""

        def measure(self, pair: Pair, scenario: ammg.Scenario) -> Measurement:
            calls.append(1)
            if len(calls) == 7:
                raise KeyboardInterrupt
            return ammg.CellLoss().measure(pair, scenario)

    yield calls
    forget("measures", "stumbling_loss")


def test_a_search_that_stops_in_the_middle_of_a_trial_makes_it_again(
    data: ammg.Microdata, result: SearchResult, tmp_path: Path, stumbling: list[int]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        found(data, storage=tmp_path / "search", loss="stumbling_loss")
    assert told(found(data, storage=tmp_path / "search", loss="stumbling_loss")) == told(result)
    assert len(stumbling) > 12


def test_a_finished_search_is_not_made_again_and_can_go_on(data: ammg.Microdata, tmp_path: Path) -> None:
    first = found(data, trials=4, storage=tmp_path / "search")
    longer = found(data, trials=6, storage=tmp_path / "search")
    assert told(longer)[0][: len(first.candidates)] == told(first)[0]
    assert len(longer.candidates) > len(first.candidates)


def test_a_kept_search_keeps_its_secret_for_the_owners_eyes(data: ammg.Microdata, tmp_path: Path) -> None:
    first = found(data, trials=3, secret=None, storage=tmp_path / "search")
    kept = tmp_path / "search.secret"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert kept.read_text().strip() not in (tmp_path / "search").read_text()
    assert told(found(data, trials=3, secret=None, storage=tmp_path / "search")) == told(first)


@pytest.mark.parametrize("other", ["values", "limit", "secret", "methods", "links"])
def test_another_question_in_the_same_file_is_refused(data: ammg.Microdata, tmp_path: Path, other: str) -> None:
    found(data, trials=1, storage=tmp_path / "search")
    changed = ammg.Microdata(data.table.with_columns(pl.col("wage") + 1), data.schema) if other == "values" else data
    changed = data.with_links({"wage": "age"}) if other == "links" else changed
    options = {
        "values": {},
        "limit": {"limit": 0.1},
        "secret": {"secret": 8},
        "methods": {"methods": METHODS[:2]},
        "links": {},
    }[other]
    with pytest.raises(InputError, match="holds a search with other data, limits, methods or another secret"):
        found(changed, trials=1, storage=tmp_path / "search", **options)


def test_a_folder_that_does_not_exist_is_refused(data: ammg.Microdata, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Folder '.*nowhere' does not exist"):
        found(data, trials=1, storage=tmp_path / "nowhere" / "search")


# What may be asked


def test_a_large_file_is_searched_on_a_sample_and_judged_whole(data: ammg.Microdata) -> None:
    result = found(data, trials=4, records=100)
    assert result.chosen.n == 150
    whole = ammg.evaluate(result.chosen, ["distance_linkage"]).value("distance_linkage")
    assert result.choice.risks == {"distance_linkage": whole}


@pytest.mark.parametrize(("records", "households"), [(100, 33), (2, 1)])
def test_a_sample_has_whole_households(records: int, households: int) -> None:
    table = pl.DataFrame({"home": [f"h{number}" for number in range(60)] * 3, "age": range(180)})
    data = ammg.Microdata(table).with_roles(household="home", key="age")
    sample = sampled(data, records, Secret.of(1)).table
    assert sample["home"].value_counts()["count"].to_list() == [3] * households
    assert sample["age"].is_sorted()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"risk": {}}, "needs a limit on at least one risk"),
        ({"risk": {"il1": 0.1}}, "needs a limit on at least one risk: risk={'distance_linkage': 0.05"),
        ({"risk": {"frequency": 0.1}, "loss": "frequency"}, "'frequency' measures risk: choose a loss"),
        ({"risk": 0.05}, r"0.05 is not a limit: write {measure: largest value}"),
        ({"risk": {"frequency": -1}}, "limit of 'frequency' is -1: it must be a number of at least 0"),
        ({"risk": {"frequency": "low"}}, "limit of 'frequency' is 'low': it must be a number of at least 0"),
        ({"risk": {"frequency": 0.1}, "steps": 0}, "steps = 0 is not valid: give a whole number of at least 1"),
        ({"risk": {"frequency": 0.1}, "records": 0}, "records = 0 is not valid"),
        ({"risk": {"frequency": 0.1}, "trials": 0}, "trials = 0 is not valid"),
        ({"risk": {"frequency": 0.1}, "methods": []}, "No method applies to these data"),
        ({"risk": {"frequncy": 0.1}}, "Unknown measure 'frequncy'"),
        ({"risk": {"frequency": 0.1}, "methods": ["rank_swaping"]}, "Did you mean 'rank_swapping'"),
    ],
)
def test_a_question_without_sense_is_refused(data: ammg.Microdata, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ammg.search(data, **{"trials": 1, **options})


def test_data_without_fitting_attributes_are_refused() -> None:
    data = ammg.Microdata(pl.DataFrame({"x": [1, 2]}))
    with pytest.raises(
        InputError, match="No method applies to these data: give attributes the role key or confidential"
    ):
        ammg.search(data, {"distance_linkage": 0.1}, methods=["rare_category_recoding"], trials=1)


def test_a_result_is_told_in_words_and_in_plain_values(result: SearchResult) -> None:
    assert str(result).startswith(result.reason)
    assert "distance_linkage 0.1667 (at most 0.2; " in str(result)
    plain = result.to_dict()
    assert plain["limits"] == {"distance_linkage": 0.2}
    assert plain["chosen"]["safe"] is True
    assert len(plain["frontier"]) == len(result.frontier)


def test_limits_have_parameters_and_may_be_on_losses(data: ammg.Microdata) -> None:
    limits = [
        ammg.Limit(ammg.DistanceLinkage(metric="gower"), 0.4),
        ammg.Limit("distance_linkage", 0.4),
        ammg.Limit("il1s", 0.5),
    ]
    result = ammg.search(data, limits, ammg.IL1(version="original"), trials=4, steps=1, methods=METHODS, secret=7)
    chosen = ammg.evaluate(result.chosen, ["il1s", ammg.IL1(version="original")], limits=limits, before=False)
    labels = ["distance_linkage(metric=gower)", "distance_linkage(metric=euclid)", "il1s"]
    assert result.choice.risks == {label: chosen.value(label) for label in labels}
    assert result.choice.loss == chosen.value("il1")
    assert result.choice.is_safe == (not chosen.broken)


def test_a_risk_that_is_not_defined_is_no_safety(data: ammg.Microdata) -> None:
    with pytest.raises(
        InputError, match="Every recipe was refused; the most frequent reason: 'transition_linkage' is not"
    ):
        ammg.search(data, {"transition_linkage": 0.01}, trials=3, secret=1)


def test_a_loss_that_is_not_defined_is_not_taken_for_a_small_one() -> None:
    table = pl.DataFrame({"sex": ["f", "m"] * 50, "region": ["N", "S", "W", "W", "W"] * 20})
    data = ammg.Microdata(table).with_roles(key=["sex", "region"])
    with pytest.raises(InputError, match="Every recipe was refused; the most frequent reason: 'il1s' is not defined"):
        ammg.search(data, {"frequency": 0.5}, "il1s", methods=["rare_category_recoding"], trials=1, secret=1)


def test_a_recipe_that_changes_nothing_is_refused() -> None:
    table = pl.DataFrame({"sex": ["f", "m"] * 50, "age": list(range(20, 70)) * 2})
    data = ammg.Microdata(table).with_roles(key=["sex", "age"])
    result = ammg.search(
        data, {"frequency": 1.0}, methods=["rare_category_recoding", "additive_noise"], trials=20, secret=1
    )
    recipes = [candidate.recipe for candidate in result.candidates]
    assert all(
        any(isinstance(step, ammg.AdditiveNoise) for step in recipe) for recipe in recipes
    )  # both sexes are kept
    assert result.choice.loss > 0
    with pytest.raises(
        InputError, match="Every recipe was refused; the most frequent reason: no step changes anything"
    ):
        ammg.search(data, {"frequency": 1.0}, methods=["rare_category_recoding"], trials=1, secret=1)
