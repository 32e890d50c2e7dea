"""Attributes that are linked to a masked one follow it."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg import Kind
from ammg.data.block import Block
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Links, Method, Plan
from ammg.registry import forget
from ammg.summaries.summary import Source

TABLE = pl.DataFrame({"wage": np.arange(100.0), "band": [f"{i // 10}" for i in range(100)], "note": ["x"] * 100})
DATA = ammg.Microdata(TABLE).with_links({"band": "wage"})


def test_linked_values_move_with_swapped_ones() -> None:
    masked = ammg.Pipeline([ammg.RankSwapping(columns=["wage"], p=20)]).run(DATA, 1).table
    assert not masked["wage"].equals(TABLE["wage"])
    assert masked["band"].to_list() == [f"{int(wage) // 10}" for wage in masked["wage"]]
    assert masked["note"].equals(TABLE["note"])


def test_linked_values_move_within_strata_too() -> None:
    table = TABLE.with_columns(group=pl.Series(["a", "b"] * 50))
    data = ammg.Microdata(table).with_links({"band": "wage"})
    masked = ammg.Pipeline([ammg.RankSwapping(columns=["wage"], p=20, within=["group"])]).run(data, 1).table
    assert masked["band"].to_list() == [f"{int(wage) // 10}" for wage in masked["wage"]]


def test_linked_values_of_records_that_a_condition_leaves_out_stay() -> None:
    step = ammg.RankSwapping(columns=["wage"], p=50, where="wage < 50")
    masked = ammg.Pipeline([step]).run(DATA, 1).table
    assert masked["band"].to_list() == [f"{int(wage) // 10}" for wage in masked["wage"]]
    assert masked[50:].equals(TABLE[50:])


def test_a_method_that_cannot_take_linked_values_along_is_refused() -> None:
    with pytest.raises(InputError, match="'band' is linked to 'wage', and additive_noise cannot carry the change"):
        ammg.Pipeline([ammg.AdditiveNoise(columns=["wage"])]).run(DATA)


def test_linked_values_that_are_masked_in_the_same_step_are_no_followers() -> None:
    data = ammg.Microdata(TABLE.with_columns(twice=pl.col("wage") * 2)).with_links({"twice": "wage"})
    masked = ammg.Pipeline([ammg.CorrelatedNoise(columns=["wage", "twice"])]).run(data, 1).table
    np.testing.assert_allclose(masked["twice"], 2 * masked["wage"], atol=1e-9)


def test_linked_values_are_suppressed_with_their_leader() -> None:
    class ToySuppression(Method):
        """Suppress what is above a limit."""

        accepts = Kind.NUMERIC
        links = Links.SUPPRESSED

        def plan(self, source: Source, draws: Draws) -> Plan:
            return Plan(source.schema.select(self.chosen(source.schema)))

        def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
            return block.with_columns({n: np.where(block[n] > 89, np.nan, block[n]) for n in plan.schema.names})

    try:
        masked = ammg.Pipeline([ToySuppression(columns=["wage"])]).run(DATA).table
    finally:
        forget("methods", "toy_suppression")
    assert masked["band"].null_count() == masked["wage"].null_count() == 10
    assert masked["band"].is_null().equals(masked["wage"].is_null())


def test_what_is_linked_to_a_dropped_column_is_dropped() -> None:
    masked = ammg.Pipeline([ammg.IdentifierRemoval(columns=["wage"])]).run(DATA)
    assert masked.table.columns == masked.schema.names == ["note"]
