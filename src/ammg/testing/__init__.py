"""Contract tests that ship with the package, so that a stranger's method or measure passes the same suite.

    import pytest
    from ammg.testing import METHOD_CHECKS

    @pytest.mark.parametrize("check", METHOD_CHECKS)
    def test_my_method_keeps_the_contract(check):
        check(MyMethod(k=3))

A check raises AssertionError with what was expected. It may meet a refusal (an `AmmgError`) wherever the data are too
small or too poor for a unit; any other exception is a failure.
"""

from ammg.testing.laws import LAWS, check_risk_laws
from ammg.testing.measures import MEASURE_CHECKS, check_measure
from ammg.testing.methods import METHOD_CHECKS, check_method
from ammg.testing.samples import sample, sample_pairs

__all__ = [
    "LAWS",
    "MEASURE_CHECKS",
    "METHOD_CHECKS",
    "check_measure",
    "check_method",
    "check_risk_laws",
    "sample",
    "sample_pairs",
]
