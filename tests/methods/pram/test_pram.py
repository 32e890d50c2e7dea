from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import InputError

MATRIX = {"a": {"a": 0.7, "b": 0.3}, "b": {"a": 0.1, "b": 0.6, "c": 0.3}, "c": {"c": 0.5, "b": 0.5}}


def letters(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    table = pl.DataFrame(
        {
            "letter": rng.choice(list("abc"), n, p=[0.5, 0.3, 0.2]),
            "place": rng.choice(["x", "y"], n),
            "weight": rng.uniform(1, 3, n),
        }
    )
    return ammg.Microdata(table).with_roles(key=["letter", "place"])


def counts(table, name="letter"):
    return {row[0]: row[1] for row in table[name].value_counts().rows()}


def test_categories_change_as_often_as_the_matrix_says():
    data = letters(60_000)
    masked = ammg.Pipeline([ammg.Pram(columns="letter", matrix=MATRIX)]).run(data, secret=1)
    for origin, row in MATRIX.items():
        shown = masked.table["letter"].filter(data.table["letter"] == origin)
        for target in "abc":
            chance = row.get(target, 0.0)
            error = 4 * np.sqrt(max(chance * (1 - chance), 1e-12) / len(shown))
            assert abs((shown == target).mean() - chance) <= error


def test_a_list_of_rows_is_a_mapping_in_the_order_of_the_categories():
    rows = [[0.7, 0.3, 0.0], [0.1, 0.6, 0.3], [0.0, 0.5, 0.5]]
    files = [
        ammg.Pipeline([ammg.Pram(columns="letter", matrix=given)]).run(letters(), secret=3).table
        for given in (rows, MATRIX)
    ]
    assert files[0].equals(files[1])


def test_neighbours_stay_within_reach_and_blocks_within_their_class():
    grades = [f"g{number}" for number in range(6)]
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"grade": pl.Series(rng.choice(grades, 3000), dtype=pl.Enum(grades))})
    tree = ammg.Hierarchy.from_rows([[grade, "low" if number < 2 else "high"] for number, grade in enumerate(grades)])
    data = ammg.Microdata(table).with_kinds(ordinal="grade").with_roles(key=["grade"]).with_hierarchies(grade=tree)
    code = {grade: number for number, grade in enumerate(grades)}
    before = np.array([code[grade] for grade in table["grade"]])
    near = ammg.Pipeline([ammg.Pram(pattern="neighbours", reach=2, stay=0.3)]).run(data, secret=1).table["grade"]
    moved = np.abs(np.array([code[grade] for grade in near]) - before)
    assert set(moved.tolist()) == {0, 1, 2}
    inside = ammg.Pipeline([ammg.Pram(pattern="blocks", stay=0.3)]).run(data, secret=1).table["grade"]
    after = np.array([code[grade] for grade in inside])
    assert ((after < 2) == (before < 2)).all()
    assert (after != before).mean() > 0.5


def test_combinations_that_do_not_occur_are_never_made():
    rng = np.random.default_rng(2)
    region = rng.integers(0, 4, 2000)
    table = pl.DataFrame({"region": region.astype(str), "town": (region * 10 + rng.integers(0, 5, 2000)).astype(str)})
    data = ammg.Microdata(table).with_kinds(nominal=["region", "town"]).with_roles(key=["region", "town"])
    inside = ammg.Pipeline([ammg.Pram(columns="town", within="region", stay=0.2)]).run(data, secret=1).table
    assert (inside["town"].str.zfill(2).str.slice(0, 1) == inside["region"]).all()
    assert (inside["town"] != table["town"]).mean() > 0.6
    both = ammg.Pipeline([ammg.Pram(columns=["region", "town"], compound=True, stay=0.2)]).run(data, secret=1).table
    assert (both["town"].str.zfill(2).str.slice(0, 1) == both["region"]).all()
    assert (both["region"] != table["region"]).mean() > 0.5


