"""Standard errors of the moments of a part of a file that was masked with correlated noise.

The corrected covariance is C - λS, C of the part and S of the whole masked file, λ = d/(1 + d). A record of the part
moves C by u·(zz' - C), where u is its share in the part; its fourth moments contain the variation of data and noise. A
record moves S by v·(zz' - S), where v is its share in the file. The movement due to original values is no error,
because the noise in C has the same covariance, and it cancels. There remains v·(xe' + ex' + ee' - N), whose moments
follow from those of the data x and of the noise e = Bw with covariance N = BB' = dΣ:
Var(e_j e_k) = N_jj N_kk + N_jk² + (κ - 3) Σ B_j² B_k², with κ the kurtosis of the independent variates w.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.estimators.records import as_records, as_weights
from ammg.estimators.subdomain import check_part, noise_covariance
from ammg.kernels.pairwise import Moments, pairwise_moments
from ammg.kernels.psd import nearest_psd, psd_factor

Floats = NDArray[np.float64]


class MomentErrors(NamedTuple):
    """Standard errors of means and of each entry of a covariance matrix."""

    mean: Floats
    cov: Floats


def subdomain_errors(
    masked: Any,
    masked_file: Any,
    d: float,
    scaled: bool = False,
    weights: Any = None,
    file_weights: Any = None,
    kurtosis: float = 3.0,
) -> MomentErrors:
    """Estimate the standard errors of `subdomain_moments`, for the population from which the records came.

    The arguments are those of `subdomain_moments`, except that the whole masked file must be given as records, not as
    moments. The file was masked by its own covariance, and the records of the part belong to the file. `kurtosis` is
    that of the white variates of the noise: 3 for normal noise, 3v² + 6v(1-v) + (1-v)² for a mixture of two equal
    components of variance v, coloured by the root `eig` (1.099 by default). Noise that was `exact` gives smaller errors
    than these. Two columns observed together in fewer than two records get NaN. In a file with weights, give the
    `weights` of the part and the `file_weights` of the whole file, on one scale.

    Raises:
        InputError: the file is given by its moments, only one of the two has weights, or the kurtosis is impossible.
    """
    if isinstance(masked_file, Moments):
        raise InputError("Standard errors need the records of the whole masked file: give these, not their moments.")
    if (weights is None) != (file_weights is None):
        raise InputError("Only one of the subdomain and the whole file has weights: give both, or none.")
    if not (kurtosis >= 1 and np.isfinite(kurtosis)):
        raise InputError(f"The kurtosis must be at least 1 (normal noise has 3); it is {kurtosis}.")
    part, file = as_records(masked).values, as_records(masked_file).values
    check_part(part, file.shape[1])
    if len(part) > len(file):
        raise InputError(f"The subdomain has {len(part)} records, the whole file {len(file)}: give the whole file.")
    part_weights, all_weights = _weights(weights, len(part)), _weights(file_weights, len(file))
    noise = noise_covariance(pairwise_moments(file, all_weights), d, scaled)
    if scaled:  # only deviations from means matter, so the mean needs no correction
        part, file = part * np.sqrt(1 + d), file * np.sqrt(1 + d)
    squares = psd_factor(nearest_psd(np.nan_to_num(noise))) ** 2
    excess = (kurtosis - 3) * squares @ squares.T
    size = part.shape[1]
    mean, cov = np.full(size, np.nan), np.full((size, size), np.nan)
    for k in range(size):
        for j in range(k + 1):
            pair = [j, k]
            inside, whole = _complete(part[:, pair], part_weights), _complete(file[:, pair], all_weights)
            if len(inside.values) < 2:
                continue
            if j == k:
                mean[k] = np.sqrt(_mean_variance(inside))
            own = noise[np.ix_(pair, pair)]
            fourth = own[0, 0] * own[1, 1] + own[0, 1] ** 2 + excess[j, k]
            variance = _covariance_variance(inside, whole, own, fourth, d / (1 + d))
            cov[j, k] = cov[k, j] = np.sqrt(max(variance, 0.0))
    return MomentErrors(mean, cov)


class _Weighted(NamedTuple):
    """Records of two columns without missing values, and their weights."""

    values: Floats
    weights: Floats

    @property
    def shares(self) -> Floats:
        return np.asarray(self.weights / self.weights.sum())

    @property
    def centre(self) -> Floats:
        return np.asarray(self.shares @ self.values)


def _weights(given: Any, size: int) -> Floats:
    weights = as_weights(given, size)
    return np.ones(size) if weights is None else weights


def _complete(values: Floats, weights: Floats) -> _Weighted:
    kept = ~np.isnan(values).any(axis=1) & (weights > 0)
    return _Weighted(values[kept], weights[kept])


def _mean_variance(inside: _Weighted) -> float:
    """Unweighted, the variance over the number of records."""
    shares = inside.shares
    return float((shares**2) @ (inside.values[:, 0] - inside.centre[0]) ** 2 / (1 - (shares**2).sum()))


def _covariance_variance(inside: _Weighted, whole: _Weighted, noise: Floats, fourth: float, factor: float) -> float:
    """Sum the squared influence of each record: the part's, minus twice the shared one, plus the noise of the file."""
    shares, in_file = inside.shares, inside.weights / whole.weights.sum()
    centred, from_file = inside.values - inside.centre, inside.values - whole.centre
    products = centred[:, 0] * centred[:, 1]
    moved = shares * (products - shares @ products) / (1 - (shares**2).sum())
    shared = _noise_moved(centred, from_file, shares * in_file, noise, fourth)
    deviations = whole.values - whole.centre
    alone = _noise_moved(deviations, deviations, whole.shares**2, noise, fourth)
    return float((moved**2).sum() - 2 * factor * shared + factor**2 * alone)


def _noise_moved(left: Floats, right: Floats, weights: Floats, noise: Floats, fourth: float) -> float:
    """Weighted covariance, due to noise, of the products of two columns about two centres."""
    total = weights.sum()
    moments = (left * weights[:, None]).T @ right - total * noise
    return float((moments[::-1, ::-1] * noise).sum() + total * fourth)
