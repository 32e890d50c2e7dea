import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import CHUNK, Secret
from ammg.errors import InputError


def sampled(data: object, fraction: float, secret: int = 1, **options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.Sampling(fraction=fraction, **options)]).run(data, secret)


def numbers(n: int) -> pl.DataFrame:
    return pl.DataFrame({"x": np.arange(n), "w": np.full(n, 2.5)})


@pytest.mark.parametrize(("n", "fraction", "size"), [(10, 0.8, 8), (1000, 0.333, 333), (3, 1.0, 3), (1, 0.6, 1)])
def test_the_sample_has_exactly_the_share_asked_for(n: int, fraction: float, size: int) -> None:
    masked = sampled(numbers(n), fraction)
    assert len(masked.table) == size
    assert masked.table["x"].to_list() == masked.link.tolist()


def test_records_that_stay_keep_their_values_and_their_order(patients: ammg.Microdata) -> None:
    masked = sampled(patients, 0.8)
    assert masked.table.equals(patients.table[masked.link])


def test_weights_grow_so_that_their_total_is_kept() -> None:
    data = ammg.Microdata(numbers(700)).with_roles(weight="w")
    assert sampled(data, 0.3).table["w"].sum() == pytest.approx(700 * 2.5)


def test_every_record_has_the_same_chance() -> None:
    kept = sum(
        np.isin(np.arange(20), sampled(numbers(20), 0.25, secret).link).astype(int)
        for secret in map(Secret.known, range(200))
    )
    # 200 secrets at a chance of 1/4: a deviation of 6.1, and 20 records.
    assert np.abs(kept - 50).max() < 4 * np.sqrt(200 * 0.25 * 0.75)


def test_a_sample_over_chunks_has_the_size_of_the_whole() -> None:
    assert len(sampled(numbers(CHUNK + 100), 0.5).table) == (CHUNK + 100) // 2


def test_a_fraction_that_keeps_nobody_is_refused() -> None:
    with pytest.raises(InputError, match=r"fraction of 0\.01 keeps none of the 10 records"):
        sampled(numbers(10), 0.01)


def test_columns_mean_nothing_to_sampling_and_are_refused(patients: ammg.Microdata) -> None:
    with pytest.raises(InputError, match="sampling keeps or drops whole records: remove `columns`"):
        sampled(patients, 0.8, columns=["Age"])


def test_an_empty_file_stays_empty() -> None:
    assert len(sampled(numbers(0), 0.5).table) == 0


# AMMG's appendix (Truta, Fotouhi and Barth-Jones 2003): microaggregate Age with k = 2, then keep 80 %.


def appendix(data: ammg.Microdata, secret: int) -> list[float]:
    steps = [ammg.UnivariateMicroaggregation(columns=["Age"], k=2), ammg.Sampling(fraction=0.8)]
    return ammg.Pipeline(steps).run(data, secret).table["Age"].to_list()


def test_eight_patients_of_the_appendix_are_left(patients: ammg.Microdata) -> None:
    ages = appendix(patients, 1)
    assert len(ages) == 8
    assert set(ages) <= {30, 44, 44.5, 50, 55}


def test_sampling_after_microaggregation_can_break_a_pair(patients: ammg.Microdata) -> None:
    broken = [
        secret
        for secret in map(Secret.known, range(10))
        if any(appendix(patients, secret).count(age) == 1 for age in (30, 44, 55))
    ]
    assert broken
    assert len(broken) < 10
