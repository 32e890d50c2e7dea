"""Every registered measure keeps the contract. A new measure is covered with no change here."""

from __future__ import annotations

import pytest

from ammg import registry
from ammg.measures.measure import Measure
from ammg.testing import MEASURE_CHECKS


@pytest.mark.parametrize("check", MEASURE_CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("unit", registry.units("measures").values(), ids=registry.units("measures"))
def test_the_contract_of_measures(unit: type[Measure], check: object) -> None:
    check(unit())  # type: ignore[operator]
