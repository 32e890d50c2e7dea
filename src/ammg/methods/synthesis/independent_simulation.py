"""Artificial records with independent attributes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.methods.synthesis.margins import Margin, margin_groups
from ammg.methods.synthesis.simulation import SimulationMethod
from ammg.methods.synthesis.units import Units

Ints = NDArray[np.int64]


class IndependentSimulation(SimulationMethod):
    """Add artificial records whose attributes are drawn independently from the real ones.

    Keeps the marginal distribution of each attribute (weighted if there are weights, whose total stays) and all real
    records. Breaks all relations between attributes in the artificial records, so that they can often be recognised. An
    artificial household has the size of a real one, attributes of a household of that size, and members drawn from
    those in the same place. Totals in rules are computed; other rules are met by redrawing, and after 20 draws by a
    donor. Risks assume that an intruder recognises artificial records, except `target_unit`, which follows the AMMG
    paper. Source: Truta, Fotouhi and Barth-Jones (2003), section 3, simulated factor.
    """

    model: ClassVar[str] = "independent"

    def fitted(
        self, block: Block, units: Units, shared: Mapping[str, bool], computed: Collection[str]
    ) -> IndependentModel:
        """The margins."""
        groups, weight = margin_groups(units), block.schema.weight
        weights = None if weight is None else block.numbers(weight)
        margins = {
            name: Margin.of(block.numbers(name), *groups[home], None if name == weight else weights)
            for name, home in shared.items()
        }
        return IndependentModel(margins, shared)


class IndependentModel:
    """Every column from its own margin."""

    def __init__(self, margins: Mapping[str, Margin], shared: Mapping[str, bool]) -> None:
        self.margins, self.shared = margins, shared

    def draw(self, templates: Ints, homes: Ints, rng: np.random.Generator) -> dict[str, Ints]:
        """A value of one real record for each column."""
        count = int(homes.max(initial=-1)) + 1
        drawn = {}
        for name, margin in self.margins.items():
            chance = rng.random(count)[homes] if self.shared[name] else rng.random(len(templates))
            drawn[name] = margin.positions(templates, chance)
        return drawn
