"""Frames to send through a format and back."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from hypothesis import strategies as st

from ammg.data.attribute import Attribute, Kind
from ammg.data.encoding import kind_of
from ammg.data.schema import Schema

INTEGERS = {
    pl.Int8(): (-(2**7), 2**7 - 1),
    pl.Int16(): (-(2**15), 2**15 - 1),
    pl.Int32(): (-(2**31), 2**31 - 1),
    pl.Int64(): (-(2**63), 2**63 - 1),
    pl.UInt8(): (0, 2**8 - 1),
    pl.UInt16(): (0, 2**16 - 1),
    pl.UInt32(): (0, 2**32 - 1),
    pl.UInt64(): (0, 2**64 - 1),
}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(["", "NA", "007", '"', "é,\n;"])
MOMENTS = st.datetimes(dt.datetime(1000, 1, 1), dt.datetime(9999, 12, 31))
DATES = st.dates(dt.date(1000, 1, 1), dt.date(9999, 12, 31))
LEVELS = ("low", "middle", "hïgh", "")


def columns(text: st.SearchStrategy[str] = TEXT, largest: int = 2**64) -> Mapping[pl.DataType, st.SearchStrategy[Any]]:
    """For each type the values to draw."""
    whole = {dtype: st.integers(max(a, -largest), min(b, largest)) for dtype, (a, b) in INTEGERS.items()}
    return whole | {
        pl.Float64(): st.floats(allow_nan=False),
        pl.Float32(): st.floats(allow_nan=False, width=32),
        pl.Boolean(): st.booleans(),
        pl.String(): text,
        pl.Enum([level for level in LEVELS if level]): st.sampled_from([level for level in LEVELS if level]),
        pl.Date(): DATES,
        pl.Datetime("us"): MOMENTS,
    }


@st.composite
def frames(draw: st.DrawFn, kinds: Mapping[pl.DataType, st.SearchStrategy[Any]], most: int = 6) -> pl.DataFrame:
    """A frame of one to six records and columns; every value may be missing, but not a whole record."""
    types = draw(st.lists(st.sampled_from(list(kinds)), min_size=1, max_size=6))
    rows = draw(st.integers(1, most))
    return pl.DataFrame(
        [
            pl.Series(f"c{i}", draw(st.lists(st.none() | kinds[dtype], min_size=rows, max_size=rows)), dtype=dtype)
            for i, dtype in enumerate(types)
        ]
    )


def schema_of(frame: pl.DataFrame, *described: Attribute) -> Schema:
    """The plain schema of a frame, with some attributes described."""
    plain = Schema(tuple(Attribute(name=name, kind=kind_of(dtype)) for name, dtype in frame.schema.items()))
    return plain.replace(*described)


def labelled() -> tuple[pl.DataFrame, Schema]:
    """A small survey with everything a codebook can say."""
    frame = pl.DataFrame(
        {
            "sex": pl.Series([1, 2, 1, None], dtype=pl.Int64),
            "income": [1500.5, None, 0.25, 1e6],
            "region": ["N", "S", "", None],
        }
    )
    sex = Attribute(
        name="sex",
        kind=Kind.NOMINAL,
        label="Sex of the réspondent",
        value_labels={1: "male", 2: "female", 9: "refused"},
        missing_codes=(9,),
        display_format="F1.0",
    )
    income = Attribute(name="income", kind=Kind.CONTINUOUS, label="Net income", display_format="F10.2")
    region = Attribute(name="region", kind=Kind.NOMINAL, value_labels={"N": "North", "S": "South"})
    return frame, schema_of(frame, sex, income, region)


def described_facts(schema: Schema, names: Sequence[str] | None = None) -> dict[str, tuple[Any, ...]]:
    """What a codebook must bring back."""
    return {
        a.name: (a.kind, a.label, dict(a.value_labels), tuple(a.missing_codes), a.display_format)
        for a in schema
        if names is None or a.name in names
    }
