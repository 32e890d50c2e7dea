"""What Mateo-Sanz, Sebé and Domingo-Ferrer (2004) say they see in Figures 1 to 10, as tests of the curves.

The figures have no numbers. "Higher" and "lower" are taken to hold when they do at three quarters of the parameters and
on average, "highest" and "lowest" of a family when its average over the parameters is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FAMILIES = ("J", "R", "N", "RS", "M")


@dataclass(frozen=True)
class Curve:
    """One measure of one file: family, parameter, value on all records and on outliers of each masked version."""

    family: tuple[str, ...]
    parameter: Floats
    whole: Floats
    outliers: Floats

    def of(self, family: str) -> Curve:
        """The part of one family of methods."""
        mine = np.array(self.family) == family
        return Curve((family,) * int(mine.sum()), self.parameter[mine], self.whole[mine], self.outliers[mine])

    @property
    def apart(self) -> Floats:
        """Outliers less the whole."""
        return self.outliers - self.whole

    def higher(self, *families: str, slack: float = 0.0) -> bool:
        """Whether outliers have higher values, or values lower by no more than the slack."""
        parts = [self.of(family).apart + slack for family in families]
        return all(np.mean(part >= 0) >= 0.75 and part.mean() >= 0 for part in parts)

    def lower(self, *families: str) -> bool:
        """Whether outliers have lower values."""
        parts = [self.of(family).apart for family in families]
        return all(np.mean(part < 0) >= 0.75 and part.mean() < 0 for part in parts)

    def equal(self, family: str) -> bool:
        """Whether outliers and the whole differ by less than a tenth."""
        part = self.of(family)
        return bool(np.all(np.abs(part.apart) <= 0.1 * part.whole))

    def means(self) -> dict[str, float]:
        """The average of each family on the whole file."""
        return {family: float(self.of(family).whole.mean()) for family in FAMILIES}

    def highest(self, family: str) -> bool:
        """Whether a family has the highest average."""
        return max(self.means(), key=self.means().__getitem__) == family

    def lowest(self, family: str) -> bool:
        """Whether a family has the lowest average."""
        return min(self.means(), key=self.means().__getitem__) == family


Curves = Mapping[tuple[str, str], Curve]


@dataclass(frozen=True)
class Claim:
    """A sentence of section 5; `doubtful` where an independent computation did not find it, or not clearly."""

    data: str
    measure: str
    says: str
    holds: Callable[[Curve, Curve], bool]  # the curve at hand, and that of CENSUS
    doubtful: bool = False

    def judge(self, curves: Curves) -> bool:
        """Whether our curves show what the sentence says."""
        return bool(self.holds(curves[self.data, self.measure], curves["CENSUS", self.measure]))


def _steepest_jpeg(curve: Curve, _: Curve) -> bool:
    place = int(np.argmax(curve.whole))
    return curve.family[place] == "J" and curve.parameter[place] == curve.of("J").parameter.min()


def _far_lower(curve: Curve, census: Curve) -> bool:
    parts = [curve.of(family) for family in ("J", "N")]
    halved = all(part.outliers.mean() < part.whole.mean() / 2 for part in parts)
    return halved and all(curve.means()[family] > 1.5 * census.means()[family] for family in ("J", "N"))


def _either_sign(curve: Curve, _: Curve) -> bool:
    apart = curve.of("R").apart
    return bool((apart > 0).any() and (apart < 0).any())


def _late_groups(curve: Curve, census: Curve) -> bool:
    groups = curve.of("M")
    return bool((groups.whole < census.of("M").whole / 2).all() and groups.apart[-1] > 0)


def _magnified(curve: Curve, census: Curve) -> bool:
    means = curve.means()
    swapped = curve.of("R").apart.mean() > 2 * census.of("R").apart.mean()
    lowest = max(means["RS"], means["M"]) < min(means["J"], means["R"], means["N"])
    return bool(curve.higher("J", "R", "RS", "M") and curve.equal("N") and swapped and lowest)


def _much_higher(curve: Curve, _: Curve) -> bool:
    far = all(curve.of(family).apart.mean() > 20 for family in ("J", "N"))
    return bool(far and np.abs(curve.of("M").apart).mean() < 5)


def _low_swaps(curve: Curve, _: Curve) -> bool:
    swaps = curve.of("R")
    return bool(curve.lower("R") and (swaps.whole[swaps.parameter > 12] < 5).all())


def _ranks(curve: Curve, _: Curve) -> bool:
    return curve.higher("J", "R", "N") and curve.lower("M") and bool((curve.of("RS").whole > 95).all())


def _groups_below_noise(curve: Curve, _: Curve) -> bool:
    return bool(curve.of("M").whole.max() < curve.of("N").whole.min())


def _deviations(curve: Curve, _: Curve) -> bool:
    image = curve.of("J")
    weak = image.apart[image.parameter < 80]
    return curve.lower("R", "RS", "M") and bool((weak < 0).all()) and curve.equal("N")


def _sharper(curve: Curve, census: Curve) -> bool:
    return _deviations(curve, census) and all(
        curve.of(family).apart.mean() < census.of(family).apart.mean() for family in ("R", "RS", "M")
    )


CLAIMS = (
    Claim("CENSUS", "IL1", "JPEG, noise, microaggregation: outliers lower", lambda c, _: c.lower("J", "N", "M")),
    Claim("CENSUS", "IL1", "rank swapping: outliers higher", lambda c, _: c.higher("R")),
    Claim("CENSUS", "IL1", "JPEG with its lowest parameter has the highest loss", _steepest_jpeg),
    Claim("CENSUS", "IL1", "resampling has the lowest loss", lambda c, _: c.lowest("RS")),
    Claim("EIA", "IL1", "JPEG, noise: outliers far lower; whole far above CENSUS", _far_lower),
    Claim("EIA", "IL1", "rank swapping: the sign depends on the parameter", _either_sign),
    Claim("EIA", "IL1", "microaggregation: far below CENSUS; outliers higher for large k", _late_groups),
    Claim("CENSUS", "IL1s", "all but noise: outliers higher", lambda c, _: c.higher("J", "R", "RS", "M")),
    Claim("CENSUS", "IL1s", "noise: outliers equal", lambda c, _: c.equal("N")),
    Claim("EIA", "IL1s", "the same, magnified for rank swapping; resampling, microaggregation lowest", _magnified),
    Claim("CENSUS", "DLD", "JPEG, noise, resampling: outliers higher", lambda c, _: c.higher("J", "N", "RS")),
    Claim("CENSUS", "DLD", "rank swapping, microaggregation: outliers lower", lambda c, _: c.lower("R", "M"), True),
    Claim(
        "CENSUS", "DLD", "resampling highest, microaggregation lowest", lambda c, _: c.highest("RS") and c.lowest("M")
    ),
    Claim("EIA", "DLD", "JPEG, noise: outliers much higher; microaggregation: little difference", _much_higher),
    Claim("EIA", "DLD", "resampling: outliers higher", lambda c, _: c.higher("RS"), True),
    Claim("EIA", "DLD", "rank swapping: outliers lower; very low for p above 12", _low_swaps),
    Claim("CENSUS", "RID", "JPEG, rank swapping, noise: outliers higher; microaggregation lower", _ranks),
    Claim("CENSUS", "RID", "microaggregation always below noise", _groups_below_noise, True),
    Claim("EIA", "RID", "all: outliers higher", lambda c, _: c.higher("J", "R", "N", "M") and c.higher("RS", slack=2)),
    Claim("CENSUS", "SDID", "all but noise and high-quality JPEG: outliers lower", _deviations),
    Claim("CENSUS", "SDID", "resampling highest", lambda c, _: c.highest("RS"), True),
    Claim("EIA", "SDID", "the same, sharper", _sharper),
)
