"""Random new identifiers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ammg.data.attribute import Attribute, Kind
from ammg.data.block import Column
from ammg.draws import Draws
from ammg.methods.identifiers.pseudonyms import IdentifierReplacement, renamed
from ammg.params import param


class RandomIds(IdentifierReplacement):
    """Replace identifiers by numbers 1 to D in random order.

    Each distinct identifier gets one number, so households and persons with several records stay together; other
    columns, tables and runs get different numbers, so nothing can be joined. The numbers reveal how many identifiers
    there are. An intruder can still link by the other attributes. Source: ENISA (2019), Pseudonymisation techniques and
    best practices, section 5.1 (random numbers).
    """

    also_called: ClassVar[tuple[str, ...]] = ("CreateNewID",)

    first: int = param(1, "The smallest number.", ge=0)

    def replaced(self, attribute: Attribute, values: list[Any], draws: Draws) -> tuple[Attribute, Column]:
        """A random permutation of the numbers."""
        numbers = draws.generator(attribute.name).permutation(len(values)) + self.first
        return renamed(attribute).replace(kind=Kind.INTEGER, categories=None), numbers.astype(np.float64)
