import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError


def test_means_covariances_and_identities_are_kept_to_nine_digits(census_data) -> None:
    original = census_data.table.to_numpy().astype(float)
    masked = ammg.Pipeline([ammg.RandomOrthogonalMasking(strength=2)]).run(census_data, secret=1).table.to_numpy()
    scale = original.std(axis=0)
    assert (np.abs(masked.mean(axis=0) - original.mean(axis=0)) / scale).max() < 1e-9
    assert np.abs((np.cov(masked.T) - np.cov(original.T)) / np.outer(scale, scale)).max() < 1e-9
    assert np.abs(masked[:, 4] - masked[:, 7] - masked[:, 9]).max() < 1e-9 * np.abs(masked).max()


def test_a_regression_on_the_masked_file_is_the_one_on_the_original(census_data) -> None:
    original = census_data.table.to_numpy().astype(float)
    masked = ammg.Pipeline([ammg.RandomOrthogonalMasking()]).run(census_data, secret=1).table.to_numpy()
    fits = [
        np.linalg.lstsq(np.column_stack([np.ones(1080), file[:, [2, 3]]]), file[:, 1], rcond=None)[0]
        for file in (original, masked)
    ]
    np.testing.assert_allclose(fits[1], fits[0], rtol=1e-7)


def test_strength_rules_how_much_of_a_value_is_left(census_data) -> None:
    original = census_data.table.to_numpy().astype(float)
    for strength in (0.2, 1.0, 5.0):
        masked = ammg.Pipeline([ammg.RandomOrthogonalMasking(strength=strength)]).run(census_data, secret=1)
        kept = np.corrcoef(original[:, 1], masked.table.to_numpy()[:, 1])[0, 1]
        assert kept == pytest.approx(1 / np.sqrt(1 + strength**2), abs=0.09)


def test_missing_values_stay_and_the_owner_is_told() -> None:
    data = pl.DataFrame({"a": [1.0, 2.0, None, 4.0, 9.0, 3.0], "b": [3.0, 1.0, 4.0, 1.0, 5.0, 9.0]})
    run = ammg.Pipeline([ammg.RandomOrthogonalMasking()]).run(data, secret=1)
    assert run.table["a"].is_null().to_list() == data["a"].is_null().to_list()
    assert "column means" in run.steps[0].notes[0]


def test_a_file_as_short_as_it_is_wide_is_refused(census_data) -> None:
    with pytest.raises(InputError, match="13 columns need more than 14 records, there are 14"):
        ammg.Pipeline([ammg.RandomOrthogonalMasking()]).run(census_data.table.head(14))


def test_records_of_no_weight_do_not_make_a_file_longer_than_it_is_wide() -> None:
    table = pl.DataFrame({"a": np.arange(20.0), "b": np.arange(20.0) ** 2, "w": [1.0] * 3 + [0.0] * 17})
    data = ammg.Microdata(table).with_roles(weight="w")
    with pytest.raises(InputError, match="2 columns need more than 3 records of positive weight, there are 3"):
        ammg.Pipeline([ammg.RandomOrthogonalMasking(columns=["a", "b"])]).run(data, secret=1)


@pytest.mark.parametrize(("strength", "most"), [(0.3, 1.0), (1.0, 0.5)])
def test_whoever_knows_the_strength_finds_records_as_behind_rescaled_noise(census_data, strength, most) -> None:
    run = ammg.Pipeline([ammg.RandomOrthogonalMasking(strength=strength)]).run(census_data, secret=1)
    original, turned = (table.to_numpy().astype(float) for table in (census_data.table, run.table))
    mean = original.mean(axis=0)
    noisy = mean + (turned - mean) * np.sqrt(1 + strength**2)
    inverse = np.linalg.pinv(np.corrcoef(original, rowvar=False), rcond=1e-10, hermitian=True)
    deviation = original.std(axis=0)
    gaps = ((noisy[:, None] - original[None]) / deviation).reshape(-1, original.shape[1])
    distances = np.einsum("ij,ij->i", gaps @ inverse, gaps).reshape(len(noisy), -1)
    found = np.mean(distances.argmin(axis=1) == np.arange(len(noisy)))
    measured = ammg.evaluate(run.pair, ["noise_law_linkage"], before=False)["noise_law_linkage"]
    rates = measured.tables["ways"].lookup("way", "rate")
    assert rates["most_probable"] == pytest.approx(found, abs=0.002)
    assert 0.15 < found < most
