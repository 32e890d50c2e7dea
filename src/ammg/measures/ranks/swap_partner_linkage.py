"""The attack on swaps that trade places."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.published import Published, RankWindow
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt, Cost
from ammg.measures.linkage.intruder import Search
from ammg.measures.linkage.replay_linkage import learned, linked
from ammg.measures.linkage.replays import replayed
from ammg.measures.ranks.windows import DEVIATIONS, Window, blurs_of, log_windows, windows_of

if TYPE_CHECKING:
    from ammg.kernels.ranks.blurred_partners import Blurred

OWNED = 0.5  # share of the released values that somebody owned: beyond it they were swapped as they are
LEAST_BLUR = 1e-300


class SwapPartnerLinkage(Attack):
    """Share of released records re-identified by an intruder who follows swap partners from column to column.

    A record with somebody else's value has given its own value to that person: evidence for one pair of record and
    person is also evidence for the pair of their partners, who differ from column to column. Beliefs start from rank
    windows, or from replays, and are passed between partners until they settle; links go to the most likely person, and
    one to one. If noise, rounding or averaging came before or after the swap, the possible owners of a value are
    weighted by how far it may have moved. The attack re-identifies all of CENSUS at p = 15, 40 and 70, where rank
    windows find 98, 14 and 0.5 percent. It needs the whole population and values that occur once. It is not in the
    literature.
    """

    works_on: ClassVar[type[Published] | None] = RankWindow
    refusal: ClassVar[str] = "no swap in pairs is published for a known attribute"

    @property
    def cost(self) -> Cost:
        """All pairs, in many rounds."""
        return Cost.REPLAYS

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Pass beliefs between partners."""
        from ammg.kernels.ranks.swap_partners import pass_beliefs, value_classes

        traded = {
            name: Window(reach, told.within, told.among)
            for told in pair.published
            if isinstance(told, RankWindow) and told.trade
            for name, reach in zip(told.columns, told.reach, strict=True)
            if name in search.known.names
        }
        if not traded:
            raise NotDefined(self.refusal)
        if not self.compares(pair):
            raise NotDefined(
                "the attack follows partners through the whole file, which is too large; a sample of people "
                "does not suffice"
            )
        sharp, blurred = _columns(pair, search, list(traded))
        some = search.known.only(sharp)
        before, after = value_classes(some.original, some.masked)
        attempts = [
            linked(self, pair, search, pass_beliefs(start, before, after, blurred), {"start": name})
            for name, start in self._starts(pair, search, traded).items()
        ]
        return max(attempts, key=lambda attempt: float(attempt.credit[search.origin >= 0].sum()))

    def _starts(self, pair: Pair, search: Search, traded: dict[str, Window]) -> dict[str, NDArray[np.float64]]:
        """Log-likelihoods to start from."""
        starts = {}
        if pair.again is not None:
            replays = replayed(pair, search)
            if replays.varies:
                starts["replays"] = learned(pair, search, replays)[1]
                if not replays.seems_exact:
                    return starts
        windows = windows_of(pair, search.known, traded.items())
        return {**starts, "windows": log_windows(pair, search, windows)}


def _columns(pair: Pair, search: Search, names: list[str]) -> tuple[list[str], list[Blurred]]:
    """The columns whose values were swapped as they are, and those that another step has changed before or after."""
    from ammg.kernels.ranks.blurred_partners import blur_between, blurred_column

    sharp, blurred = [], []
    for name in names:
        known = search.known.only([name])
        own, shown = known.original[:, 0], known.masked[:, 0]
        blurs = blurs_of(pair, search.known, name) or ()
        if known.categorical[0] or np.isin(shown, own).mean() > OWNED:
            sharp.append(name)
            continue
        spread = np.asarray(sum(blur.amount + blur.share * np.abs(shown) for blur in blurs) / DEVIATIONS)
        if not np.any(spread > 0):  # neither noise nor rounding: averages of neighbours, or what nobody has described
            spread = blur_between(own, shown)
        if (column := blurred_column(own, shown, np.maximum(spread, LEAST_BLUR))) is not None:
            blurred.append(column)
    return sharp, blurred
