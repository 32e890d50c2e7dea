"""Methods in their order."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import InputError

NOISE = ammg.AdditiveNoise(columns=["Age"], p=0.2)


def test_no_step_leaves_everything_as_it_is(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([]).run(patients)
    assert masked.table.equals(patients.table)
    assert masked.link.tolist() == list(range(10))
    assert masked.steps == ()


def test_the_order_of_the_steps_matters(patients: ammg.Microdata) -> None:
    group, keep = ammg.UnivariateMicroaggregation(columns=["Age"], k=3), ammg.Sampling(fraction=0.6)
    first, second = (ammg.Pipeline(steps).run(patients, 1).table["Age"] for steps in ([group, keep], [keep, group]))
    assert len(first) == len(second) == 6
    assert sorted(first) != sorted(second)


def test_the_same_secret_gives_the_same_file_and_another_one_another(patients: ammg.Microdata) -> None:
    pipeline = ammg.Pipeline([NOISE, ammg.Sampling(fraction=0.8)])
    assert pipeline.run(patients, "s").table.equals(pipeline.run(patients, "s").table)
    assert not pipeline.run(patients, "s").table.equals(pipeline.run(patients, "t").table)
    assert not pipeline.run(patients).table.equals(pipeline.run(patients).table)


def test_the_same_method_twice_draws_twice(patients: ammg.Microdata) -> None:
    once, twice = (ammg.Pipeline([NOISE] * times).run(patients, 1).table["Age"].to_numpy() for times in (1, 2))
    original = patients.table["Age"].to_numpy()
    assert not np.allclose(twice - once, once - original)


def test_a_step_records_what_it_did(patients: ammg.Microdata) -> None:
    (first, second) = ammg.Pipeline([NOISE, ammg.Sampling(fraction=0.8)]).run(patients, 1).steps
    assert first.method == "additive_noise"
    assert first.parameters == {**NOISE.model_dump(mode="json"), "columns": ["Age"], "p": 0.2}
    assert first.changed["Age"]["cells"] == 10
    assert (second.records_before, second.records_after) == (10, 8)
    assert first.seconds >= 0


def test_a_step_records_the_columns_it_chose_and_its_defaults(patients: ammg.Microdata) -> None:
    (step,) = ammg.Pipeline([ammg.AdditiveNoise()]).run(patients, 1).steps
    assert step.parameters["columns"] == ["Age", "Income", "Billing"]
    assert step.parameters["p"] == ammg.AdditiveNoise().p


def test_progress_is_told_step_by_step(patients: ammg.Microdata) -> None:
    told: list[tuple[int, int, str]] = []
    ammg.Pipeline([NOISE]).run(patients, 1, progress=lambda *news: told.append(news))
    assert told[0] == (0, 1, "additive_noise")
    assert told[-1] == (1, 1, "")
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)


def test_what_goes_wrong_names_its_step(patients: ammg.Microdata) -> None:
    with pytest.raises(
        InputError, match=r"^Step 2 \(univariate_microaggregation\): k = 11 is larger than the 10 values"
    ):
        ammg.Pipeline([NOISE, ammg.UnivariateMicroaggregation(columns=["Age"], k=11)]).run(patients)
    with pytest.raises(KeyError, match=r"Step 1 \(additive_noise\): Column 'Aeg' not found\. Did you mean 'Age'"):
        ammg.Pipeline([ammg.AdditiveNoise(columns=["Aeg"])]).run(patients)


def test_an_error_does_not_show_the_secret(patients: ammg.Microdata) -> None:
    with pytest.raises(InputError) as caught:
        ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=11)]).run(patients, "hunter2")
    shown = repr(caught.value) + str(caught.value) + repr(caught.value.__cause__)
    assert "hunter2" not in shown
    assert Secret.of("hunter2").key.hex() not in shown


def test_what_is_no_method_is_refused() -> None:
    with pytest.raises(InputError, match="A pipeline is a list of methods, but this is not a method: 'sampling'"):
        ammg.Pipeline(["sampling"])


@pytest.mark.parametrize("steps", [ammg.Rounding(), "rounding", None])
def test_what_is_no_list_is_refused(steps: object) -> None:
    with pytest.raises(InputError, match=r"is not a list: write Pipeline\(\[…\]\)"):
        ammg.Pipeline(steps)


def test_columns_that_no_step_names_pass_through_untouched() -> None:
    table = pl.DataFrame({"x": [1.0, 2.0], "odd": [[1, 2], [3]], "deep": [{"a": 1}, {"a": 2}]})
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["x"])]).run(table, 1).table
    assert masked.drop("x").equals(table.drop("x"))


def test_an_empty_file_is_masked_to_an_empty_file() -> None:
    table = pl.DataFrame({"x": pl.Series([], dtype=pl.Float64)})
    assert ammg.Pipeline([ammg.AdditiveNoise(columns=["x"])]).run(table).t == 0


def test_the_example_of_the_readme_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ammg.datasets.patients().write_csv("patients.csv")

    data = ammg.read("patients.csv").with_roles(
        identifier=["Name", "SSN"], key=["Age", "State"], confidential=["Diagnosis", "Income", "Billing"]
    )
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=2), ammg.Sampling(fraction=0.8)]).run(
        data
    )
    table = str(ammg.evaluate(masked))
    masked.release(force="a test of ten fictitious patients").write("masked.parquet")
    best = ammg.search(data, risk={"distance_linkage": 0.35}, trials=15)

    assert "distance_linkage" in table
    released = pl.read_parquet("masked.parquet")
    assert released.shape == (8, 5)
    assert isinstance(best.chosen, ammg.Masked)
    assert best.frontier


def test_a_pipeline_goes_on_from_what_its_first_steps_made() -> None:
    data = ammg.Microdata(pl.DataFrame({"a": range(50), "b": range(50)})).with_roles(key=["a", "b"])
    first, second = ammg.RankSwapping(columns=["a"]), ammg.AdditiveNoise(columns=["b"])
    begun = ammg.Pipeline([first]).run(data, b"x" * 32)
    whole = ammg.Pipeline([first, second]).run(data, b"x" * 32)
    gone_on = ammg.Pipeline([first, second]).run(data, b"x" * 32, begun=begun)
    assert gone_on.table.equals(whole.table)
    assert gone_on.published == whole.published
    with pytest.raises(InputError, match="same data and secret"):
        ammg.Pipeline([first, second]).run(data, b"y" * 32, begun=begun)
