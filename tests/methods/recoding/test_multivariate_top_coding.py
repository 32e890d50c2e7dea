from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.kernels.outliers import find_outliers, robust_distances


def test_records_outside_lie_on_the_ellipsoid_and_others_stay():
    rng = np.random.default_rng(1)
    records = rng.multivariate_normal([5, 10], [[1, 0.8], [0.8, 1]], 800)
    records[:20] += rng.choice([-1, 1], (20, 2)) * 12
    table = pl.DataFrame({"a": records[:, 0], "b": records[:, 1]})
    data = ammg.Microdata(table).with_roles(confidential=["a", "b"])
    masked = ammg.Pipeline([ammg.MultivariateTopCoding()]).run(data, secret=1)
    outside = find_outliers(records, 0.975)
    after = masked.table.to_numpy()
    assert np.array_equal(after[~outside], records[~outside])
    distances = robust_distances(records)
    assert outside[:20].all()
    centre = distances.centre
    shrunk = np.linalg.norm(after - centre, axis=1) / np.linalg.norm(records - centre, axis=1)
    assert shrunk[outside] ** 2 * distances.squared[outside] == pytest.approx(distances.limit(0.975))
    assert f"{int(outside.sum())} records" in masked.steps[0].notes[0]
