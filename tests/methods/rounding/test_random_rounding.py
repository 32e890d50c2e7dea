import numpy as np
import polars as pl

import ammg
from ammg.data.published import Rounding
from ammg.draws import Secret

VALUES = np.random.default_rng(0).integers(-100, 300, 200)
DATA = pl.DataFrame({"x": VALUES})


def test_numbers_go_to_a_neighbouring_multiple_and_multiples_stay() -> None:
    masked = ammg.Pipeline([ammg.RandomRounding(base=10)]).run(DATA, secret=1).table["x"]
    assert masked.dtype == pl.Int64
    assert (masked % 10 == 0).all()
    assert (np.abs(masked.to_numpy() - VALUES) < 10).all()
    assert (masked.to_numpy()[VALUES % 10 == 0] == VALUES[VALUES % 10 == 0]).all()


def test_the_mean_over_four_hundred_secrets_is_the_number_within_four_deviations() -> None:
    base, secrets = 5, 400
    data = pl.DataFrame({"x": VALUES[:40]})
    pipeline = ammg.Pipeline([ammg.RandomRounding(base=base)])
    mean = (
        sum(pipeline.run(data, secret).table["x"].to_numpy() for secret in map(Secret.known, range(secrets))) / secrets
    )
    residual = VALUES[:40] % base
    assert (np.abs(mean - VALUES[:40]) <= 4 * np.sqrt(residual * (base - residual) / secrets) + 1e-9).all()


def test_missing_values_stay_and_the_base_is_told() -> None:
    run = ammg.Pipeline([ammg.RandomRounding(base=0.5)]).run(pl.DataFrame({"x": [1.3, None]}), secret=1)
    assert run.table["x"][0] in (1.0, 1.5)
    assert run.table["x"][1] is None
    assert run.published == (Rounding(("x",), 0.5, random=True),)
