"""What a release tells of known values besides showing them: by columns beside them, by new names, by last digits."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Role
from ammg.data.pair import Pair
from ammg.kernels.threads import in_threads
from ammg.measures.linkage.intruder import Knowledge, Search

if TYPE_CHECKING:
    from ammg.kernels.linkage.value_signs import Sign, Told

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST = 400  # pairs of a known and a released column that are looked at

_TELLING = (Role.KEY, Role.CONFIDENTIAL, Role.OTHER, Role.WEIGHT, Role.STRATUM)


class Signs:
    """For each known attribute the signs that may tell it: those of columns beside it, and those of its own digits."""

    def __init__(self, pair: Pair, search: Search) -> None:
        from ammg.kernels.linkage.value_signs import Sign, last_digits

        known = search.known
        released = [codes[search.records] for codes in beside_codes(pair, known.names).values()]
        self.of: list[list[Sign]] = []
        for position in range(len(known.names)):
            own = _classes(known, position, masked=False)
            signs = [Sign(own, seen) for seen in released[: MOST // len(known.names)]]
            if not known.categorical[position]:
                signs.append(Sign(own, _classes(known, position, masked=True)))
            self.of.append(signs)
            if not known.categorical[position]:
                self.of.append(last_digits(known.original[:, position], known.masked[:, position]))

    def told(self, teachers: Ints) -> list[Told]:
        """The sign that tells most of each attribute, as its pairs teach it."""
        from ammg.kernels.linkage.value_signs import learn_sign

        learned = [[told for sign in signs if (told := learn_sign(sign, teachers))] for signs in self.of]
        return [max(some, key=lambda told: told.worth) for some in learned if some]


def _classes(known: Knowledge, position: int, *, masked: bool) -> Ints:
    from ammg.kernels.linkage.value_signs import classes

    column = (known.masked if masked else known.original)[:, position]
    if not known.categorical[position]:
        return classes(column)
    return np.where(np.isnan(column), -1, column).astype(np.int64)


def beside_codes(pair: Pair, known: Container[str]) -> dict[str, Ints]:
    """The released columns of which the intruder knows no original, as codes, in the order of their names."""
    from ammg.kernels.linkage.value_signs import classes

    def codes(attribute: Attribute) -> Ints:
        if attribute.is_categorical:
            return pair.codes(attribute.name, masked=True)[0].astype(np.int64)
        return classes(pair.masked.block([attribute.name]).numbers(attribute.name))

    told = [
        attribute
        for attribute in sorted(pair.masked.schema, key=lambda attribute: attribute.name)
        if attribute.name not in known and attribute.role in _TELLING and not attribute.pseudonymous
        if attribute.is_categorical or attribute.is_numeric
    ]
    found = in_threads(codes, told, pair.t * len(told))
    return {attribute.name: column for attribute, column in zip(told, found, strict=True)}
