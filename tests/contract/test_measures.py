"""Every registered measure keeps the contract. A new measure is covered with no change here."""

from __future__ import annotations

import numpy as np
import pytest

from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels import blocks, threads
from ammg.measures.measure import Measure
from ammg.testing import MEASURE_CHECKS
from ammg.testing.samples import sample_pairs

NOT_DEFINED_ON_SAMPLES = {
    "group_sum_linkage": "needs noise within groups",
    "hierarchical_t_closeness": "needs a hierarchy",
    "household_linkage": "needs households",
    "household_risk": "needs households",
    "swap_partner_linkage": "needs published partners of swaps",
}


@pytest.mark.parametrize("check", MEASURE_CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("unit", registry.units("measures").values(), ids=registry.units("measures"))
def test_the_contract_of_measures(unit: type[Measure], check: object) -> None:
    check(unit())  # type: ignore[operator]


@pytest.mark.parametrize("unit", registry.units("measures").values(), ids=registry.units("measures"))
def test_three_threads_measure_what_one_measures(unit: type[Measure], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 0)
    monkeypatch.setattr(blocks, "ROWS", 16)
    compared = 0
    for pair in sample_pairs("missing").values():
        found = []
        for processors in (1, 3):
            monkeypatch.setattr("os.cpu_count", lambda processors=processors: processors)
            files = Pair(pair.original, pair.masked, pair.link, pair.published, again=pair.again)
            try:
                found.append(unit().measure(files, Scenario()))
            except NotDefined as reason:
                found.append(reason)
        one, three = found
        assert repr(one) == repr(three)
        if isinstance(one, NotDefined):
            continue
        if one.people.by_record is not None:
            assert np.array_equal(one.people.by_record, three.people.by_record, equal_nan=True)
        compared += 1
        if compared == 3:
            break
    assert (compared == 0) == (unit().name in NOT_DEFINED_ON_SAMPLES)
