"""Prosecutor, journalist and marketer risk from class sizes.

El Emam (2013), Guide to the De-Identification of Personal Health Information.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Frequencies = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True)
class AttackerRisk:
    """The success of one kind of intruder.

    `by_record` is the probability that an attack on the record succeeds, `at_risk` the share of records for which it
    exceeds the threshold, `success` the share of all records correctly re-identified by an attack on the whole file.
    """

    by_record: NDArray[np.float64]
    at_risk: float
    highest: float
    lowest: float
    success: float


def prosecutor_risk(sample: Frequencies, threshold: float = 0.2) -> AttackerRisk:
    """The intruder knows that the target is in the file: 1 over the size of its class."""
    return _risk(1.0 / np.maximum(sample, 1), threshold)


def journalist_risk(sample: Frequencies, population: Frequencies, threshold: float = 0.2) -> AttackerRisk:
    """The intruder holds a register of the population and targets any one person: 1 over the population class.

    `success` is the larger of the two possible attacks, from the register or from the file
    (El Emam 2013).
    """
    risk = _risk(_per_population(sample, population), threshold)
    classes = float(np.sum(1.0 / np.maximum(sample, 1)))
    covered = float(np.sum(population / np.maximum(sample, 1)))  # the population of each class, counted once
    through_register = classes / covered if covered else 0.0
    return AttackerRisk(risk.by_record, risk.at_risk, risk.highest, risk.lowest, max(risk.success, through_register))


def marketer_risk(sample: Frequencies, population: Frequencies | None = None) -> float:
    """The intruder matches the whole file: expected share of correct matches.

    Without a population the register is the file itself; the share is then the number of classes over the records.
    """
    risk = 1.0 / np.maximum(sample, 1) if population is None else _per_population(sample, population)
    return float(risk.mean()) if risk.size else 0.0


def _per_population(sample: Frequencies, population: Frequencies) -> NDArray[np.float64]:
    if np.any(population < sample):
        worst = int(np.argmax(np.asarray(sample) - np.asarray(population)))
        raise ValueError(
            f"A class of {sample[worst]} records has a population of {population[worst]}: "
            "the population must contain the file (weights below one?)."
        )
    return 1.0 / np.maximum(population, 1)


def _risk(by_record: NDArray[np.float64], threshold: float) -> AttackerRisk:
    if not by_record.size:
        return AttackerRisk(by_record, 0.0, 0.0, 0.0, 0.0)
    return AttackerRisk(
        by_record,
        at_risk=float(np.mean(by_record > threshold)),
        highest=float(by_record.max()),
        lowest=float(by_record.min()),
        success=float(by_record.mean()),
    )
