"""Moments, extremes and sums of long columns, piece by piece."""

from threading import current_thread, main_thread
from time import sleep

import numpy as np
import pytest

from ammg.errors import Cancelled
from ammg.kernels.blocks import has_spare_processor, over_blocks
from ammg.kernels.columns import (
    PIECE,
    beside,
    covariances,
    extent,
    in_threads,
    median,
    profile,
    sum_absolute_changes,
    sum_entries,
)
from ammg.kernels.pairwise import moments, pairwise_moments
from ammg.progress import reporting, tick

LONG = np.add(np.exp(np.random.default_rng(1).normal(size=(2 * PIECE + 77, 3))), [0.0, 1e6, -50.0])


@pytest.mark.parametrize("column", range(3))
def test_a_profile_has_numpys_moments_and_extremes(column: int) -> None:
    values = LONG[:, column]
    found = profile(values)
    assert found.observed == len(values)
    assert found.mean == pytest.approx(values.mean(), rel=1e-14)
    assert found.sd == pytest.approx(values.std(ddof=1), rel=1e-10 if column == 1 else 1e-13)
    assert (found.least, found.greatest) == extent(values) == (values.min(), values.max())


def test_missing_values_are_left_out() -> None:
    values = LONG[:, 0].copy()
    values[5::7] = np.nan
    values[PIECE : 2 * PIECE] = np.nan
    seen = values[~np.isnan(values)]
    found = profile(values)
    assert (found.observed, found.least, found.greatest) == (len(seen), seen.min(), seen.max())
    assert found.sd == pytest.approx(seen.std(ddof=1), rel=1e-13)
    assert extent(values) == (seen.min(), seen.max())


def test_a_column_without_values_has_no_moments() -> None:
    found = profile(np.full(3, np.nan))
    assert (found.observed, found.size, found.is_constant, found.has_infinite) == (0, 0.0, False, False)
    assert np.isnan([found.mean, found.sd]).all()


def test_equal_values_have_no_variance_whatever_their_mean_is_rounded_to() -> None:
    found = profile(np.full(PIECE + 3, 0.1))
    assert (found.mean, found.sd, found.is_constant) == (0.1, 0.0, True)


def test_infinity_is_noticed() -> None:
    assert profile(np.array([1.0, np.inf])).has_infinite


def test_covariances_are_numpys() -> None:
    columns = list(np.asfortranarray(LONG).T)
    found = covariances(columns, np.array([profile(column).mean for column in columns]))
    assert found == pytest.approx(np.cov(LONG.T), rel=1e-9)


@pytest.mark.parametrize("case", ["complete", "missing", "constant"])
def test_moments_of_columns_are_those_of_records(case: str) -> None:
    records = LONG[:500].copy()
    if case == "missing":
        records[3:40, 1] = np.nan
    if case == "constant":
        records[:, 2] = 0.3
    columns = list(np.asfortranarray(records).T)
    found, expected = moments(columns, [profile(column) for column in columns]), pairwise_moments(records)
    assert found.mean == pytest.approx(expected.mean, rel=1e-13)
    assert found.cov == pytest.approx(expected.cov, rel=1e-9, abs=1e-12)


def test_entries_add_up_without_undefined_ones() -> None:
    first, second = LONG[:, 0].copy(), LONG[:, 1]
    first[::5] = np.nan
    found = sum_entries(first, second, lambda x, z: x - z)
    assert found.defined == np.count_nonzero(~np.isnan(first))
    assert found.total == pytest.approx(np.nansum(first - second), rel=1e-13)


def test_threads_keep_the_order() -> None:
    assert in_threads(lambda x: x * x, range(20), 10**9) == [x * x for x in range(20)]


@pytest.fixture
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)


@pytest.mark.usefixtures("two_processors")
def test_threads_ignore_what_the_caller_ignores() -> None:
    with np.errstate(over="ignore"):
        found = in_threads(lambda x: np.float64(x) * 1e10, [1.0, 1e300], 10**9)
    assert found == [1e10, np.inf]


@pytest.mark.usefixtures("two_processors")
def test_threads_for_columns_leave_no_processor_to_spare() -> None:
    if not has_spare_processor():
        pytest.skip("this machine or container has one processor")
    assert in_threads(lambda _: has_spare_processor(), range(3), 10**9) == [False] * 3


@pytest.mark.usefixtures("two_processors")
def test_the_caller_stops_threads_in_the_middle_of_their_columns() -> None:
    heard, ended = [], []

    def report(done: float, total: float, label: str) -> bool:
        heard.append((done, total, current_thread()))
        return False

    def work(column: int) -> None:
        for _ in range(1000):
            tick(1, 2)
            sleep(0.01)
        ended.append(column)

    with reporting(report), pytest.raises(Cancelled):
        in_threads(work, range(4), 10**9)
    assert heard == [(0, 4, main_thread())]
    assert not ended


@pytest.mark.usefixtures("two_processors")
def test_an_error_in_one_column_stops_the_others() -> None:
    ended = []

    def work(column: int) -> None:
        if column == 1:
            raise ValueError("wrong")
        for _ in range(1000):
            tick(1, 2)
            sleep(0.01)
        ended.append(column)

    with pytest.raises(ValueError, match="wrong"):
        in_threads(work, range(4), 10**9)
    assert not ended


@pytest.mark.usefixtures("two_processors")
@pytest.mark.parametrize("outer", ["blocks", "columns"])
def test_threads_within_threads_start_no_others(outer: str) -> None:
    names: set[str] = set()

    def inner() -> None:
        names.update(in_threads(lambda _: current_thread().name, range(3), 10**9))
        names.add(current_thread().name)

    if outer == "blocks":
        over_blocks(lambda start, stop: inner(), 4, block=1)
    else:
        in_threads(lambda _: inner(), range(4), 10**9)
    assert 1 <= len(names) <= 2


@pytest.mark.parametrize("processors", [1, 2])
def test_progress_moves_with_the_columns_if_it_is_to(processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    told = []
    with reporting(lambda done, total, label: told.append((done, total))):
        in_threads(lambda _: tick(1, 2), range(3), 10**9, brief=False)
    assert told == sorted(told)
    assert told[-1] == ((2.5, 3) if processors == 1 else (3, 3))


def test_columns_side_by_side_are_a_copy() -> None:
    out = beside([LONG[:, 0], LONG[:, 1]], len(LONG))
    out[0] = 0.0
    assert LONG[0].all()


def test_absolute_changes_add_up_over_pieces():
    rng = np.random.default_rng(4)
    original, masked = rng.normal(size=(2, PIECE + 100))
    assert sum_absolute_changes(original, masked) == pytest.approx(np.abs(original - masked).sum(), rel=1e-13)
    masked[PIECE] = np.nan
    assert np.isnan(sum_absolute_changes(original, masked))
    assert sum_absolute_changes(np.empty(0), np.empty(0)) == 0.0


@pytest.mark.parametrize(
    "values", [[3.0], [3.0, 1.0], [2.0, 5.0, 1.0], [4.0, 1.0, 3.0, 3.0], [1.0, np.inf], [1.0, np.nan]]
)
def test_medians_are_numpys(values: list[float]) -> None:
    assert median(np.array(values)) == pytest.approx(np.median(values), rel=0, nan_ok=True)
    assert median(LONG[: PIECE - len(values), 0]) == np.median(LONG[: PIECE - len(values), 0])
    assert np.isnan(median(np.empty(0)))
