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
    """Maximal disclosure risk DRmax: mean of one over the size of each record's equivalence class.

    The facts also give DRmin, which counts only unique records, and DRW, which weights classes of size 1, 2, ... If the
    release is a sample, the classes are those of the original file. Source: Truta, Fotouhi and Barth-Jones (2003),
    Disclosure Risk Measures for Microdata.
    """

    weights: tuple[float, ...] = param((1.0, 0.5, 0.25), "Weights of classes of size 1, 2, ..., not increasing.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count the clusters of the known attributes."""
        from ammg.criteria.cluster_risk import cluster_risk

        key = released_key(pair, scenario)
        sizes = key.cells.frequencies
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