def test_parts_of_a_file_change_as_the_whole_does(tmp_path):
    data = letters(3000)
    data.table.write_parquet(tmp_path / "letters.parquet", row_group_size=700)
    from ammg.data.parquet_table import ParquetTable

    streamed = ammg.Microdata(ParquetTable(tmp_path / "letters.parquet"), data.schema)
    step = ammg.Pram(columns=["letter"], within=["place"])
    whole, parts = (ammg.Pipeline([step]).run(file, secret=5).table for file in (data, streamed))
    assert whole.equals(parts)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": {"a": 0.7, "b": 0.2}}, "'a' in the matrix of 'letter'.*add up to 0.9"),
        ({"a": {"a": 1.2, "b": -0.2}}, "must lie between 0 and 1"),
        ({"z": {"a": 1.0}}, "names 'z', which is not a category of 'letter'"),
        ({"a": {"q": 1.0}}, "names 'q', which is not a category of 'letter'"),
        ([[1.0, 0.0], [0.0, 1.0]], "'letter' has 3 categories, but the matrix has 2 rows"),
        ([[1.0, 0.0, 0.0]], "has 3 categories, but the matrix has 1 rows"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        ammg.Pipeline([ammg.Pram(columns="letter", matrix=given)]).run(letters(50), secret=1)


def test_patterns_that_a_column_does_not_have_are_refused():
    for pattern, message in (("neighbours", "only ordered categories"), ("blocks", "has no hierarchy")):
        with pytest.raises(InputError, match=message):
            ammg.Pipeline([ammg.Pram(columns="letter", pattern=pattern)]).run(letters(50), secret=1)
    with pytest.raises(InputError, match="drop compound"):
        ammg.Pram(pattern="blocks", compound=True)
    with pytest.raises(InputError, match="cannot be both changed and named in `within`"):
        ammg.Pipeline([ammg.Pram(columns="letter", within="letter")]).run(letters(50), secret=1)


def test_a_given_matrix_changes_as_much_as_in_sdcmicro(shared):
    """sdcMicro 5.8.1, pram(tdf, variables='walls', pd=Pm), 20 repetitions: 20.173 % change (sd 0.519)."""
    golden = {
        entry["id"]: entry["result"] for entry in json.loads((shared / "golden" / "pram.json").read_text())["entries"]
    }
    golden = golden["walls_fixed_matrix"]
    data = ammg.read(shared / "data" / "testdata.csv").with_kinds(nominal="walls").with_roles(key=["walls"])
    step = ammg.Pram(columns="walls", matrix=golden["Rs_seed1"]["walls"])
    files = [ammg.Pipeline([step]).run(data, Secret.known(secret)).table["walls"] for secret in range(20)]
    changed = [100 * float((file != data.table["walls"]).mean()) for file in files]
    assert np.mean(changed) == pytest.approx(golden["percChanges_mean"]["walls"], abs=0.5)
    assert np.std(changed, ddof=1) == pytest.approx(golden["percChanges_sd"]["walls"], abs=0.35)
    before = data.table["walls"].value_counts(normalize=True).sort("walls")["proportion"].to_numpy()
    distances = [
        np.abs(file.value_counts(normalize=True).sort("walls")["proportion"].to_numpy() - before).sum() / 2
        for file in files
    ]
    assert np.mean(distances) == pytest.approx(golden["tv_distance_mean"]["walls"], abs=0.005)


def test_the_attacks_know_the_matrix_of_each_group():
    rng = np.random.default_rng(4)
    table = pl.DataFrame({"letter": rng.choice(list("abcdef"), 400), "place": rng.integers(0, 40, 400).astype(str)})
    data = ammg.Microdata(table).with_kinds(nominal=["letter", "place"]).with_roles(key=["letter", "place"])
    masked = ammg.Pipeline([ammg.Pram(columns="letter", within="place", pattern="uniform", stay=0.7)]).run(data, 1)
    linked = ammg.TransitionLinkage().measure(masked.pair, ammg.Scenario())
    blind = ammg.TransitionLinkage().measure(masked.pair, ammg.Scenario(known=("letter",)))
    assert blind.value < 0.02 < linked.value
    assert linked.value >= ammg.DistanceLinkage().measure(masked.pair, ammg.Scenario()).value - 1e-9
    assert linked.value == pytest.approx(ammg.ReplayLinkage().measure(masked.pair, ammg.Scenario()).value, abs=0.1)


def test_the_risk_of_uniques_is_that_of_a_simulation_also_within_groups():
    """Of all uniques shown over many secrets, as many are shown truly as the measure expects."""
    rng = np.random.default_rng(6)
    table = pl.DataFrame({"letter": rng.choice(list("abcdefgh"), 120), "place": rng.choice(list("xyz"), 120)})
    table = table.with_columns(number=pl.Series(rng.integers(0, 6, 120).astype(str)))
    data = ammg.Microdata(table).with_roles(key=table.columns)
    step = ammg.Pram(columns="letter", within="place", pattern="uniform", stay=0.6)
    expected, true = 0.0, 0.0
    for secret in map(Secret.known, range(60)):
        pair = ammg.Pipeline([step]).run(data, secret).pair
        expected += ammg.MisclassificationRisk().measure(pair, ammg.Scenario()).facts["expected_matches"]
        shown = pair.masked.table.with_columns(same=pair.masked.table["letter"] == table["letter"])
        alone = shown.filter(pl.struct("letter", "place", "number").is_unique())
        held = table.group_by(table.columns).len().rename({"len": "people"})
        matched = alone.join(held, on=table.columns, how="left")
        true += float((matched["same"] / matched["people"].fill_null(1)).sum())
    assert expected == pytest.approx(true, rel=0.1)
