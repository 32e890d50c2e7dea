"""Spark: what goes in, what comes out, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ammg
from ammg.data.encoding import ID
from ammg.draws import Secret
from ammg.engines.local import LocalEngine
from ammg.engines.spark import SparkEngine
from ammg.engines.spark.work import map_frames, worker_errors
from ammg.errors import DataWarning, ReleaseBlocked
from ammg.projects.mask import mask_project

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ROUNDED = ammg.Rounding(columns=("pay",), base=10.0)


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> SparkEngine:
    return SparkEngine(spark)


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": ["Ann", "Bob", "Cid", "Dot", "Eve", "Fay"],
            "home": [7, 7, 8, 8, 8, 9],
            "town": ["North", "South", None, "South", "North", "East"],
            "pay": [11.0, 22.0, 33.0, None, 55.0, 66.0],
            "weight": [1.0, 2.0, 1.0, 1.0, 1.0, 1.5],
        }
    )


def with_roles(data: ammg.Microdata) -> ammg.Microdata:
    return data.with_roles(identifier="name", household="home", weight="weight")


def test_declared_identities_are_counted_and_guarded_where_the_records_are(engine: SparkEngine, tmp_path: Path) -> None:
    table = pl.DataFrame({"wage": [float(i % 97) for i in range(70_000)], "row": range(70_000)})
    table = table.with_columns(rent=pl.col("row") % 31 + 0.5)
    table = table.with_columns(total=pl.col("wage") + pl.col("rent") + pl.when(pl.col("row") < 3).then(9).otherwise(0))
    table.write_parquet(tmp_path / "in.parquet")
    roles = {"identifier": "row", "confidential": "total"}
    with pytest.warns(DataWarning, match="does not hold in 3 of 70,000 records"):
        data = engine.read(str(tmp_path / "in.parquet")).with_roles(**roles).with_identities("total = wage + rent")
    late = ammg.AdditiveNoise(columns=("total",), where="row >= 69990")
    with pytest.raises(ReleaseBlocked, match="'total' was masked alone, but the declared identity"):
        ammg.Pipeline([late]).run(data, secret=1, engine=engine).release()
    both = ammg.AdditiveNoise(columns=("total", "wage"), where="row >= 69990")
    assert len(ammg.Pipeline([both]).run(data, secret=1, engine=engine).release()) == 70_000


def test_records_do_not_come_to_the_driver_unasked(engine: SparkEngine, people: pl.DataFrame) -> None:
    masked = ammg.Pipeline([ROUNDED]).run(ammg.Microdata(people), secret=1, engine=engine)
    for look in (
        lambda: masked.table,
        lambda: masked.link,
        lambda: masked.release(force="a test").table,
        masked.source.collect,
    ):
        with pytest.raises(ammg.AmmgError, match=r"write_parquet.*to_polars"):
            look()
    assert "6 records" in repr(masked)
    assert masked.t == 6


def test_a_method_that_sees_more_than_a_record_is_refused_before_any_work(
    engine: SparkEngine, people: pl.DataFrame
) -> None:
    steps = [ammg.Sampling(), ammg.RankSwapping(columns=("pay",))]
    with pytest.raises(ammg.AmmgError, match="rank_swapping does not run on spark yet"):
        ammg.Pipeline(steps).run(ammg.Microdata(people), engine=engine)


def test_a_spark_frame_is_masked_where_it_is(engine: SparkEngine, spark: SparkSession, people: pl.DataFrame) -> None:
    rows = people.with_row_index("number").with_columns(pl.col("number").cast(pl.Int64))
    frame = spark.createDataFrame(
        rows.rows(), "number long, name string, home long, town string, pay double, weight double"
    )
    data = with_roles(engine.microdata(frame, ids="number"))
    steps = [ammg.GlobalRecoding(columns=("town",), map={"East": "North"}), ROUNDED, ammg.Sampling(fraction=0.5)]
    masked = ammg.Pipeline(steps).run(data, secret=1, engine=engine)
    here = ammg.Pipeline(steps).run(with_roles(ammg.Microdata(people)), secret=1)
    assert_frame_equal(masked.source.to_polars().drop(ID), here.table, check_exact=True)


def test_a_spark_frame_does_not_run_on_another_engine(engine: SparkEngine, spark: SparkSession) -> None:
    data = engine.microdata(
        spark.range(3).withColumnRenamed("id", "number").selectExpr("number", "number AS x"), "number"
    )
    with pytest.raises(ammg.AmmgError, match="on Spark"):
        _ = ammg.Pipeline([ammg.Rounding(columns=("x",))]).run(data, engine=LocalEngine()).table


@pytest.mark.parametrize("numbers", [[0, 1, 1], [1, 2, 3], [0, 1, 5]])
def test_records_must_be_numbered_from_zero_without_gaps(
    engine: SparkEngine, spark: SparkSession, numbers: list[int]
) -> None:
    frame = spark.createDataFrame([(number, 0.5) for number in numbers], "number long, x double")
    with pytest.raises(ammg.AmmgError, match="must number the 3 records 0 to 2"):
        engine.microdata(frame, ids="number")


def test_bad_weights_on_spark_are_refused(engine: SparkEngine, spark: SparkSession) -> None:
    frame = spark.createDataFrame([(0, 1.0), (1, -2.0)], "number long, w double")
    data = engine.microdata(frame, ids="number").with_roles(weight="w")
    with pytest.raises(ammg.AmmgError, match="in 1 records"):
        engine.open(data)


def test_what_a_worker_refuses_reads_like_any_other_error(engine: SparkEngine, people: pl.DataFrame) -> None:
    step = ammg.GlobalRecoding(columns=("pay",), map={"11": "eleven"})
    masked = ammg.Pipeline([step]).run(ammg.Microdata(people), secret=1, engine=engine)
    with pytest.raises(
        ammg.AmmgError, match=r"^'pay' has the value \d+, which is not in the map or hierarchy: add it\.$"
    ):
        masked.source.to_polars()


def test_masked_records_are_written_whole_and_never_over_others(
    engine: SparkEngine, people: pl.DataFrame, tmp_path: Path
) -> None:
    masked = ammg.Pipeline([ROUNDED]).run(ammg.Microdata(people), secret=1, engine=engine)
    masked.source.write_parquet(str(tmp_path / "masked.parquet"))
    back = ammg.read(tmp_path / "masked.parquet").table.sort("record")
    assert back["pay"].to_list() == [10.0, 20.0, 30.0, None, 60.0, 70.0]  # halves to the even multiple
    assert [path.name for path in tmp_path.iterdir()] == ["masked.parquet"]
    with pytest.raises(ammg.AmmgError, match="exists"):
        masked.source.write_parquet(str(tmp_path / "masked.parquet"))


def test_a_release_has_no_identifiers_and_no_original_order(
    engine: SparkEngine, people: pl.DataFrame, tmp_path: Path
) -> None:
    many = pl.concat([people.with_columns(pl.col("home") + 10 * i) for i in range(200)])
    data = with_roles(ammg.Microdata(many))
    ammg.Pipeline([ROUNDED]).run(data, secret=1, engine=engine).release(force="a test").write(tmp_path / "out.parquet")
    released = ammg.read(tmp_path / "out.parquet").table
    here = ammg.Pipeline([ROUNDED]).run(data, secret=1).release(force="a test").table
    assert_frame_equal(released, here, check_exact=True)
    assert released["home"].unique().sort().to_list() == list(range(1, many["home"].n_unique() + 1))


@pytest.mark.parametrize("pseudonymous", [False, True])
def test_a_survey_of_households_leaves_spark_as_it_leaves_here(
    engine: SparkEngine, tmp_path: Path, pseudonymous: bool
) -> None:
    """The secret fixed: the same households, whether they are renumbered or have pseudonyms, and the same labels."""
    survey = ammg.datasets.survey(3_000, seed=1)
    survey.write_parquet(tmp_path / "in.parquet")
    data = ammg.read(tmp_path / "in.parquet", stream=True)
    region = data.schema["region"].replace(
        label="Where people live", value_labels={"nowhere": "gone", "Aldmark": "in the north"}
    )
    data = ammg.Microdata(data.streamed, data.schema.replace(region))
    data = data.with_roles(identifier="person_id", household="household_id", confidential=["wages", "income"])
    steps: list[ammg.Method] = [ammg.AdditiveNoise(columns=("wages", "income"))]
    if pseudonymous:
        steps.append(ammg.Pseudonyms(columns=("household_id",)))
    for name, where in (("here", None), ("spark", engine)):
        masked = ammg.Pipeline(steps).run(data, secret=1, engine=where)
        masked.release(force="a test of households").write(tmp_path / f"{name}.parquet")
    here, there = (ammg.read(tmp_path / f"{name}.parquet") for name in ("here", "spark"))
    assert_frame_equal(there.table, here.table, check_exact=True)
    assert there.schema["region"].label == here.schema["region"].label == "Where people live"
    assert there.schema["region"].value_labels == {"Aldmark": "in the north"}


def test_members_are_counted_where_the_records_are(engine: SparkEngine, tmp_path: Path) -> None:
    ammg.datasets.survey(3_000, seed=1).write_parquet(tmp_path / "in.parquet")
    data = ammg.read(tmp_path / "in.parquet", stream=True)
    data = data.with_roles(identifier="person_id", household="household_id", key=["household_size", "sex", "age"])
    steps = [ammg.GlobalRecoding(columns=("household_size",), cuts=(3,))]
    there = ammg.Pipeline(steps).run(data, secret=1, engine=engine)
    found = ammg.evaluate(there, ["k_anonymity", "cell_loss"], before=False)
    assert found["k_anonymity"].reason.startswith("the number of released members reveals household_size: drop")
    assert found.value("cell_loss") is not None
    without = ammg.Pipeline([*steps, ammg.IdentifierRemoval(columns=("household_id",))])
    assert ammg.evaluate(without.run(data, secret=1, engine=engine), "k_anonymity").value("k_anonymity") is not None
    with pytest.raises(ReleaseBlocked, match="the number of its members reveals what 'household_size' was"):
        there.release()


def test_an_empty_frame_and_one_record_are_masked(engine: SparkEngine, people: pl.DataFrame) -> None:
    for rows in (0, 1):
        masked = ammg.Pipeline([ROUNDED, ammg.AdditiveNoise(columns=("pay",))]).run(
            ammg.Microdata(people.head(rows)), secret=1, engine=engine
        )
        assert masked.source.to_polars().height == masked.t == rows


@pytest.mark.parametrize("dtype", [pl.Time(), pl.Datetime("ns")])
def test_a_type_that_spark_lacks_is_refused(engine: SparkEngine, dtype: pl.DataType) -> None:
    table = pl.DataFrame({"x": [1.0], "t": pl.Series([0]).cast(dtype)})
    with pytest.raises(ammg.AmmgError, match="which Spark cannot hold"):
        engine.open(ammg.Microdata(table))


def test_a_project_is_masked_and_released_on_spark_with_its_link(engine: SparkEngine, tmp_path: Path) -> None:
    table = pl.DataFrame({"name": [f"p{i}" for i in range(500)], "pay": [float(i * 37 % 501) for i in range(500)]})
    table.write_parquet(tmp_path / "in.parquet")
    (tmp_path / "project.yaml").write_text(
        "source: {path: in.parquet, stream: true}\nroles: {name: identifier, pay: confidential}\n"
        "methods: [additive_noise: {columns: [pay]}]\nmeasures: [il1s]\n",
        encoding="utf-8",
    )
    project, data = ammg.Project.open(tmp_path / "project.yaml")
    secret = Secret.of(bytes(32))
    links, files = [], []
    for name, chosen in (("here", LocalEngine()), ("there", engine)):
        target = str(tmp_path / f"{name}.parquet")
        mask_project(project, data, target=target, secret=secret, engine=chosen)
        links.append(pl.read_parquet(f"{target}.private/link.parquet"))
        files.append(ammg.read(target).table)
    assert links[0].equals(links[1])
    assert files[0].equals(files[1])
    with pytest.raises(ammg.AmmgError, match="writes Parquet"):
        mask_project(project, data, target=str(tmp_path / "a.csv"), engine=engine)


@pytest.mark.parametrize("command", ["mask", "assess"])
def test_the_command_line_runs_a_project_on_spark(
    engine: SparkEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    from ammg.cli import main

    pl.DataFrame({"age": [i % 7 for i in range(300)], "pay": [float(i * 37 % 301) for i in range(300)]}).write_parquet(
        tmp_path / "in.parquet"
    )
    (tmp_path / "project.yaml").write_text(
        "source: {path: in.parquet, stream: true}\nroles: {age: key, pay: confidential}\n"
        "methods: [additive_noise: {columns: [pay]}]\nmeasures: [frequency]\ntarget: out.parquet\n",
        encoding="utf-8",
    )
    monkeypatch.setattr("sys.argv", ["ammg", command, str(tmp_path / "project.yaml"), "--engine", "spark"])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    assert (tmp_path / "out.parquet").exists() == (command == "mask")


def test_a_killed_worker_is_one_sentence(engine: SparkEngine, people: pl.DataFrame) -> None:
    def die(frame: pl.DataFrame) -> pl.DataFrame:
        import os
        import signal

        if len(frame):
            os.kill(os.getpid(), signal.SIGKILL)
        return frame

    source = engine.open(ammg.Microdata(people))
    killed = map_frames(source.table.frame, {**source.table.schema, ID: pl.Int64()}, die)
    with pytest.raises(ammg.AmmgError, match="A worker of Spark was killed"), worker_errors():
        killed.toArrow()
