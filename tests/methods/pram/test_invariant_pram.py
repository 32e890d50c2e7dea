from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.kernels.pram.transition_matrices import chance_to_stay, eased, invariant_matrix, spread, uniform_shares


def goods(n=5000, seed=0):
    rng = np.random.default_rng(seed)
    table = pl.DataFrame(
        {
            "good": rng.choice(list("abcde"), n, p=[0.4, 0.3, 0.2, 0.08, 0.02]),
            "shop": rng.choice(["x", "y", "z"], n),
            "weight": rng.uniform(1, 5, n),
        }
    )
    return ammg.Microdata(table).with_roles(key=["good", "shop"])


@pytest.mark.parametrize("pattern", ["proportional", "uniform"])
@pytest.mark.parametrize("within", [(), ("shop",)])
@pytest.mark.parametrize("weighted", [False, True])
def test_expected_frequencies_are_those_of_the_file_in_every_group(pattern, within, weighted):
    data = goods().with_roles(weight="weight") if weighted else goods()
    step = ammg.InvariantPram(columns="good", pattern=pattern, within=within, stay=0.75)
    masked = ammg.Pipeline([step]).run(data, secret=1)
    assert len(masked.published) == (3 if within else 1)
    for told in masked.published:
        part = data.table if not within else data.table.filter(pl.col("shop") == told.group[0])
        size = pl.col("weight").sum() if weighted else pl.len()
        found = dict(part.group_by("good").agg(size).rows())
        frequencies = np.array([found[category] for category in told.categories])
        assert np.abs(frequencies @ told.matrix - frequencies).max() <= 1e-9 * frequencies.sum()
        assert chance_to_stay(told.matrix, frequencies) == pytest.approx(0.75, abs=1e-6)


def test_what_cannot_be_kept_with_so_few_staying_is_told():
    table = pl.DataFrame({"rare": ["a"] * 95 + ["b"] * 5})
    masked = ammg.Pipeline([ammg.InvariantPram(stay=0.5)]).run(ammg.Microdata(table).with_roles(key=["rare"]), secret=1)
    assert any("more than 0.5 of the values stay" in note for note in masked.steps[0].notes)
    (told,) = masked.published
    assert np.array([95.0, 5.0]) @ told.matrix == pytest.approx([95, 5], abs=1e-9)


def test_a_given_matrix_is_made_invariant_and_eased():
    given = {"a": {"a": 0.5, "b": 0.5}, "b": {"a": 0.2, "b": 0.6, "c": 0.2}}
    masked = ammg.Pipeline([ammg.InvariantPram(columns="good", matrix=given, stay=0.9)]).run(goods(), secret=1)
    (told,) = masked.published
    frequencies = goods().table["good"].value_counts().sort("good")["count"].to_numpy().astype(float)
    assert np.abs(frequencies @ told.matrix - frequencies).max() <= 1e-9 * 5000
    assert chance_to_stay(told.matrix, frequencies) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("entry", "column", "least", "share"),
    [
        ("relat_pd0.8_a0.5", "relat", 0.8, 0.5),
        ("roof_walls_water", "water", 0.8, 0.5),
        ("roof_walls_pd0.6_a0.8", "roof", 0.6, 0.8),
    ],
)
def test_sdcmicro_is_the_same_construction_from_a_random_base(shared, entry, column, least, share):
    """sdcMicro draws the diagonal of its base from U(pd, 1) and mixes R with the identity by alpha: a random matrix.

    Its matrix is invariant for the file, ours made the same way changes as many records on average, and given to
    `Pram` it changes as many as its diagonal says.
    """
    golden = {
        found["id"]: found["result"] for found in json.loads((shared / "golden" / "pram.json").read_text())["entries"]
    }
    golden = golden[entry]
    data = ammg.read(shared / "data" / "testdata.csv").with_kinds(nominal=column).with_roles(key=[column])
    table = data.table[column].value_counts().sort(column)
    frequencies = table["count"].to_numpy().astype(float)
    printed = np.array(golden["Rs_seed1"][column])
    assert np.abs(frequencies @ printed - frequencies).max() <= 1e-9 * frequencies.sum()

    rng = np.random.default_rng(0)
    changed, size = [], len(frequencies)
    for _ in range(2000):
        base = np.vstack(
            [spread(uniform_shares(size), stay)[row] for row, stay in enumerate(rng.uniform(least, 1, size))]
        )
        matrix = share * invariant_matrix(base, frequencies) + (1 - share) * np.eye(size)
        changed.append(100 * (1 - chance_to_stay(matrix, frequencies)))
    spread_of_20 = golden["percChanges_sd"][column] / np.sqrt(20)
    assert np.mean(changed) == pytest.approx(golden["percChanges_mean"][column], abs=3.5 * spread_of_20)

    step = ammg.Pram(columns=column, matrix=(printed / printed.sum(axis=1, keepdims=True)).tolist())
    masked = ammg.Pipeline([step]).run(data, Secret.known(1)).table[column]
    chance = 1 - chance_to_stay(printed, frequencies)
    error = 4 * np.sqrt(chance * (1 - chance) / len(masked))
    assert float((masked != data.table[column]).mean()) == pytest.approx(chance, abs=error)


