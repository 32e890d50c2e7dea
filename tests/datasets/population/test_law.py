import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.datasets.population.law import Law, by_age, log_shares


def test_draws_follow_the_shares_of_their_condition():
    shares = np.array([[0.7, 0.2, 0.1, 0.0], [0.05, 0.05, 0.3, 0.6], [0.0, 1.0, 0.0, 0.0]])
    condition = np.repeat(np.arange(3, dtype=np.uint8), 200_000)
    drawn = Law(log_shares(shares)).draw(np.random.default_rng(1), condition)
    found = np.array([np.bincount(drawn[condition == row], minlength=4) / 200_000 for row in range(3)])
    # Five standard deviations of a share over 200,000 draws are at most 0.0056.
    np.testing.assert_allclose(found, shares, atol=0.0056)
    assert np.all(found[shares == 0] == 0)


def test_several_conditions_select_the_row_in_the_order_of_the_axes():
    certain = np.zeros((2, 3, 6))
    for a in range(2):
        for b in range(3):
            certain[a, b, 3 * a + b] = 1
    first, second = np.divmod(np.arange(6), 3)
    np.testing.assert_array_equal(Law(log_shares(certain)).draw(np.random.default_rng(0), first, second), np.arange(6))


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=110).filter(lambda shares: sum(shares) > 0.01), st.integers(0, 99)
)
def test_alias_tables_hold_exactly_the_given_shares(shares, seed):
    law = Law(log_shares([shares]))
    count = len(shares)
    implied = law.keep.copy()
    np.add.at(implied, law.alias, 1 - law.keep)
    np.testing.assert_allclose(implied / count, np.array(shares) / sum(shares), atol=1e-9)
    assert law.draw(np.random.default_rng(seed), np.zeros(100, dtype=np.uint8)).max() < count


def test_shares_between_two_ages_are_interpolated():
    np.testing.assert_allclose(np.exp(by_age({0: [1, 3], 100: [3, 1]})[50]), [2, 2])
