from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.criteria.distributions import class_distributions
from ammg.criteria.likeness import basic_beta_likeness, delta_disclosure, enhanced_beta_likeness

records = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=30)


def tabulate(pairs):
    classes = np.array([pair[0] for pair in pairs], np.int32)
    values = np.array([pair[1] for pair in pairs], np.int32)
    return class_distributions(classes, 3, values, 4)


@settings(max_examples=60, deadline=None)
@given(records)
def test_likeness_follows_the_definitions(pairs):
    table = tabulate(pairs)
    q = np.bincount([value for _, value in pairs], minlength=4) / len(pairs)
    delta, seen = delta_disclosure(table), delta_disclosure(table, absent=False)
    basic, enhanced = basic_beta_likeness(table), enhanced_beta_likeness(table)
    for group in {group for group, _ in pairs}:
        mine = [value for g, value in pairs if g == group]
        p = np.bincount(mine, minlength=4) / len(mine)
        logs = [abs(np.log(p[v] / q[v])) for v in range(4) if p[v]]
        lacking = any(q[v] and not p[v] for v in range(4))
        gains = {v: (p[v] - q[v]) / q[v] for v in range(4) if p[v]}
        assert seen[group] == pytest.approx(max(logs))
        assert delta[group] == (np.inf if lacking else pytest.approx(max(logs)))
        assert basic[group] == pytest.approx(max(0, *gains.values(), 0))
        hopeless = any(gain > -np.log(q[v]) for v, gain in gains.items())
        assert enhanced[group] == (np.inf if hopeless else pytest.approx(basic[group]))


def test_a_class_like_the_file_needs_no_allowance():
    table = tabulate([(group, value) for group in range(3) for value in range(4)])
    assert np.allclose(delta_disclosure(table), 0)
    assert np.allclose(basic_beta_likeness(table), 0)
    assert np.allclose(enhanced_beta_likeness(table), 0)
