"""What the number of members tells, on files small enough to count by hand."""

import numpy as np
import pytest

from ammg.kernels.inference.told_by_members import count_members, told_by_members


def told(sizes: list[int], codes: list[int], numbers: list[float]) -> tuple[float, list[int]]:
    homes = np.repeat(np.arange(len(sizes)), sizes)
    found = told_by_members(homes, np.repeat(codes, sizes), np.array(numbers))
    return found.share, found.guesses.tolist()


def test_members_are_counted_and_records_without_a_household_have_none() -> None:
    assert count_members(np.array([1, 1, -1, 0, 1])).tolist() == [3, 3, 0, 1, 3]
    assert count_members(np.array([-1, -1])).tolist() == [0, 0]


def test_a_size_is_told_however_few_households_there_are() -> None:
    assert told([1, 2, 4], [0, 1, 2], [1.0, 2.0, 4.0]) == (1.0, [-1, 0, 1, -1, 2])


def test_the_share_is_lambda_of_goodman_and_kruskal() -> None:
    # one guess for all is right in 4 of 10 households, and the sizes are right in 7: half of the 6 others are told
    sizes, numbers = [1, 1, 1, 2, 2, 2, 3, 3, 1, 2], [1.0, 2.0, 3.0]
    share, _ = told(sizes, [0, 0, 0, 1, 1, 1, 1, 2, 2, 2], numbers)
    assert share == pytest.approx(0.5)


def test_a_class_of_sizes_is_told_if_chance_would_have_broken_the_relation() -> None:
    nan = [float("nan")] * 2
    assert told([1, 2, 5] * 20, [0, 0, 1] * 20, nan) == (1.0, [-1, 0, 0, -1, -1, 1])
    assert told([1, 2, 5], [0, 0, 1], nan)[0] == 0.0


def test_columns_of_persons_constants_and_what_has_nothing_to_do_with_sizes_are_not_told() -> None:
    rng = np.random.default_rng(1)
    homes = np.repeat(np.arange(300), rng.integers(1, 6, 300))
    numbers = np.arange(4.0)
    for codes in (rng.integers(0, 4, len(homes)), np.zeros(len(homes), dtype=int), rng.integers(0, 4, 300)[homes]):
        assert told_by_members(homes, codes, numbers).share < 0.2
    nobody = told_by_members(np.full(5, -1), np.zeros(5, dtype=int), numbers)
    assert (nobody.share, nobody.of(np.array([0, -1])).tolist()) == (0.0, [-1, -1])


def test_guesses_fall_on_records_by_the_size_of_their_household() -> None:
    homes, codes = np.array([0, 0, 1, -1, 2, 2, 2]), np.array([1, 1, 0, 0, 2, -1, -1])
    found = told_by_members(homes, codes, np.array([1.0, 2.0, 3.0]))
    assert found.of(homes).tolist() == [1, 1, 0, -1, 2, 2, 2]
    assert found.of(np.array([0, 0, 0, 0])).tolist() == [-1] * 4  # nobody has four members


def test_a_guess_is_refined_by_what_enough_households_show() -> None:
    members, shown = np.repeat([1, 2], 20), np.tile(np.repeat([0, 1], 10), 2)
    homes = np.repeat(np.arange(40), members)
    had = np.where((members == 1) & (shown == 1), 2, members - 1)  # some are alone because others were left out
    had[0] = 1  # what one household shows and has is nothing to learn from
    shown[0] = 2
    found = told_by_members(homes, had[homes], np.array([1.0, 2.0, 3.0]), shown[homes])
    guessed = found.of(homes, shown[homes])
    assert (guessed == had[homes])[1:].all()
    assert guessed[0] == found.guesses[1] != 1
    assert (found.of(homes) == found.guesses[members][homes]).all()
