import numpy as np

from ammg.kernels.anonymity.missing_patterns import missing_patterns


def test_rows_are_grouped_by_what_they_lack() -> None:
    codes = np.array([[0, -1], [1, 2], [-1, -1], [3, -1]], dtype=np.int32)
    found = {tuple(gaps.tolist()): rows.tolist() for gaps, rows in missing_patterns(codes)}
    assert found == {(False, True): [0, 3], (False, False): [1], (True, True): [2]}


def test_patterns_come_in_their_order_whatever_their_number() -> None:
    missing = np.random.default_rng(0).random((5_000, 7)) < 0.3
    found = missing_patterns(np.where(missing, -1, 0).astype(np.int32))
    patterns, number = np.unique(missing, axis=0, return_inverse=True)
    assert [pattern.tolist() for pattern, _ in found] == patterns.tolist()
    for place, (_, rows) in enumerate(found):
        assert np.array_equal(rows, np.flatnonzero(number.ravel() == place))


def test_complete_rows_are_one_group() -> None:
    ((gaps, rows),) = missing_patterns(np.zeros((3, 2), dtype=np.int32))
    assert not gaps.any()
    assert rows.tolist() == [0, 1, 2]
