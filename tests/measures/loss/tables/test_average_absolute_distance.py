import pytest
from beside import found, masked

import ammg


def test_the_counts_of_all_cells_are_compared() -> None:
    # Counts 3, 1 become 2, 2 in one column and stay in the other.
    result = found(ammg.AAD(), {"a": list("xxxy"), "b": list("uuvv")}, {"a": list("xxyy"), "b": list("vvuu")})
    assert result.by_column == {"a": 1, "b": 0}


def test_empty_cells_of_the_table_count() -> None:
    before, after = {"a": list("xxy"), "b": list("uuv")}, {"a": list("xxy"), "b": list("uvv")}
    # Two of four cells change by one: (x, u) 2 → 1 and (x, v) 0 → 1.
    assert found(ammg.AAD(order=2), before, after).value == pytest.approx(2 / 4)


def test_a_class_is_shared_evenly_among_its_categories() -> None:
    table = {"town": ["Lyon", "Lyon", "Lyon", "Nice", "Bonn"]}
    recoding = ammg.GlobalRecoding(columns="town", map={"Lyon": "France", "Nice": "France"})
    assert masked(ammg.AAD(), table, recoding).value == pytest.approx((1 + 1 + 0) / 3)


def test_a_sample_is_brought_to_the_size_of_the_file() -> None:
    assert found(ammg.AAD(), {"a": list("xyxy")}, {"a": list("xy")}).value == 0


def test_weights_may_be_summed() -> None:
    table = {"a": ["x", "y"] * 3, "w": [1.0, 3.0] * 3}
    pram = ammg.GlobalRecoding(columns="a", map={"y": "x"})
    plain, weighted = (masked(ammg.AAD(weighted=w), table, pram, weight="w").value for w in (False, True))
    assert (plain, weighted) == (0, 3)  # x and y share 12 evenly in place of 3 and 9


def test_numbers_are_compared_in_bands_of_the_original_when_they_are_named() -> None:
    before, after = {"x": list(range(10))}, {"x": [0] * 5 + list(range(5, 10))}
    assert found(ammg.AAD(), before, after).reason.startswith("no categorical attribute to compare")
    # Two bands: 0 to 4 and 5 to 9; all stay in theirs.
    assert found(ammg.AAD(columns="x", bands=2), before, after).value == 0
    assert found(ammg.AAD(columns="x", bands=5), before, after).value == pytest.approx((3 + 2 + 1 + 0 + 0) / 5)
