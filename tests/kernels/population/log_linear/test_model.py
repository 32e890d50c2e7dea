from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.population.log_linear.adjusted import adjusted_goodness
from ammg.kernels.population.log_linear.diagnostics import cross_bands, true_risk
from ammg.kernels.population.log_linear.layout import Layout
from ammg.kernels.population.log_linear.model import calibrate, fit_risk_model
from ammg.kernels.population.log_linear.parsimony import effective_parameters, inclusion_counts
from ammg.kernels.population.log_linear.sample import table_sample


@pytest.fixture(scope="module")
def records(truth):
    layout, generators, law = truth
    cells = np.random.default_rng(13).choice(layout.size, 1_000, p=law)
    return layout, generators, layout.coordinates(cells)


def test_equal_weights_give_the_unweighted_model(records):
    layout, generators, codes = records
    plain = fit_risk_model(table_sample(layout, codes, fraction=0.05), generators)
    weighted = fit_risk_model(table_sample(layout, codes, weights=np.full(1_000, 20.0)), generators)
    assert np.allclose(plain.means, weighted.means, rtol=1e-9)
    for tau in (1, 2):
        assert weighted.tau(tau) == pytest.approx(plain.tau(tau), rel=1e-9)
        assert weighted.goodness(tau).z == pytest.approx(plain.goodness(tau).z, rel=1e-9)


def test_a_heavier_weight_lowers_the_risk_of_its_record(records):
    layout, generators, codes = records
    weights = np.full(1_000, 20.0)
    sample = table_sample(layout, codes, weights=weights)
    unique = np.flatnonzero(sample.counts[sample.index] == 1)[0]
    weights[unique] = 200.0
    before = fit_risk_model(sample, generators).by_record(2)[unique]
    after = fit_risk_model(table_sample(layout, codes, weights=weights), generators).by_record(2)[unique]
    assert after < before


def test_the_risks_of_the_uniques_add_up_to_tau(records):
    layout, generators, codes = records
    model = fit_risk_model(table_sample(layout, codes, 0.05), generators)
    alone = model.sample.counts[model.sample.index] == 1
    for tau in (1, 2):
        risk = model.by_record(tau)
        assert risk[alone].sum() == pytest.approx(model.tau(tau))
        assert np.all((risk >= 0) & (risk <= 1))


def test_calibration_meets_known_margins_and_keeps_odds(records):
    layout, generators, codes = records
    model = fit_risk_model(table_sample(layout, codes, 0.05), generators)
    known = np.linspace(1_000, 6_000, 8)
    known *= 20_000 / known.sum()
    pair = np.random.default_rng(1).random((10, 2))
    pair *= 20_000 / pair.sum()
    table = layout.unflatten(calibrate(model, [(2,), (4, 1)], [known, pair]).means)
    assert np.allclose(table.sum((0, 1, 3, 4)), known, rtol=1e-4)
    assert np.allclose(table.sum((0, 2, 3)).T, pair, rtol=1e-2, atol=0.1)
    before = layout.unflatten(model.means)

    def odds(t):
        return t[0, 0, 0, 0, 0] * t[1, 0, 1, 0, 0] / (t[0, 0, 1, 0, 0] * t[1, 0, 0, 0, 0])

    assert odds(table) == pytest.approx(odds(before))


def test_a_margin_of_the_wrong_shape_is_refused(records):
    layout, generators, codes = records
    model = fit_risk_model(table_sample(layout, codes, 0.05), generators)
    with pytest.raises(ValueError, match="the keys have"):
        calibrate(model, [(2,)], [np.ones(3)])


def test_without_uniques_there_is_no_risk_and_nothing_to_fit():
    layout = Layout((2, 2))
    codes = [np.repeat(np.arange(2), 4).astype(np.int32), np.tile(np.repeat(np.arange(2), 2), 2).astype(np.int32)]
    model = fit_risk_model(table_sample(layout, codes, 0.1), [(0,), (1,)])
    assert model.tau(1) == model.tau(2) == 0
    assert np.isnan(model.goodness(1).z)
    assert np.isnan(adjusted_goodness(model, 2).z)


def test_in_a_census_tau_is_the_number_of_uniques(records):
    layout, generators, codes = records
    model = fit_risk_model(table_sample(layout, codes, 1.0), generators)
    assert model.tau(1) == model.tau(2) == model.sample.uniques.size
    assert model.goodness(2).bias == 0


@pytest.mark.parametrize("fraction", [0.0, 1.2, None])
def test_a_sampling_fraction_outside_its_range_is_refused(records, fraction):
    layout, _, codes = records
    with pytest.raises(ValueError, match="sampling fraction"):
        table_sample(layout, codes, fraction)


def test_weights_below_one_are_refused(records):
    layout, _, codes = records
    with pytest.raises(ValueError, match="below one"):
        table_sample(layout, codes, weights=np.full(1_000, 0.5))


def test_effective_parameters_count_what_occurs(records):
    layout, _, codes = records
    sample = table_sample(layout, codes, 0.05)
    assert effective_parameters(sample, ((0,), (1,), (2,), (3,), (4,))) == 1 + 3 + 1 + 7 + 5 + 9
    pairs = len(set(zip(codes[0], codes[2], strict=True)))
    assert effective_parameters(sample, ((1,), (3,), (4,), (0, 2))) == 1 + 1 + 5 + 9 + pairs - 1


def test_inclusion_counts_of_a_chain_are_cliques_less_separators():
    assert inclusion_counts(((0, 1), (1, 2))) == {(0, 1): 1, (1, 2): 1, (0,): 0, (1,): -1, (2,): 0, (): 0}


def test_bands_are_those_of_the_slides():
    true, estimated = np.array([0.05, 0.1, 0.5, 1.0]), np.array([0.0999, 0.5, 0.2, 0.7])
    assert cross_bands(true, estimated).tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 1]]
    assert true_risk(np.array([1.0, 4.0]), 1).tolist() == [1, 0]
    assert true_risk(np.array([1.0, 4.0]), 2).tolist() == [1, 0.25]
