"""Disclosure risk from key clusters, as the AMMG papers define it."""

from __future__ import annotations

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError
from ammg.measures.anonymity.released_key import originals_like, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People
from ammg.params import param


class ClusterRisk(Risk):
    """Maximal disclosure risk DRmax: one over the size of each record's key cluster, on average.

    Beside it DRmin, which counts only records alone in their cluster, and DRW, which lets clusters of size 1, 2, ...
    count by weight. In a file that is a sample of the original the clusters are those of the original.
    Source: Truta, Fotouhi and Barth-Jones (2003), Disclosure Risk Measures for Microdata.
    """

    weights: tuple[float, ...] = param((1.0, 0.5, 0.25), "Weights of clusters of size 1, 2, ...; none increases.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count the clusters of the known attributes."""
        from ammg.criteria.cluster_risk import cluster_risk
        from ammg.kernels.anonymity.cells import count_cells

        key = released_key(pair, scenario)
        sizes = count_cells(key.codes, key.sizes).frequencies
        if pair.sampling_factor < 1:
            sizes = np.maximum(sizes, originals_like(pair, key).astype(np.int64))
        try:
            found = cluster_risk(sizes, self.weights)
        except ValueError as error:
            raise InputError(str(error)) from None
        return Measurement(
            value=found.maximal,
            facts={"keys": key.names, "DRmin": found.minimal, "DRW": found.weighted, "DRmax": found.maximal},
            people=People(1.0 / sizes, riskiest=key.riskiest(np.where(sizes == 1, 1.0, 0.0))),
        )
