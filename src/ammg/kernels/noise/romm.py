"""Random orthogonal matrix masking: a different file with exactly the same means and covariances.

Ting, Fienberg and Trottini (2008) multiply the file by a random orthogonal matrix T with T 1 = 1, drawn by
orthonormalising I + λM, M normal: n³ operations and n² numbers. But T acts on the file only through the few dimensions
the file occupies. With U its n x r orthonormal scores, T U is the orthonormalised U + λ M U, and M U is again an
n x r matrix of normals: O(n r²) operations and no n x n matrix anywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.whitening import orthonormal_scores, whiten

Floats = NDArray[np.float64]


def rotate_records(records: Floats, strength: float, rng: np.random.Generator, weights: Floats | None = None) -> Floats:
    """Replace the scores of a file by randomly rotated scores, keeping mean, covariance and linear identities.

    `strength` is λ: masked and original scores correlate at about 1/√(1 + λ²); 0 returns the original file, and a large
    value gives any file with these moments with equal probability. Normals are drawn for the columns of the file, and
    the symmetric orthonormalisation is used, so that the result does not depend on the choice of basis.

    Raises:
        ValueError: too few records for the dimensions, a missing value, or a negative strength.
    """
    if not strength >= 0:
        raise ValueError(f"The strength of the rotation must be at least 0; it is {strength}.")
    scores = orthonormal_scores(records, weights)
    if len(records) <= scores.rank + 1:
        raise ValueError(f"A file of rank {scores.rank} needs more than {scores.rank + 1} records to be rotated.")
    if strength == 0:
        return records.copy()
    # Divided by the larger of the two, so that no strength overflows.
    size = max(1.0, strength)
    normals = rng.standard_normal(records.shape) @ scores.axes
    mixed = scores.unit / size + (strength / size) * normals
    return np.asarray(scores.mean + whiten(mixed, weights) @ scores.loading)
