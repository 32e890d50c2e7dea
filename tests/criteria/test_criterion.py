"""Criteria as values: names, parameters, and the classes that break them."""

from __future__ import annotations

import numpy as np
import pytest

from ammg.criteria.class_sizes import (
    DeltaPresence,
    IndividualRisk,
    KAnonymity,
    KMap,
    PopulationUniqueness,
    UnsafeCombinations,
)
from ammg.criteria.criterion import Classes, Criteria, failing_in, named
from ammg.criteria.distributions import tabulate_cells
from ammg.criteria.sensitive_values import (
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    EqualTCloseness,
    OrderedTCloseness,
    RecursiveLDiversity,
)
from ammg.data.attribute import Attribute, Kind
from ammg.errors import InputError
from ammg.measures.anonymity.distinct_l_diversity import DistinctLDiversity as Measured
from ammg.params import Parameters, param


class Holder(Parameters):
    """Something with criteria."""

    criteria: Criteria = param((), "Criteria.")


def classes() -> Classes:
    """Three classes: (flu 2, cold 2), (flu 4), (flu 1, cold 1)."""
    cells = tabulate_cells(
        np.array([0, 0, 1, 2, 2], np.int32), 3, np.array([0, 1, 0, 0, 1], np.int32), 2, np.array([2, 2, 4, 1, 1])
    )
    illness = Attribute(name="illness", kind=Kind.NOMINAL, categories=("flu", "cold"))
    return Classes(np.array([4, 4, 2]), np.array([40.0, 4.0, 2.0]), {"illness": cells}, {"illness": illness})


@pytest.mark.parametrize(
    ("criterion", "failing"),
    [
        (KAnonymity(k=3), [False, False, True]),
        (KMap(k=5), [False, True, True]),
        (IndividualRisk(threshold=0.1), [False, True, True]),
        (DistinctLDiversity(least=2), [False, True, False]),
        (DistinctLDiversity(least=2, attributes=("job",)), [False, False, False]),
        (EntropyLDiversity(least=2), [False, True, False]),
        (RecursiveLDiversity(rank=2, c=2), [False, True, False]),
        (EqualTCloseness(t=0.25), [False, True, False]),  # the file is 0.7 flu
        (OrderedTCloseness(t=0.25), [False, True, False]),
        (DeltaDisclosure(delta=1), [False, True, False]),
        (BasicBetaLikeness(beta=0.5), [True, False, True]),  # cold rises from 0.3 to 0.5
        (DeltaPresence(most=0.5), [False, True, True]),  # 4 of 40, 4 of 4 and 2 of 2 people are in the file
        (DeltaPresence(most=1, fewest=0.2), [True, False, False]),
    ],
)
def test_the_classes_that_break_a_criterion(criterion: KAnonymity, failing: list[bool]) -> None:
    assert criterion.fails_in(classes()).tolist() == failing


def test_a_measure_is_the_criterion_of_its_name() -> None:
    assert issubclass(Measured, DistinctLDiversity)


def test_criteria_are_read_and_written_by_name() -> None:
    held = Holder(criteria=[{"k_map": 5}, {"equal_t_closeness": {"t": 0.3, "attributes": ["illness"]}}])
    assert held.criteria == (KMap(k=5), EqualTCloseness(t=0.3, attributes=("illness",)))
    assert Holder.model_validate_json(held.model_dump_json()) == held


def test_an_unknown_criterion_gets_a_hint() -> None:
    with pytest.raises(InputError, match=r"Unknown criterion 'k_anonimity'\. Did you mean 'k_anonymity'"):
        named("k_anonimity")


def test_people_cannot_be_counted_without_weights() -> None:
    with pytest.raises(InputError, match="give an attribute the role weight"):
        KMap(k=2).fails_in(Classes(np.array([3])))


def test_merging_classes_never_breaks_a_monotone_criterion() -> None:
    rng = np.random.default_rng(2)
    for criterion in (KAnonymity(k=4), DistinctLDiversity(least=3)):
        assert criterion.is_monotone
        counts = rng.integers(0, 4, (12, 5))
        for _ in range(20):
            kept = [_failing_records(criterion, counts)]
            one, other = rng.choice(len(counts), 2, replace=False)
            merged = np.delete(counts, other, axis=0)
            merged[one - (other < one)] += counts[other]
            kept.append(_failing_records(criterion, merged))
            assert kept[1] <= kept[0]
            counts = merged if len(merged) > 3 else rng.integers(0, 4, (12, 5))


def _failing_records(criterion: KAnonymity | DistinctLDiversity, counts: np.ndarray) -> int:
    place, value = np.nonzero(counts)
    table = tabulate_cells(
        place.astype(np.int32), len(counts), value.astype(np.int32), counts.shape[1], counts[place, value]
    )
    job = Attribute(name="job", kind=Kind.NOMINAL, categories=tuple("abcde"))
    sizes = counts.sum(axis=1)
    seen = Classes(sizes, None, {"job": table}, {"job": job})
    return int(sizes[criterion.fails_in(seen)].sum())


def test_classes_of_one_record_break_population_uniqueness_while_the_estimate_is_too_high() -> None:
    counts = np.repeat([1, 2, 3, 4, 6], [40, 20, 10, 5, 5])
    few, many = Classes(counts, counts * 100.0), Classes(counts, counts * 1.0)
    threshold = PopulationUniqueness(threshold=0.1)
    assert not threshold.fails_in(few).any()
    assert threshold.fails_in(many).tolist() == (counts == 1).tolist()  # the file is the population


def test_combinations_stay_frequent_enough_without_the_classes_that_fail() -> None:
    # Three records share x; once (x, b) has failed, two are left, so that (x, a) fails as well.
    keys = [np.array([0, 0, 1], np.int32), np.array([0, 1, 0], np.int32)]
    classes = Classes(np.array([2, 1, 5]), keys=keys)
    assert failing_in([UnsafeCombinations(k=3, dimension=1)], classes).tolist() == [True, True, False]
    assert failing_in([UnsafeCombinations(k=2, dimension=1)], classes).tolist() == [False, True, False]
    assert failing_in([KAnonymity(k=2), UnsafeCombinations(k=3, dimension=1)], classes).tolist() == [True, True, False]
