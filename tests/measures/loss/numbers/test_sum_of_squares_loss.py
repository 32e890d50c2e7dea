import pytest
from columns_beside import loss_by

import ammg


def test_squared_changes_are_divided_by_the_total() -> None:
    assert loss_by(ammg.SumOfSquaresLoss(), [[0, 2, 4]], [[1, 2, 4]]).value == pytest.approx(1 / 8)


def test_the_mean_in_every_place_loses_everything() -> None:
    assert loss_by(ammg.SumOfSquaresLoss(), [[0, 2, 4], [1, 5, 9]], [[2] * 3, [5] * 3]).value == pytest.approx(1)


def test_a_suppressed_cell_is_charged_as_the_released_mean() -> None:
    assert loss_by(ammg.SumOfSquaresLoss(), [[0, 2, 4]], [[0, 2, None]]).value == pytest.approx(9 / 8)


def test_a_constant_is_left_out_and_a_file_of_constants_has_no_such_loss() -> None:
    assert loss_by(ammg.SSE(), [[0, 2, 4], [3] * 3], [[1, 2, 4], [4] * 3]).value == pytest.approx(1 / 8)
    assert loss_by(ammg.SSE(), [[3] * 3], [[4] * 3]).reason == "no numeric attribute varies"


@pytest.mark.parametrize(("k", "published"), [(3, 5.69), (5, 9.09), (10, 14.16)])
def test_mdav_on_census_loses_what_is_published(census_data: ammg.Microdata, k: int, published: float) -> None:
    # Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé (2006), Table 1: 100·SSE/SST of MDAV on CENSUS.
    masked = ammg.Pipeline([ammg.Mdav(columns=census_data.columns, k=k)]).run(census_data, 1)
    assert 100 * ammg.evaluate(masked, ["sse"]).value("sse") == pytest.approx(published, abs=0.05)