def test_sdcmicro_makes_a_matrix_for_each_stratum_as_ours_do(shared):
    """sdcMicro 5.8.1, pram(tdf, variables='walls', strata_variables=c('urbrur', 'sex')), 20 repetitions.

    The printed matrix is that of the last stratum, for which it is invariant, and not for the file (0.0054). Matrices
    of strata that are made the same way change as many records on average, and ours keep the table with the strata.
    """
    entries = json.loads((shared / "golden" / "pram.json").read_text())["entries"]
    golden = next(entry["result"] for entry in entries if entry["id"] == "walls_strata_sex")
    table = ammg.read(shared / "data" / "testdata.csv").table
    categories = sorted(table["walls"].unique().to_list())
    parts = {
        key: np.array([(part["walls"] == value).sum() for value in categories], dtype=float)
        for key, part in table.group_by("urbrur", "sex")
    }
    printed = np.array(golden["Rs_seed1"]["walls"])
    off = {key: float(np.abs(counts @ printed - counts).max() / counts.sum()) for key, counts in parts.items()}
    assert off.pop((2, 2)) < 1e-15
    assert min(off.values()) > 1e-3
    whole = sum(parts.values())
    expected = golden["invariance_max_dev_seed1"]["walls"]
    assert np.abs(whole @ printed - whole).max() / whole.sum() == pytest.approx(expected, rel=1e-9)

    rng = np.random.default_rng(0)
    changed = []
    for _ in range(1000):
        moved = 0.0
        for counts in parts.values():
            rows = [spread(uniform_shares(3), stay)[row] for row, stay in enumerate(rng.uniform(0.8, 1, 3))]
            matrix = 0.5 * invariant_matrix(np.vstack(rows), counts) + 0.5 * np.eye(3)
            moved += counts.sum() * (1 - chance_to_stay(matrix, counts))
        changed.append(100 * moved / whole.sum())
    spread_of_20 = golden["percChanges_sd"]["walls"] / np.sqrt(20)
    assert np.mean(changed) == pytest.approx(golden["percChanges_mean"]["walls"], abs=3.5 * spread_of_20)

    data = ammg.Microdata(table).with_kinds(nominal=["walls", "urbrur", "sex"]).with_roles(key=["walls"])
    step = ammg.InvariantPram(columns="walls", within=["urbrur", "sex"], stay=1 - np.mean(changed) / 100)
    for fact in ammg.Pipeline([step]).run(data, 1).published:
        counts = parts[tuple(int(value) for value in fact.group)]
        assert np.abs(counts @ fact.matrix - counts).max() <= 1e-9 * counts.sum()
        assert 100 * (1 - chance_to_stay(fact.matrix, counts)) == pytest.approx(np.mean(changed), abs=1e-6)


def test_easing_reaches_the_wanted_chance_or_says_that_it_cannot():
    frequencies = np.array([50.0, 30.0, 20.0])
    matrix = invariant_matrix(spread(uniform_shares(3), 0.4), frequencies)
    eased_matrix = eased(matrix, frequencies, 0.9)
    assert chance_to_stay(eased_matrix, frequencies) == pytest.approx(0.9)
    assert eased(matrix, frequencies, 0.01) is None
