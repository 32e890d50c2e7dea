"""How far the principal components turn."""

from __future__ import annotations

import numpy as np

from ammg.errors import NotDefined
from ammg.measures.loss.numbers.moment_loss import Compared, NumberLoss
from ammg.measures.measurement import Measurement
from ammg.params import param


class PrincipalComponentLoss(NumberLoss):
    """Share by which masking rotates the plane of the first principal components.

    Σ sin² of the principal angles between the planes that the first components of both correlation matrices span,
    over their number: 0 where the planes are the same, 1 where they are at right angles. A correlation that the release
    does not have counts as zero. The fact `explained` is the share of the variance that they explain in both files.
    """

    range = (0.0, 1.0)

    components: int = param(2, "How many components.", ge=1)

    def of(self, compared: Compared) -> Measurement:
        """Compare correlation matrices."""
        varying = compared.before.sd > 0
        if varying.sum() <= self.components:
            raise NotDefined(f"{self.components} components need more numeric attributes that vary than that")
        matrices = [np.nan_to_num(side.correlation)[varying][:, varying] for side in (compared.before, compared.after)]
        spectra = [np.linalg.eigh(matrix) for matrix in matrices]
        planes = [vectors[:, -self.components :] for _, vectors in spectra]
        outside = planes[1] - planes[0] @ (planes[0].T @ planes[1])  # of length sin: 1 - cos² would lose digits
        shares = [float(values[-self.components :].sum() / max(values.sum(), 1e-300)) for values, _ in spectra]
        value = float(np.clip(np.square(outside).sum() / self.components, 0.0, 1.0))
        return Measurement(value if value > 1e-13 else 0.0, facts={"explained": tuple(shares)})
