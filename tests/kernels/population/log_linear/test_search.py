from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from ammg.datasets import survey
from ammg.kernels.population.log_linear.ipf import terms
from ammg.kernels.population.log_linear.layout import Layout
from ammg.kernels.population.log_linear.model import fit_risk_model
from ammg.kernels.population.log_linear.sample import table_sample
from ammg.kernels.population.log_linear.search import describe, forward_search

KEYS = ["urbanisation", "sex", "age", "marital_status", "ethnicity", "activity"]


@pytest.fixture(scope="module")
def population():
    """A million people, six keys, 618,120 cells."""
    table = survey(1_000_000).select(KEYS)
    codes = [table[name].to_physical().to_numpy().astype(np.int32) for name in KEYS]
    layout = Layout(tuple(int(column.max()) + 1 for column in codes))
    assert layout.size == 618_120
    return layout, codes, np.bincount(layout.locate(codes), minlength=layout.size)


@pytest.fixture(scope="module")
def searches(population):
    """Searches on three samples of one percent, with the true τ1 and τ2."""
    layout, codes, counts = population
    found = []
    for seed in range(3):
        chosen = np.random.default_rng(seed).permutation(codes[0].size)[:10_000]
        sample = table_sample(layout, [column[chosen] for column in codes], 0.01)
        unique = counts[sample.cells[sample.uniques]]
        found.append((forward_search(sample), np.count_nonzero(unique == 1), np.sum(1 / unique)))
    return found


def test_the_selected_model_is_near_the_truth_and_independence_is_not(searches):
    errors = []
    for search, tau1, tau2 in searches:
        sample, first, last = search.model.sample, search.steps[0], search.steps[-1]
        assert 0.15 < sample.uniques.size / sample.counts.sum() < 0.35
        assert first.tau1 > 1.5 * tau1
        assert first.tau2 > 1.5 * tau2
        assert last.generators == search.model.generators
        errors.append([last.tau1 / tau1 - 1, last.tau2 / tau2 - 1])
    assert np.all(np.abs(np.mean(errors, axis=0)) < 0.1)


def test_the_path_has_the_pattern_of_the_slides(searches):
    """z falls from far above zero to about zero, τ̂ with it; all pairs at once go too far (Skinner and Shlomo 2008)."""
    search, tau1, tau2 = searches[0]
    steps = search.steps
    assert steps[0].z1 > 30
    assert steps[0].z2 > 50
    assert abs(steps[-1].z2) < 1
    assert all(abs(after.z2) < abs(before.z2) for before, after in pairwise(steps))
    assert steps[0].tau2 > steps[1].tau2 > steps[-1].tau2
    everything = describe(fit_risk_model(search.model.sample, combinations(range(6), 2)))
    assert everything.z2 < -1
    assert everything.tau1 < 0.8 * tau1
    assert everything.tau2 < 0.9 * tau2


def test_without_parsimony_interactions_come_in_that_do_not_pay(searches):
    with_it = searches[2][0]
    without = forward_search(with_it.model.sample, parsimony=False)
    assert without.steps[-1].parameters > 1.5 * with_it.steps[-1].parameters


@pytest.fixture(scope="module")
def small(truth):
    layout, generators, law = truth
    cells = np.random.default_rng(30).choice(layout.size, 4_000, p=law)
    return table_sample(layout, layout.coordinates(cells), 0.05), generators


def test_the_search_finds_the_interactions_that_made_the_data(small):
    sample, generators = small
    found = set(terms(forward_search(sample, stop=0.0).model.generators))
    assert sum(pair in found for pair in generators) >= 2


def test_three_factor_terms_wait_for_their_pairs(small):
    sample, _ = small
    path = forward_search(sample, stop=0.0, three_way=True, parsimony=False, most_steps=6).steps
    for before, after in pairwise(path):
        if len(after.added) == 3:
            assert all(pair in terms(before.generators) for pair in combinations(after.added, 2))


def test_a_key_with_one_value_takes_part_in_no_interaction(small):
    sample, _ = small
    codes = [column[sample.index] for column in sample.layout.coordinates(sample.cells)]
    constant = table_sample(Layout((*sample.layout.shape, 1)), [*codes, np.zeros_like(codes[0])], 0.05)
    assert all(5 not in step.added for step in forward_search(constant).steps)


def test_a_sample_without_uniques_ends_the_search_at_once():
    layout = Layout((2, 2))
    codes = [np.repeat(np.arange(2), 4).astype(np.int32), np.tile(np.repeat(np.arange(2), 2), 2).astype(np.int32)]
    search = forward_search(table_sample(layout, codes, 0.1))
    assert len(search.steps) == 1
    assert search.steps[0].tau1 == 0
    assert np.isnan(search.steps[0].z1)
