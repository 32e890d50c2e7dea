"""Every registered measure keeps the contract. A new measure is covered with no change here."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels import columns
from ammg.measures.measure import Measure
from ammg.testing import MEASURE_CHECKS
from ammg.testing.samples import sample_pairs


@pytest.mark.parametrize("check", MEASURE_CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("unit", registry.units("measures").values(), ids=registry.units("measures"))
def test_the_contract_of_measures(unit: type[Measure], check: object) -> None:
    check(unit())  # type: ignore[operator]


@pytest.mark.parametrize("unit", registry.units("measures").values(), ids=registry.units("measures"))
def test_three_threads_measure_what_one_measures(unit: type[Measure], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "WORTH_A_THREAD", 0)
    for pair in islice(sample_pairs("missing").values(), 1, 5):
        found = []
        for processors in (1, 3):
            monkeypatch.setattr("os.cpu_count", lambda processors=processors: processors)
            files = Pair(pair.original, pair.masked, pair.link, pair.published, again=pair.again)
            try:
                found.append(unit().measure(files, Scenario()))
            except NotDefined as reason:
                found.append(str(reason))
        one, three = found
        assert repr(one) == repr(three)
        if not isinstance(one, str) and one.people.by_record is not None:
            assert np.array_equal(one.people.by_record, three.people.by_record, equal_nan=True)
