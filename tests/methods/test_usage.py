"""What methods tell the users of a released file can be run on that file."""

import contextlib
import io
from pathlib import Path

import pytest

import ammg
from ammg import registry
from ammg.errors import AmmgError
from ammg.release.advice import advice, masked_twice
from ammg.release.public_summary import opening
from ammg.testing.methods import fitted
from ammg.testing.samples import sample


def run(snippet: str, file: Path) -> str:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(f"{opening(str(file))}\n{snippet}", {})
    return shown.getvalue()


@pytest.mark.parametrize("name", list(registry.units("methods")))
@pytest.mark.parametrize("variant", ["plain", "missing", "unweighted"])
def test_every_snippet_runs_on_the_released_file(name: str, variant: str, tmp_path: Path) -> None:
    data = sample(variant)  # type: ignore[arg-type]
    ran = 0
    for method in registry.units("methods")[name].examples():
        try:
            masked = ammg.Pipeline([fitted(method, data.schema)]).run(data, secret=1)
            masked.release(force="a test").write(tmp_path / "file.parquet")
        except AmmgError:
            continue
        (told,) = advice(masked)
        assert told.usage.reliable.endswith(".")
        if told.usage.snippet:
            assert run(told.usage.snippet, tmp_path / "file.parquet")
        ran += 1
    assert ran or variant != "plain", f"{name} refused the sample"


def test_the_snippet_for_noise_takes_the_noise_out(tmp_path: Path) -> None:
    survey = ammg.datasets.survey(3000, seed=1).select("age", "income")
    masked = ammg.Pipeline([ammg.CorrelatedNoise(columns=["age", "income"], d=0.5, below_zero="allow")]).run(
        survey, secret=1
    )
    masked.release().write(tmp_path / "file.parquet")
    (told,) = advice(masked)
    scope: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(f"{opening(str(tmp_path / 'file.parquet'))}\n{told.usage.snippet}", scope)
    true = survey["age"].var()
    naive = masked.table["age"].var()
    corrected = scope["moments"].cov[0, 0]  # type: ignore[attr-defined]
    assert abs(naive / true - 1.5) < 0.1
    assert abs(corrected / true - 1) < 0.05


def test_a_column_that_became_classes_is_in_no_snippet_for_numbers() -> None:
    steps = [
        ammg.CorrelatedNoise(columns=["income", "savings"]),
        ammg.GlobalRecoding(columns=["income"], groups=3),
    ]
    masked = ammg.Pipeline(steps).run(sample(), secret=1)
    noise, recoding = advice(masked)
    assert '"savings"' in noise.usage.snippet
    assert '"income"' not in noise.usage.snippet
    assert '"income"' in recoding.usage.snippet
    assert masked_twice(masked) == ["income"]


def test_a_step_on_some_records_offers_no_correction_for_the_whole_file() -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"], where="age > 40")]).run(sample(), secret=1)
    (told,) = advice(masked)
    assert told.usage.snippet == ""
    assert "limited to some records" in told.usage.estimator


def test_a_method_of_somebody_else_says_something_general() -> None:
    assert ammg.Method.usage(ammg.Rounding(), ["x"]).reliable  # type: ignore[arg-type]
