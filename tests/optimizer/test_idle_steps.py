"""The search on integer codes chooses no step that does nothing, and claims the risk that the written file has."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import ammg
from ammg.release.provenance import write_private

CODES = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
METHODS = ["rare_category_recoding", "global_recoding", "rank_swapping", "univariate_microaggregation", "sampling"]
FRESH = """
import sys, json, ammg, polars as pl
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg import registry
folder, secret, recipe = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
table = pl.read_parquet(folder + "/original.parquet")
data = ammg.Microdata(table).with_kinds(nominal=table.columns[:-1]).with_roles(key=table.columns)
steps = [registry.find("methods", name)(**values) for step in recipe for name, values in step.items()]
told = ammg.Pipeline(steps).run(data, secret).published
link = pl.read_parquet(folder + "/private/link.parquet")["original"].to_numpy()
written = Pair(data, ammg.read(folder + "/release.csv"), link, told)
print(ammg.DistanceLinkage().measure(written, Scenario()).value)
"""


def check(shared: Path, folder: Path, secret: int, trials: int, records: int) -> None:
    table = pl.read_csv(shared / "data" / "testdata.csv").select(*CODES, "age").head(records)
    data = ammg.Microdata(table).with_kinds(nominal=CODES).with_roles(key=table.columns)
    result = ammg.search(data, {"distance_linkage": 0.05}, trials=trials, secret=secret, methods=METHODS)
    for step in result.chosen.steps:
        assert step.changed or step.records_after < step.records_before, f"{step.method} does nothing"
    table.write_parquet(folder / "original.parquet")
    release = result.chosen.release(force="a test")
    release.write(folder / "release.csv")
    write_private(result.chosen.secret, result.chosen.n, release, folder / "private")
    recipe = json.dumps(result.choice.to_dict()["recipe"])
    command = [sys.executable, "-c", FRESH, str(folder), str(secret), recipe]
    fresh = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert float(fresh) == pytest.approx(result.choice.risks["distance_linkage"], abs=1e-12)


def test_the_claimed_risk_is_that_of_the_written_file(shared: Path, tmp_path: Path) -> None:
    check(shared, tmp_path, secret=1, trials=16, records=400)


@pytest.mark.proof
@pytest.mark.parametrize("secret", [1, 2, 3])
def test_sixty_trials_on_testdata(shared: Path, tmp_path: Path, secret: int) -> None:
    check(shared, tmp_path, secret, trials=60, records=4580)
