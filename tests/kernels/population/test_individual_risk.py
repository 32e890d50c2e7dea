from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from ammg.kernels.population.individual_risk import approximate_risk, negative_binomial_risk, poisson_risk

sizes = st.one_of(st.integers(1, 60).map(float), st.floats(1, 60))


@pytest.fixture(scope="module")
def golden(shared):
    """Results of sdcMicro 5.8.1, indivRisk, with the frequencies of freqCalc."""

    def read(name):
        return {entry["id"]: entry["result"] for entry in json.loads((shared / "golden" / name).read_text())["entries"]}

    return read("indivRisk.json"), read("freqCalc.json")


def integral(f, p):
    """Benedetti and Franconi's expectation as p times the integral of (1-t)^(f-1) / (1 - (1-p) t)."""

    def inner(t):
        return (1 - t) ** (f - 1) / (1 - (1 - p) * t)

    return p * quad(inner, 0, 1, epsabs=0, epsrel=1e-11, limit=400, points=[1 - p])[0]


@settings(max_examples=150, deadline=None)
@given(sizes, st.floats(1e-4, 0.999))
def test_the_exact_risk_is_its_integral(f, p):
    assert negative_binomial_risk(np.array([f]), np.array([f / p]))[0] == pytest.approx(integral(f, p), rel=1e-8)


@pytest.mark.parametrize("f", [1, 3, 12])
@pytest.mark.parametrize("p", [0.02, 0.4, 0.8])
def test_risks_are_means_of_one_over_the_population_frequency(f, p):
    rng = np.random.default_rng(11)
    sample, population = np.array([float(f)]), np.array([f / p])
    negative_binomial = f + rng.negative_binomial(f, p, 400_000)
    poisson = f + rng.poisson(f / p - f, 400_000)
    assert negative_binomial_risk(sample, population)[0] == pytest.approx(np.mean(1 / negative_binomial), rel=0.02)
    assert poisson_risk(sample, population)[0] == pytest.approx(np.mean(1 / poisson), rel=0.02)


@settings(max_examples=150, deadline=None)
@given(sizes, st.floats(0, 5_000))
def test_the_poisson_risk_is_its_integral(f, mean):
    def inner(s):
        return s ** (f - 1) * np.exp(-mean * (1 - s))

    expected = quad(inner, 0, 1, epsabs=0, epsrel=1e-11, limit=400, points=[max(0.0, 1 - 40 / (mean + f))])[0]
    assert poisson_risk(np.array([f]), np.array([f + mean]))[0] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("entry", ["testdata7", "testdata7_NA_alpha1", "testdata7_NA_alpha0"])
def test_the_approximation_is_that_of_sdcmicro(golden, entry):
    risks, frequencies = golden
    expected = risks[entry + "_approx" if entry == "testdata7" else entry]["rk"]
    found = approximate_risk(np.array(frequencies[entry]["fk"], float), np.array(frequencies[entry]["Fk"], float))
    assert np.allclose(found, expected, rtol=1e-10)


def test_the_exact_risk_is_that_of_sdcmicro_where_it_has_one(golden):
    risks, frequencies = golden
    expected = np.array(risks["testdata7_exact"]["rk"], float)
    found = negative_binomial_risk(
        np.array(frequencies["testdata7"]["fk"], float), np.array(frequencies["testdata7"]["Fk"], float)
    )
    known = np.isfinite(expected)
    assert np.count_nonzero(~known) == 176  # sdcMicro overflows there
    assert np.allclose(found[known], expected[known], rtol=1e-9)
    assert np.all((found > 0) & (found <= 1))


@pytest.mark.parametrize("risk", [negative_binomial_risk, approximate_risk, poisson_risk])
def test_a_census_has_risk_one_over_f(risk):
    assert np.allclose(risk(np.array([1.0, 2.0, 7.0]), np.array([1.0, 2.0, 7.0])), [1, 1 / 2, 1 / 7])


@pytest.mark.parametrize("risk", [negative_binomial_risk, approximate_risk, poisson_risk])
def test_weights_below_one_are_refused(risk):
    with pytest.raises(ValueError, match=r"2 records stand for 1\.5 people"):
        risk(np.array([2.0]), np.array([1.5]))
    with pytest.raises(ValueError, match="below one"):
        risk(np.array([2.0]), np.array([np.nan]))


def test_risk_falls_with_the_population_behind_a_record():
    population = np.geomspace(3, 1e6, 50)
    for risk in (negative_binomial_risk, approximate_risk, poisson_risk):
        assert np.all(np.diff(risk(np.full(50, 3.0), population)) < 0)
