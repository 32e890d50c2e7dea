"""Numbers that have no mean are refused by every method that works with moments or multiples."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.block import Block
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Links, Method, Plan
from ammg.registry import forget
from ammg.summaries.summary import Source

METHODS = [
    ammg.AdditiveNoise,
    ammg.CorrelatedNoise,
    ammg.MixtureNoise,
    ammg.JointMixtureNoise,
    ammg.LogNoise,
    ammg.MultiplicativeNoise,
    ammg.OutlierNoise,
    ammg.PercentileNoise,
    ammg.MultivariatePercentileNoise,
    ammg.RandomOrthogonalMasking,
    ammg.Jpeg,
    ammg.Rounding,
    ammg.RandomRounding,
    ammg.SemiControlledRounding,
]


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("method", METHODS)
def test_an_infinite_value_is_refused_instead_of_masking_nothing(method, value) -> None:
    data = pl.DataFrame({"a": np.arange(1.0, 41.0), "b": [*np.arange(1.0, 40.0), value]})
    with pytest.raises(InputError, match=r"'b' has (an infinite value: set it to missing|the value -inf)"):
        ammg.Pipeline([method()]).run(data, secret=1)


SCALED = [
    ammg.AdditiveNoise(),
    ammg.AdditiveNoise(exact=True),
    ammg.CorrelatedNoise(),
    ammg.CorrelatedNoise(rescaled=True),
    ammg.CorrelatedNoise(exact=True),
    ammg.MixtureNoise(),
    ammg.JointMixtureNoise(),
    ammg.MultiplicativeNoise(),
    ammg.OutlierNoise(level=0.51),
    ammg.PercentileNoise(),
    ammg.MultivariatePercentileNoise(),
    ammg.RandomOrthogonalMasking(),
    ammg.Jpeg(),
]


GROUPING = [
    ammg.Mdav(),
    ammg.Mdav(noise="pooled"),
    ammg.VMdav(),
    ammg.Microaggregation(),
    ammg.ProjectionMicroaggregation(),
    ammg.UnivariateMicroaggregation(),
    ammg.OptimalUnivariateMicroaggregation(),
    ammg.RestoreAdditivity(identities=("b = 2 a",), totals=True),
]


@pytest.mark.parametrize("scale", [5e-324, 1e-170, 1e-160, 1e-148, 1e146, 1e160, 1e306])
@pytest.mark.parametrize("method", [*SCALED, *GROUPING], ids=repr)
def test_numbers_whose_squares_are_none_are_refused_by_name(method, scale) -> None:
    rng = np.random.default_rng(0)
    data = pl.DataFrame({"a": scale * rng.integers(10, 90, 60), "b": rng.normal(size=60)})
    with pytest.raises(InputError, match=r"olumn 'a' .* for their variance to be computed: (divide|multiply)"):
        ammg.Pipeline([method]).run(data, secret=1)


@pytest.mark.parametrize("scale", [1e-140, 1e140])
@pytest.mark.parametrize("method", SCALED, ids=repr)
def test_masking_does_not_depend_on_the_unit(method, scale) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(50, 10, (200, 2))
    one, other = (
        ammg.Pipeline([method]).run(pl.DataFrame({"a": unit * values[:, 0], "b": values[:, 1]}), secret=1).table
        for unit in (1.0, scale)
    )
    # The root of the covariance turns with the units, so that only the size of the change is the same.
    changes = [np.std(t["a"].to_numpy() / u - values[:, 0]) for t, u in ((one, 1.0), (other, scale))]
    assert changes[1] == pytest.approx(changes[0], rel=0.5)
    assert changes[0] > 0


@pytest.mark.parametrize("exponent", [-1020, -600, 600, 1000])
@pytest.mark.parametrize("method", [ammg.RankSwapping(), ammg.DataShuffling(), ammg.TopCoding(share=0.1)], ids=repr)
def test_methods_that_go_by_ranks_take_numbers_of_any_size(method, exponent) -> None:
    values = np.float64(np.float32(np.random.default_rng(0).normal(50, 10, (200, 2))))
    one, other = (
        ammg.Pipeline([method]).run(pl.DataFrame(np.ldexp(values, power), schema=["a", "b"]), secret=1).table.to_numpy()
        for power in (0, exponent)
    )
    assert np.ldexp(other, -exponent) == pytest.approx(one, rel=1e-9)


@pytest.mark.parametrize(
    ("weight", "problem"), [(1e300, r"above 1e\+100 in 60"), (1e-300, "at most 1e-300, too small")]
)
def test_weights_that_cannot_be_summed_are_refused(weight, problem) -> None:
    data = ammg.Microdata(pl.DataFrame({"a": np.arange(60.0), "w": np.full(60, weight)}))
    with pytest.raises(InputError, match=f"Weight 'w' is {problem}"):
        data.with_roles(weight="w")


@pytest.mark.parametrize("method", [ammg.LogNoise(), ammg.Rounding(base=1e308)], ids=repr)
def test_a_result_that_is_no_number_is_refused(method) -> None:
    data = pl.DataFrame({"a": [1e308, 1.5e308, 1.2e308, 1.7e308] * 5})
    with pytest.raises(
        InputError, match=rf"'a' has the value 1\.\d?e\+308, which {method.name} turns into infinity or NaN"
    ):
        ammg.Pipeline([method]).run(data, secret=1)


def test_averages_of_huge_numbers_are_numbers() -> None:
    data = pl.DataFrame({"a": [1e308, 1.5e308, 1.2e308, 1.7e308] * 5})
    masked, small = (
        ammg.Pipeline([ammg.Resampling(samples=5)]).run(values, secret=1).table["a"] for values in (data, data / 2**9)
    )
    assert masked.to_numpy() / 2**9 == pytest.approx(small.to_numpy(), rel=1e-14)


@pytest.mark.parametrize("method", [m for m in SCALED if not isinstance(m, ammg.Jpeg)], ids=repr)
def test_records_of_which_none_counts_are_refused(method) -> None:
    data = pl.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) ** 2, "w": [1.0] * 30 + [0.0] * 10})
    weighted = ammg.Microdata(data).with_roles(weight="w")
    limited = method.model_copy(update={"where": "a >= 30"})
    with pytest.raises(
        InputError, match=r"Weight 'w' is positive in 0 of 10 records, but a variance needs at least two"
    ):
        ammg.Pipeline([limited]).run(weighted, secret=1)


@pytest.mark.parametrize("method", [ammg.Rounding, ammg.RandomRounding, ammg.SemiControlledRounding])
def test_a_base_that_no_number_can_be_rounded_by_is_refused(method) -> None:
    for base in (5e-324, 1e-320, 1e-300, 1e-16):
        with pytest.raises(InputError, match=r"'a' has values of 3, for which the base .* is too small"):
            ammg.Pipeline([method(base=base)]).run(pl.DataFrame({"a": [1.0, 2.0, 3.0]}), secret=1)
    for base in (0, -1, float("inf"), float("nan")):
        with pytest.raises(InputError, match=r"base should be (greater than 0|a finite number)"):
            method(base=base)


def test_a_method_that_loses_values_without_saying_so_is_refused() -> None:
    class Losing(Method):
        """Lose the first value."""

        def plan(self, source: Source, draws: Draws) -> Plan:
            return Plan(source.schema.select(self.chosen(source.schema)))

        def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
            return block.with_columns({"a": np.where(block.ids == 0, np.nan, block.numbers("a"))})

    forget("methods", "losing")
    data = pl.DataFrame({"a": [3.0, 4.0]})
    with pytest.raises(InputError, match="'a' has the value 3, which losing turns into infinity or NaN"):
        ammg.Pipeline([Losing()]).run(data, secret=1)
    Losing.links = Links.SUPPRESSED
    assert ammg.Pipeline([Losing()]).run(data, secret=1).table["a"].to_list() == [None, 4.0]
