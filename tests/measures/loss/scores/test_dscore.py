import pytest

import ammg
from ammg.errors import InputError


def test_dscore_is_fifty_times_loss_and_re_identification(census_data: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.RankSwapping(columns=census_data.columns, p=15)]).run(census_data, 1)
    found = ammg.evaluate(masked, ["dscore", "s1", "distance_linkage"])
    assert found.value("dscore") == pytest.approx(50 * (found.value("s1") + found.value("distance_linkage")))
    assert found["dscore"].facts == {"s1": found.value("s1"), "distance_linkage": found.value("distance_linkage")}


def test_dscore_of_the_file_itself_is_that_of_re_identifying_everybody(census_data: ammg.Microdata) -> None:
    assert ammg.evaluate(census_data, "dscore").value("dscore") == pytest.approx(50)


def test_a_loss_is_no_re_identification() -> None:
    with pytest.raises(InputError, match="'il1' measures loss, not risk"):
        ammg.Dscore(reidentification="il1")
