"""The lossy part of JPEG, applied to a file of numbers as if it were a grey image.

Domingo-Ferrer and Torra (2001), Mateo-Sanz, Sebé and Domingo-Ferrer (2004). Entropy coding is lossless, so transform,
quantisation and their inverse are the whole method.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import extent
from ammg.kernels.orders import stable_order
from ammg.kernels.pairwise import fill_missing, has_missing
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]

SIDE = 8
_ROWS = 1 << 13  # of the image that are compressed together, a multiple of the side

# ITU-T T.81 (1992), annex K, table K.1: luminance quantisation.
LUMINANCE = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ],
    dtype=np.float64,
)


def compress_records(records: Floats, quality: int, scale: Literal["column", "global"] = "column") -> Floats:
    """Compress a file with JPEG of the given quality (1 to 100) and decompress it to its units.

    Columns, or the whole file, are mapped to grey levels 0 to 255. Neighbouring records and columns share blocks of
    8 x 8, so their order matters. Values stay in the range of their column; constant columns and missing values stay
    unchanged (in the image a constant or empty column is black, a missing value the mean of its column).
    """
    low, high = np.array(in_threads(extent, records.T, records.size)).reshape(-1, 2).T
    varies = low < high
    if not np.any(low <= high):  # nothing is observed
        return records.copy()
    bottom, top = (low, high) if scale == "column" else (low.min(), high.max())
    scaled = top > bottom
    bottom, width = np.where(scaled, bottom, 0.0), np.where(scaled, top - bottom, 1.0)
    is_complete = not has_missing(records)
    # The means that fill gaps are sums of whole records, in their order.
    filled = records if is_complete else fill_missing(np.ascontiguousarray(records))
    masked = np.empty(records.shape, order="F")

    def compress(start: int, stop: int) -> None:
        rows = slice(start, stop)
        before = np.ascontiguousarray(filled[rows])
        grey = np.where(scaled, np.clip(np.rint(255.0 * (before - bottom) / width), 0.0, 255.0), 0.0)
        values = np.clip(bottom + compress_image(grey, quality) * width / 255.0, low, high)
        if is_complete and varies.all():
            masked[rows] = values
        else:
            masked[rows] = np.where(np.isnan(records[rows]) | ~varies, records[rows], values)

    over_blocks(compress, len(records), block=_ROWS)
    return masked


def compress_image(grey: Floats, quality: int) -> Floats:
    """Quantise the cosine transform of each 8 x 8 block of grey levels 0 to 255, and transform back."""
    rows, columns = grey.shape
    padded = np.pad(grey, ((0, -rows % SIDE), (0, -columns % SIDE)), mode="edge") - 128.0
    blocks = padded.reshape(padded.shape[0] // SIDE, SIDE, padded.shape[1] // SIDE, SIDE).swapaxes(1, 2)
    cosine, steps = _cosines(), quantisation_steps(quality)
    levels = _whole(cosine @ blocks @ cosine.T / steps)
    restored = cosine.T @ (levels * steps) @ cosine
    image = restored.swapaxes(1, 2).reshape(padded.shape)[:rows, :columns]
    return np.clip(_whole(image + 128.0), 0.0, 255.0)


def _whole(values: Floats) -> Floats:
    """The nearest whole numbers, with halves to the even one, despite floating-point error in the last digit."""
    return np.rint(np.round(values, 9))


def quantisation_steps(quality: int) -> Floats:
    """Scale the luminance table to a quality, as the Independent JPEG Group does."""
    if not 1 <= quality <= 100:
        raise ValueError(f"The quality of JPEG must lie between 1 and 100; it is {quality}.")
    percent = 5000 // quality if quality < 50 else 200 - 2 * quality
    return np.clip(np.floor((percent * LUMINANCE + 50) / 100), 1.0, 255.0)


def principal_order(records: Floats) -> NDArray[np.intp]:
    """Order records along the first principal component of their standardised columns, so that neighbours are alike."""
    filled = fill_missing(records)
    centred = filled - filled.mean(axis=0)
    scale = np.sqrt((centred**2).mean(axis=0))
    standard = centred / np.where(scale > 0, scale, 1.0)
    first = np.linalg.eigh(standard.T @ standard)[1][:, -1]
    return stable_order(standard @ first * (1.0 if first.sum() >= 0 else -1.0))


def _cosines() -> Floats:
    """The orthonormal matrix of the discrete cosine transform of length eight."""
    k, i = np.mgrid[0:SIDE, 0:SIDE]
    matrix = np.sqrt(2.0 / SIDE) * np.cos(np.pi * (2 * i + 1) * k / (2 * SIDE))
    matrix[0] /= np.sqrt(2.0)
    return np.asarray(matrix, dtype=np.float64)
