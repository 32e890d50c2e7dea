import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret


def test_the_size_of_the_sample_is_binomial() -> None:
    table = pl.DataFrame({"x": np.arange(1000)})
    pipeline = ammg.Pipeline([ammg.BernoulliSampling(fraction=0.7)])
    sizes = [pipeline.run(table, secret).t for secret in map(Secret.known, range(60))]
    assert len(set(sizes)) > 10
    assert np.mean(sizes) == pytest.approx(700, abs=4 * np.sqrt(1000 * 0.7 * 0.3 / 60))


def test_weights_are_divided_by_the_chance_of_being_kept(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.BernoulliSampling(fraction=0.5)]).run(survey, 1)
    before = survey.table["weight"].gather(masked.link).to_numpy()
    np.testing.assert_allclose(masked.table["weight"].to_numpy(), before / 0.5)


def test_a_record_is_kept_whoever_else_is_in_the_file() -> None:
    pipeline = ammg.Pipeline([ammg.BernoulliSampling(fraction=0.5)])
    many = pipeline.run(pl.DataFrame({"x": np.arange(500)}), 1).link
    few = pipeline.run(pl.DataFrame({"x": np.arange(100)}), 1).link
    assert few.tolist() == many[many < 100].tolist()
