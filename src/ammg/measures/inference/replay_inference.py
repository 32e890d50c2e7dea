"""Attribute inference by replays of the recipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.measures.inference.attribute_inference import AttributeInference, agreeing_guesses
from ammg.measures.linkage.intruder import Knowledge, Search
from ammg.measures.linkage.replay_linkage import learned
from ammg.measures.linkage.replays import Replays, replayed, spread_of
from ammg.params import param

if TYPE_CHECKING:
    from ammg.kernels.inference.nearest_guess import Right

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class ReplayInference(AttributeInference):
    """How much better confidential values are guessed by repeating the published methods than by chance.

    The intruder repeats the published methods on the known attributes of everybody, learns how a released record
    depends on the person, and takes the confidential values of the most probable record over all matchings. The value
    is (right - baseline) / (1 - baseline) as in attribute inference, averaged over attributes. Without published
    methods, or with too many pairs, the nearest record is taken as there. If the nearest record guesses an attribute
    better, that counts: an intruder may ignore the description. Source: in the manner of Giomi et al. (2023).
    """

    most_pairs: float = param(2e7, "With more pairs of records than this, nothing is replayed.", gt=0)

    def _guessed(
        self, files: Pair, known: Knowledge, people: Ints, secret: Knowledge, wanted: Ints, reaches: Sequence[Floats]
    ) -> Right:
        found = super()._guessed(files, known, people, secret, wanted, reaches)
        if files.again is None or float(files.n) * files.t > self.most_pairs:
            return found
        search = Search.of(known, np.full(files.t, -1, dtype=np.int64))  # nothing of the truth is at hand
        replays = replayed(files, search)
        best = list(found.nearest)
        row_of = np.empty(files.n, dtype=np.int64)
        row_of[search.people] = np.arange(files.n)
        alike = _first_alike(known.masked, secret)
        for guess in self._records(files, search, replays):
            records = alike[search.records[guess[row_of[people]]]]
            for place, reach in enumerate(reaches):
                replay = agreeing_guesses(secret, secret.masked[records], wanted, reach)
                best[place] = np.where(replay.sum(axis=0) > best[place].sum(axis=0), replay, best[place])
        return found._replace(nearest=best)

    def _records(self, files: Pair, search: Search, replays: Replays) -> Iterator[Ints]:
        """The released record, in the order of the search, that each person most probably has.

        By the law of all draws and, if chance changes little, also by the usual draw.
        """
        from ammg.kernels.linkage.nearest import k_nearest
        from ammg.kernels.matching.likely_assignment import share_out

        if replays.varies:
            yield np.asarray(share_out(learned(files, search, replays)[1]).argmax(axis=0))
        if replays.varies and not replays.seems_exact:
            return
        spread = spread_of(replays.draws[0][:, None, :])
        scale = np.where(spread > 0, spread, 1.0)
        masked = replays.known.masked / scale
        yield np.asarray(k_nearest(masked, replays.draws[0] / scale, 1)[0][:, 0])


def _first_alike(known: Floats, secret: Knowledge) -> Ints:
    """For each record, of those that look the same, the one whose confidential values come first.

    Which of them is guessed must not depend on the order of records, columns or categories.
    """
    from ammg.kernels.linkage.value_order import order_values

    secret = secret.only(sorted(secret.names))
    values = order_values(secret.original, secret.masked, secret.categorical)[1]
    values = [np.where(np.isnan(shown), -np.inf, column) for column, shown in zip(values, secret.masked.T, strict=True)]
    plain = np.nan_to_num(known, nan=-np.inf)
    alike = np.unique(plain, axis=0, return_inverse=True)[1].reshape(-1)
    order = np.lexsort((*values[::-1], alike))
    starts = np.concatenate([[True], np.diff(alike[order]) > 0]) if len(order) else np.zeros(0, dtype=bool)
    first = np.zeros(int(alike.max(initial=-1)) + 1, dtype=np.int64)
    first[alike[order[starts]]] = order[starts]
    return first[alike]
