import numpy as np

from ammg.kernels.anonymity.missing_patterns import missing_patterns


def test_rows_are_grouped_by_what_they_lack() -> None:
    codes = np.array([[0, -1], [1, 2], [-1, -1], [3, -1]], dtype=np.int32)
    found = {tuple(gaps.tolist()): rows.tolist() for gaps, rows in missing_patterns(codes)}
    assert found == {(False, True): [0, 3], (False, False): [1], (True, True): [2]}


def test_complete_rows_are_one_group() -> None:
    ((gaps, rows),) = missing_patterns(np.zeros((3, 2), dtype=np.int32))
    assert not gaps.any()
    assert rows.tolist() == [0, 1, 2]
