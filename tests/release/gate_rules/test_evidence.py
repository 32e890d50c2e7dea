"""The rules look at every record of a stream, the last ones too."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stopped import reasons

import ammg
from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import Groups, Suppression
from ammg.draws import Draws
from ammg.methods.method import Method, Plan
from ammg.registry import forget
from ammg.summaries.summary import Source

LONG = 210_000
"""More records than anybody would look at first."""


@pytest.fixture(scope="module")
def long_stream(tmp_path_factory: pytest.TempPathFactory) -> ammg.Microdata:
    """A stream whose last records are different from all before."""
    path = tmp_path_factory.mktemp("stream") / "in.parquet"
    rng = np.random.default_rng(3)
    row = pl.int_range(LONG, eager=True)
    late = row >= LONG - 3_000
    pl.DataFrame(
        {
            "age": rng.integers(18, 90, LONG),
            "score": rng.normal(size=LONG),
            "pin": row.shuffle(seed=1) + 10_000_000,
            "nearly": row + (row == LONG - 1).cast(pl.Int64) * -5,
            "row": row,
            "contact": pl.select(
                pl.when(late).then(pl.format("p{}@example.org", row)).otherwise(pl.lit("none"))
            ).to_series(),
            "constant": (row == LONG - 1).cast(pl.Float64),
        }
    ).write_parquet(path)
    return ammg.read(path, stream=True)


def test_the_last_records_of_a_stream_are_audited_as_well(long_stream: ammg.Microdata) -> None:
    streamed = long_stream.with_roles(key="age", confidential=["score", "constant"], other="contact", identifier="pin")
    schema = streamed.schema
    last = int(long_stream.streamed.read(["pin"])["pin"][-1])  # type: ignore[union-attr]
    streamed = ammg.Microdata(
        streamed.streamed, schema.replace(schema["age"].replace(label=f"Age, not that of {last}"))
    )
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["score"]), ammg.TopCoding(columns=["constant"], threshold=9)])
    told = reasons(masked.run(streamed, secret=1))
    assert "'contact' appears to hold an e-mail address" in told
    assert "'row' numbers the records" in told
    assert "'nearly' numbers the records" not in told
    assert f"a label quotes '{last}', a value of the identifier 'pin'" in told
    assert "step 2 (top_coding) should mask 'constant' but changed none of its cells" in told


def test_a_change_in_the_last_record_of_a_stream_is_a_change(long_stream: ammg.Microdata) -> None:
    streamed = long_stream.with_roles(key="constant", identifier=["row", "pin", "nearly", "contact"])
    step = ammg.Rounding(columns=["constant"], base=3)
    assert len(ammg.Pipeline([step]).run(streamed, secret=1).release()) == LONG


class Suppressing(Method):
    """Take some values out, as local suppression does."""

    accepts = Kind.ANY

    def plan(self, source: Source, draws: Draws) -> Plan:
        names = self.chosen(source.schema)
        return Plan(source.schema.select(names), published=(Suppression(names),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        gone = draws.uniform(block.ids, "gone") < 0.1
        return block.with_columns({n: np.where(gone, np.nan, block.numbers(n)) for n in plan.schema.names})


class LastOneAlone(Method):
    """Say that values are shared by three, and leave one person alone at the end."""

    def plan(self, source: Source, draws: Draws) -> Plan:
        names = self.chosen(source.schema)
        return Plan(source.schema.select(names), published=(Groups(names, 3),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        values = np.where(block.ids == LONG - 1, 8.0, block.ids % 7)
        return block.with_columns(dict.fromkeys(plan.schema.names, values))


forget("methods", "suppressing")
forget("methods", "last_one_alone")


def test_codes_at_the_end_of_a_stream_stay_out_of_a_column_with_suppressed_cells(tmp_path: Path) -> None:
    age = np.full(LONG, 30)
    age[-10:] = 99
    pl.DataFrame({"age": age}).write_parquet(tmp_path / "in.parquet")
    streamed = ammg.read(tmp_path / "in.parquet", stream=True).with_roles(key="age")
    coded = streamed.schema.replace(streamed.schema["age"].replace(missing_codes=(99,)))
    masked = ammg.Pipeline([Suppressing(columns=["age"])]).run(ammg.Microdata(streamed.streamed, coded), secret=1)
    masked.release().write(tmp_path / "out.parquet")
    assert 99 not in pl.read_parquet(tmp_path / "out.parquet")["age"].unique().to_list()


def test_a_promised_k_is_counted_over_the_whole_stream(tmp_path: Path) -> None:
    pl.DataFrame({"score": np.zeros(LONG)}).write_parquet(tmp_path / "in.parquet")
    streamed = ammg.read(tmp_path / "in.parquet", stream=True).with_roles(confidential="score")
    told = reasons(ammg.Pipeline([LastOneAlone(columns=["score"])]).run(streamed, secret=1))
    assert "promised that values of 'score' are shared by 3 records, but some are shared by only 1" in told
