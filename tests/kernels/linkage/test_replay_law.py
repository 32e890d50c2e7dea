from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.linkage.replay_law import BINS, EDGE, category_law, column_laws, log_density


def test_the_density_of_residuals_is_that_of_their_law():
    rng = np.random.default_rng(0)
    middles = np.linspace(-EDGE, EDGE, BINS + 1)[:-1] + EDGE / BINS
    normal = np.exp(log_density(rng.normal(size=200_000)))
    assert normal.sum() * 2 * EDGE / BINS == pytest.approx(1, abs=0.01)
    centre = np.abs(middles) < 2
    assert normal[centre] == pytest.approx(np.exp(-0.5 * middles[centre] ** 2) / np.sqrt(2 * np.pi), abs=0.03)


def test_a_spread_of_each_person_is_learned_from_the_own_draws():
    rng = np.random.default_rng(1)
    own, spread = np.arange(200.0), np.where(np.arange(200) < 100, 1.0, 10.0)
    draws = own + spread * rng.normal(size=(60, 200))
    law = column_laws(own, draws, draws[0])["values own"]
    assert law.spread / spread == pytest.approx(np.ones(200), abs=0.4)
    assert np.abs(law.centre - own).max() < 6


def test_few_values_are_atoms_with_chances_of_their_own():
    rng = np.random.default_rng(2)
    own = np.repeat([0.0, 1.0], 50)
    draws = np.where(rng.random((200, 100)) < 0.2, 1 - own, own)
    law = column_laws(own, draws, own)["atoms"]
    assert np.exp(law.log_atoms[:50].mean(axis=0)) == pytest.approx([0.8, 0.2], abs=0.03)


def test_categories_have_the_shares_of_the_draws():
    draws = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, np.nan]])
    law = category_law(draws, np.array([1.0, np.nan]))
    assert law.atom.tolist() == [1, -1]
    assert np.exp(law.log_atoms[0, 0]) > 0.55 > np.exp(law.log_atoms[0, 1])
