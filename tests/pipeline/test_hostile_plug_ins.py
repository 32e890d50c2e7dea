"""Methods of strangers that publish nothing, or nonsense, and make a release look safer than it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import ammg
from ammg import registry
from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.pair import Pair
from ammg.data.published import Published, Recoding
from ammg.data.scenario import Scenario
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Method, Plan, Sees
from ammg.summaries.summary import Source

KEYS = ("age", "town", "job")
Make = Callable[[Callable[[Block], Block]], Method]


@pytest.fixture(scope="module")
def people() -> ammg.Microdata:
    """Two hundred people of whom hardly two look alike."""
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "age": rng.integers(18, 90, 200),
            "town": rng.choice(12, 200),
            "job": rng.choice(list("abcdefgh"), 200),
            "weight": rng.uniform(1, 3, 200),
        }
    )
    return ammg.Microdata(table).with_kinds(nominal="town").with_roles(key=list(KEYS))


@pytest.fixture
def plug_in() -> Iterator[Make]:
    """A method that does anything to the keys and publishes nothing, forgotten after the test."""
    work: list[Callable[[Block], Block]] = []

    class Anything(Method):
        """Do anything."""

        accepts: ClassVar[Kind] = Kind.NUMERIC | Kind.NOMINAL
        sees: ClassVar[Sees] = Sees.FILE

        def plan(self, source: Source, draws: Draws) -> Plan:
            return Plan(source.schema.select(self.chosen(source.schema)))

        def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
            return work[0](block)

    def make(does: Callable[[Block], Block]) -> Method:
        work.append(does)
        return Anything(columns=KEYS)

    yield make
    registry.forget("methods", "anything")


def copied(block: Block, ids: np.ndarray) -> Block:
    return replace(block, ids=ids, columns={name: np.tile(values, 3) for name, values in block.columns.items()})


def values(masked: ammg.Masked | Pair, *names: str) -> list[float | None]:
    evaluation = ammg.evaluate(masked, measures=list(names))
    return [evaluation.after[name].value for name in names]


COUNTING = ("k_anonymity", "frequency", "prosecutor_risk", "individual_risk", "suda", "journalist_risk")


def test_artificial_copies_hide_nobody(people: ammg.Microdata, plug_in: Make) -> None:
    """Two copies of everybody who stand for nobody: every record has two look-alikes."""
    method = plug_in(lambda block: copied(block, np.concatenate([block.ids, 1000 + np.arange(2 * len(block))])))
    masked = ammg.Pipeline([method]).run(people, secret=1)
    assert len(masked.table) == 600
    assert values(masked, *COUNTING) == values(Pair.identity(people), *COUNTING)


def test_a_record_does_not_come_back_twice(people: ammg.Microdata, plug_in: Make) -> None:
    method = plug_in(lambda block: copied(block, np.tile(block.ids, 3)))
    with pytest.raises(InputError, match="Record 0 was returned twice"):
        ammg.Pipeline([method]).run(people, secret=1)


def test_several_records_of_one_person_hide_nobody(people: ammg.Microdata) -> None:
    """As in a file that was masked elsewhere."""
    copies = ammg.Microdata(pl.concat([people.table] * 3), people.schema)
    pair = Pair(people, copies, np.tile(np.arange(200), 3))
    assert values(pair, *COUNTING) == values(Pair.identity(people), *COUNTING)


def test_other_names_of_categories_hide_nobody(people: ammg.Microdata, plug_in: Make) -> None:
    """A secret permutation of the codes: whoever has learned what stands for what finds everybody as before."""

    def renamed(block: Block) -> Block:
        named = [name for name in ("town", "job") if name in block.columns]
        order = {name: np.random.default_rng(7).permutation(12 if name == "town" else 8) for name in named}
        return block.with_columns({name: order[name].astype(np.int32)[block[name]] for name in order})

    masked = ammg.Pipeline([plug_in(renamed)]).run(people, secret=1)
    distinct = people.table.select(KEYS).n_unique() / 200
    assert values(masked, "distance_linkage")[0] < distinct / 2
    assert values(masked, "worst_case")[0] == pytest.approx(distinct)


@pytest.mark.parametrize("codes", [[0] * 12, [*range(1, 12), 0], [-1] * 12], ids=["merged", "shifted", "suppressed"])
def test_a_recoding_that_did_not_take_place_hides_nobody(people: ammg.Microdata, codes: list[int]) -> None:
    """It is told beside one that did, without which the ages cannot be compared."""
    masked = ammg.Pipeline([ammg.GlobalRecoding(columns=("age",), groups=20)]).run(people, secret=1)
    lie: Published = Recoding(("town",), after=tuple(range(12)), before=tuple(range(12)), codes=tuple(codes))
    pair = Pair(people, masked.pair.masked, masked.pair.link, (*masked.pair.published, lie))
    risks = ("distance_linkage", "target_unit", "worst_case", "journalist_risk", "marketer_risk")
    assert values(pair, *risks) == values(masked.pair, *risks)


def test_weights_that_the_mask_raised_make_no_population(people: ammg.Microdata) -> None:
    survey = people.with_roles(weight="weight")
    raised = ammg.Microdata(survey.table.with_columns(pl.col("weight") * 1000), survey.schema)
    risks = (ammg.IndividualRisk(), ammg.KMap(), ammg.MarketerRisk(), ammg.LogLinearRisk())
    for measure in risks:
        before, after = (
            measure.measure(pair, Scenario()).value
            for pair in (Pair.identity(survey), Pair(survey, raised, np.arange(200)))
        )
        assert after == pytest.approx(before)
