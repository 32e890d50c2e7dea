from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.kernels.pram.transition_counts import whole_counts


def goods(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    table = pl.DataFrame(
        {
            "good": rng.choice(list("abcdef"), n, p=[0.4, 0.3, 0.2, 0.05, 0.03, 0.02]),
            "shop": rng.choice(["x", "y", "z"], n),
            "town": [(None, "p", "q")[code] for code in rng.integers(0, 3, n)],
        }
    )
    return ammg.Microdata(table).with_kinds(nominal=["good", "shop", "town"]).with_roles(key=["good", "shop", "town"])


@pytest.mark.parametrize("secret", range(5))
@pytest.mark.parametrize("pattern", ["proportional", "uniform"])
def test_every_table_with_the_groups_is_exactly_what_it_was(secret, pattern):
    data = goods(seed=secret)
    step = ammg.ExactPram(columns="good", within=["shop", "town"], pattern=pattern, stay=0.6)
    masked = ammg.Pipeline([step]).run(data, Secret.known(secret)).table
    cells = ["shop", "town", "good"]
    assert masked.group_by(cells).len().sort(cells).equals(data.table.group_by(cells).len().sort(cells))
    assert 0.35 < (masked["good"] != data.table["good"]).mean() < 0.45


def test_combinations_keep_their_frequencies_also_with_missing_values():
    data = goods()
    step = ammg.ExactPram(columns=["good", "town"], compound=True, stay=0.7)
    masked = ammg.Pipeline([step]).run(data, secret=2).table
    cells = ["good", "town"]
    assert masked.group_by(cells).len().sort(cells).equals(data.table.group_by(cells).len().sort(cells))
    assert (masked["town"].is_null() == data.table["town"].is_null()).all()


def test_transition_counts_are_whole_unbiased_and_keep_both_margins():
    counts = np.array([13, 7, 5, 1])
    matrix = np.tile(counts / counts.sum(), (4, 1)) * 0.4 + 0.6 * np.eye(4)
    rng = np.random.default_rng(3)
    draws = np.array([whole_counts(matrix, counts, rng) for _ in range(4000)])
    assert (draws.sum(axis=1) == counts).all()
    assert (draws.sum(axis=2) == counts).all()
    assert np.abs(draws - matrix * counts[:, None]).max() < 1
    assert draws.mean(axis=0) == pytest.approx(matrix * counts[:, None], abs=4 * 0.5 / np.sqrt(4000))
