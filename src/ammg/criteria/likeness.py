"""How much a class raises or lowers the odds of a sensitive value: δ-disclosure privacy and β-likeness.

Each function returns the smallest parameter that every class satisfies; 0 where no value of the class is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.criteria.distributions import ClassDistributions


def delta_disclosure(distributions: ClassDistributions, absent: bool = True) -> NDArray[np.float64]:
    """Largest |ln(share in the class / share in the file)| over the values, for each class.

    Brickell and Shmatikov (2008), The Cost of Privacy, KDD. A value that occurs in the file but not in the class
    makes the ratio zero and δ infinite; `absent=False` looks only at values that occur in the class.
    """
    gain = np.abs(np.log(distributions.shares / distributions.overall[distributions.values]))
    delta = distributions.max_by_class(gain, empty=0.0)
    if absent:
        present = distributions.sum_by_class(np.ones(distributions.counts.size))
        occurring = np.count_nonzero(distributions.overall)
        delta = np.where((present > 0) & (present < occurring), np.inf, delta)
    return delta


def basic_beta_likeness(distributions: ClassDistributions) -> NDArray[np.float64]:
    """Largest relative gain (p - q) / q of a value in each class, p its share there and q in the file.

    Cao and Karras (2012), Publishing Microdata with a Robust Privacy Guarantee, PVLDB 5(11).
    """
    return np.maximum(distributions.max_by_class(_gains(distributions), empty=0.0), 0.0)


def enhanced_beta_likeness(distributions: ClassDistributions) -> NDArray[np.float64]:
    """Smallest β with (p - q) / q <= min(β, -ln q) for every value; infinite where no β is enough.

    Cao and Karras (2012).
    """
    gains = _gains(distributions)
    limits = -np.log(distributions.overall[distributions.values])
    needed = np.where(gains > limits, np.inf, gains)
    return np.maximum(distributions.max_by_class(needed, empty=0.0), 0.0)


def _gains(distributions: ClassDistributions) -> NDArray[np.float64]:
    overall = distributions.overall[distributions.values]
    return (distributions.shares - overall) / overall
