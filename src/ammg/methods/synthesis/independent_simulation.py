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

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SEARCH = 16  # values that are read in the time of a search for one


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
        from ammg.kernels.threads import in_threads

        groups, weight = margin_groups(units), block.schema.weight
        weights = None if weight is None else block.numbers(weight)

        def margin(name: str) -> Margin:
            return Margin.of(block.numbers(name), *groups[shared[name]], None if name == weight else weights)

        margins = in_threads(margin, shared, len(block) * len(shared))
        return IndependentModel(dict(zip(shared, margins, strict=True)), shared)


class IndependentModel:
    """Every column from its own margin."""

    def __init__(self, margins: Mapping[str, Margin], shared: Mapping[str, bool]) -> None:
        self.margins, self.shared = margins, shared

    def draw(self, templates: Ints, homes: Ints, rng: np.random.Generator) -> dict[str, Ints]:
        """A value of one real record for each column."""
        from ammg.kernels.threads import in_threads, processors

        count = int(homes.max(initial=-1)) + 1

        def positions(column: tuple[str, Floats]) -> Ints:
            name, chance = column
            return self.margins[name].positions(templates, chance[homes] if self.shared[name] else chance)

        names, drawn = list(self.shared), dict[str, Ints]()
        for first in range(0, len(names), processors()):  # so that few columns of chances are held at a time
            some = names[first : first + processors()]
            chances = [rng.random(count if self.shared[name] else len(templates)) for name in some]
            values = _SEARCH * len(templates) * len(some)
            found = in_threads(positions, zip(some, chances, strict=True), values)
            drawn.update(zip(some, found, strict=True))
        return drawn
