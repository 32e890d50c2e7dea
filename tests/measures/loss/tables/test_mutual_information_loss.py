import pytest
from beside import found

import ammg


def test_independence_loses_all_that_attributes_told_of_each_other() -> None:
    before = {"a": list("xxyy"), "b": list("uuvv")}
    result = found(ammg.MutualInformationLoss(), before, {"a": list("xxyy"), "b": list("uvuv")})
    assert result.value == pytest.approx(1)
    assert (result.facts["bits"], result.facts["bits_masked"]) == (pytest.approx(1), pytest.approx(0))


def test_scikit_learn_finds_the_same() -> None:
    import numpy as np
    from sklearn.metrics import mutual_info_score

    a, b, c = list("xxyyzzxy"), list("uuvvuvuv"), list("uvvvuvuu")
    first, second = (mutual_info_score(a, other) / np.log(2) for other in (b, c))
    result = found(ammg.MutualInformationLoss(), {"a": a, "b": b}, {"a": a, "b": c})
    assert result.value == pytest.approx(abs(first - second) / first)


def test_attributes_that_tell_nothing_of_each_other_have_no_such_loss() -> None:
    columns = {"a": list("xxyy"), "b": list("uvuv")}
    reason = "no two attributes are associated in the original"
    assert found(ammg.MutualInformationLoss(), columns, columns).reason == reason
