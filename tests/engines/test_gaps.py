"""The table of what runs where says what happens."""

from __future__ import annotations

from ammg import registry
from ammg.engines.gaps import coverage, gaps_table
from ammg.methods.method import Sees


def test_every_method_has_an_entry_for_every_engine() -> None:
    entries = {(entry.method, entry.engine) for entry in coverage()}
    assert entries == {(name, engine) for name in registry.units("methods") for engine in ("local", "spark")}


def test_the_local_engine_has_no_gaps_and_spark_those_of_what_sees_more_than_a_record() -> None:
    methods = registry.units("methods")
    for entry in coverage():
        expected = entry.engine == "spark" and methods[entry.method].sees is not Sees.RECORD
        assert (entry.gap is not None) == expected, entry


def test_a_gap_has_a_status_and_a_reason() -> None:
    table = gaps_table()
    assert "| rank_swapping | yes | where strata are given; else not yet: without strata the whole file is one" in table
    assert "| correlated_noise | yes | yes |" in table
