from datetime import date

from ammg.data.dictionary import joined, match_categories


def test_equal_values_match_whatever_their_type() -> None:
    assert match_categories((1, 2, True), (2.0, 1.0)).tolist() == [1, 0, 1]
    assert match_categories(("b", "a"), ("a", "c")).tolist() == [-1, 0]


def test_numbers_match_the_texts_that_they_are_written_as() -> None:
    assert match_categories((1, 2), ("1", "2.0")).tolist() == [0, 1]
    assert match_categories(("1", "2.0"), (2.0, 1.0)).tolist() == [1, 0]
    assert match_categories((True, False), ("false", "True")).tolist() == [1, 0]
    assert match_categories((date(2020, 1, 31),), ("2020-01-31",)).tolist() == [0]


def test_texts_that_differ_in_leading_zeros_are_not_merged() -> None:
    assert match_categories(("1", "01"), ("01", "1")).tolist() == [1, 0]
    assert match_categories(("01",), ("1", "x")).tolist() == [0]
    assert match_categories((1,), ("1", "01")).tolist() == [-1]


def test_two_dictionaries_are_joined_without_losing_a_category() -> None:
    assert joined((1, 2), ("2", "x"))[0] == (1, 2, "x")
    assert joined((1, 2), ("2", "x"))[1].tolist() == [1, 2]
