"""Declared identities: what they would give back is stopped."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stopped import noise, reasons

import ammg
from ammg.data.encoding import ID
from ammg.draws import Secret
from ammg.engines.local import LocalEngine, LocalSource
from ammg.errors import DataWarning
from ammg.pipeline.masked import Masked


def people(n: int = 200) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    wage, rent = rng.lognormal(8, 1, (2, n)).round(2)
    return pl.DataFrame({"wage": wage, "rent": rent, "total": wage + rent, "score": rng.normal(0, 1, n)})


def data(table: pl.DataFrame) -> ammg.Microdata:
    return ammg.Microdata(table).with_roles(confidential="score")


def test_one_masked_member_of_a_declared_identity_is_stopped_and_all_of_them_pass() -> None:
    """A few exceptions hide the sum from the search for identities, not from who declared it."""
    table = people().with_columns(total=pl.col("total") + pl.when(pl.int_range(pl.len()) < 20).then(500).otherwise(0))
    with pytest.warns(DataWarning, match="does not hold in 20 of 200 records"):
        declared = data(table).with_identities("total = wage + rent")
    assert "'total' was masked alone, but the declared identity 'total = wage + rent' gives it back" in reasons(
        noise("total").run(declared, secret=1)
    )
    assert len(noise("total").run(data(table), secret=1).release()) == 200  # what nobody declared is not known
    assert len(noise("wage", "rent", "total").run(declared, secret=1).release()) == 200


def test_a_declared_identity_is_told_once() -> None:
    declared = data(people()).with_identities("total = wage + rent")
    assert reasons(noise("total").run(declared, secret=1)).count("\n") == 0


def test_declared_identities_are_solved_together() -> None:
    table = people().with_columns(gap=pl.col("wage") - pl.col("rent"))
    declared = data(table).with_identities("total = wage + rent", "gap = wage - rent")
    told = reasons(noise("wage", "rent").run(declared, secret=1))
    assert "'wage' was masked, but together 'total = wage + rent', 'gap = wage - rent' give it back" in told


def test_cells_suppressed_alone_are_stopped_and_two_in_a_record_pass() -> None:
    table = people()
    gone = pl.int_range(200) < 3
    declared = data(table).with_identities("total = wage + rent")

    def suppressed(**where: pl.Expr) -> Masked:
        columns = {name: pl.when(~condition).then(pl.col(name)) for name, condition in where.items()}
        frame = table.with_columns(pl.int_range(200, dtype=pl.Int64).alias(ID), **columns)
        return Masked(declared, LocalSource(LocalEngine(), declared.schema, frame, 200), (), Secret.of(1))

    other = (pl.int_range(200) >= 3) & (pl.int_range(200) < 8)
    told = reasons(suppressed(total=gone, wage=other))
    assert "'total' is suppressed in 3 records where the declared identity 'total = wage + rent' gives it back" in told
    assert "'wage' is suppressed in 5 records" in told
    assert len(suppressed(total=gone, wage=gone).release()) == 200


def test_a_dropped_total_and_a_broken_one_are_notes() -> None:
    declared = data(people()).with_identities("total = wage + rent")
    notes = noise("wage", "rent", "total").run(declared, secret=1).release().clearance.notes
    assert any(
        "'total = wage + rent' does not hold in 200 masked records, and in 0 originals" in note for note in notes
    )
    steps = [ammg.IdentifierRemoval(columns=["total"]), ammg.AdditiveNoise(columns=["score"])]
    notes = ammg.Pipeline(steps).run(declared, secret=1).release().clearance.notes
    assert any("'total' is not released" in note for note in notes)


def test_a_declared_identity_is_checked_in_every_record_of_a_stream(tmp_path: Path) -> None:
    """The only masked sums are beyond the first records, which other rules look at."""
    people(300_000).with_columns(number=pl.int_range(300_000)).write_parquet(tmp_path / "in.parquet")
    late = ammg.AdditiveNoise(columns=["total"], where="number >= 299900")
    both = ammg.AdditiveNoise(columns=["total", "wage"], where="number >= 299900")
    streamed = ammg.read(tmp_path / "in.parquet", stream=True).with_roles(identifier="number", confidential="score")
    declared = streamed.with_identities("total = wage + rent")
    score = ammg.AdditiveNoise(columns=["score"])
    assert "'total' was masked alone" in reasons(ammg.Pipeline([score, late]).run(declared, secret=1))
    assert "masked alone" not in str(_notes(ammg.Pipeline([score, both]).run(declared, secret=1)))


def _notes(masked: Masked) -> tuple[str, ...]:
    clearance = masked.release(force="what is asked is what the gate says").clearance
    return (*clearance.reasons, *clearance.notes)
