from __future__ import annotations

import numpy as np
import pytest
from scipy.fft import dctn, idctn

from ammg.kernels.loss.information_loss import average, il1s_entries
from ammg.kernels.noise.jpeg import compress_image, compress_records, principal_order, quantisation_steps


def test_a_block_goes_through_the_cosine_transform_of_scipy():
    grey = np.random.default_rng(0).integers(0, 256, (8, 8)).astype(float)
    steps = quantisation_steps(30)
    expected = idctn(np.rint(dctn(grey - 128, norm="ortho") / steps) * steps, norm="ortho") + 128
    np.testing.assert_array_equal(compress_image(grey, 30), np.clip(np.rint(expected), 0, 255))


def test_blocks_do_not_touch_each_other_and_edges_are_replicated():
    grey = np.random.default_rng(1).integers(0, 256, (20, 13)).astype(float)
    whole = compress_image(grey, 40)
    np.testing.assert_array_equal(whole[8:16, :8], compress_image(grey[8:16, :8], 40))
    np.testing.assert_array_equal(whole[16:, 8:], compress_image(grey[16:, 8:], 40))


def test_quality_scales_the_table_of_the_standard():
    assert quantisation_steps(50)[0, 0] == 16
    assert quantisation_steps(100).max() == 1
    assert quantisation_steps(10)[0, :3].tolist() == [80, 55, 50]
    assert quantisation_steps(1).min() == 255
    with pytest.raises(ValueError, match="between 1 and 100"):
        quantisation_steps(0)


def test_best_quality_is_off_by_at_most_two_grey_levels(census):
    masked = compress_records(census, 100)
    level = (census.max(axis=0) - census.min(axis=0)) / 255
    assert (np.abs(masked - census) / level).max() <= 2.0


@pytest.mark.parametrize("scale", ["column", "global"])
def test_values_stay_in_range_and_constants_and_missing_values_as_they_are(census, scale):
    records = np.column_stack([census[:50], np.full(50, 3.0), np.full(50, np.nan)])
    records[7, 2] = np.nan
    masked = compress_records(records, 10, scale)
    assert (masked[:, 13] == 3).all()
    assert (np.isnan(masked) == np.isnan(records)).all()
    assert (np.nanmin(masked[:, :13], axis=0) >= np.nanmin(records[:, :13], axis=0)).all()
    assert (np.nanmax(masked[:, :13], axis=0) <= np.nanmax(records[:, :13], axis=0)).all()


@pytest.mark.parametrize("scale", ["column", "global"])
def test_constant_and_empty_columns_are_black_whatever_their_unit(census, scale):
    records = census[:64, :3] + 1e6
    low, high = records.min(axis=0), records.max(axis=0)
    bottom, top = (low, high) if scale == "column" else (low.min(), high.max())
    grey = np.insert(np.rint(255 * (records - bottom) / (top - bottom)), 1, 0.0, axis=1)
    expected = np.clip(bottom + np.delete(compress_image(grey, 50), 1, axis=1) * (top - bottom) / 255, low, high)
    for value in (3.0, 1e12, np.nan) if scale == "column" else (np.nan,):
        whole = np.insert(records, 1, value, axis=1)
        np.testing.assert_allclose(np.delete(compress_records(whole, 50, scale), 1, axis=1), expected, rtol=1e-12)


def test_losses_on_census_are_those_of_the_prototype(census, shared):
    lines = (shared / "spec" / "targets" / "mateo_prototype_values.csv").read_text().splitlines()
    published = {line.split(",")[1]: float(line.split(",")[4]) for line in lines if line.startswith("CENSUS")}
    for quality in (10, 50, 90):
        loss = average(il1s_entries(census, compress_records(census, quality)))
        assert loss == pytest.approx(published[f"J{quality}"], abs=0.002)


def test_neighbours_along_the_principal_component_lose_less(census):
    order = principal_order(census)
    masked = np.empty_like(census)
    masked[order] = compress_records(census[order], 50)
    assert average(il1s_entries(census, masked)) < 0.9 * average(il1s_entries(census, compress_records(census, 50)))


def test_an_empty_file_stays_empty():
    assert compress_records(np.empty((0, 3)), 50).shape == (0, 3)


@pytest.mark.parametrize(("grey", "restored"), [(129, 128), (131, 132), (125, 124), (133, 132)])
def test_a_coefficient_halfway_between_two_levels_goes_to_the_even_one(grey, restored):
    """A block of one grey g has the coefficient 8 (g - 128) alone, in steps of 16."""
    assert (compress_image(np.full((8, 8), float(grey)), 50) == restored).all()
