"""Table 1 of Yancey, Winkler and Creecy (2002): rank swapping and plain noise on CENSUS, through the public face."""

import csv
from pathlib import Path

import numpy as np
import pytest

import ammg

SECRETS = 10
ROWS = {
    "rnkswp05": ammg.RankSwapping(p=5),
    "rnkswp10": ammg.RankSwapping(p=10),
    "rnkswp15": ammg.RankSwapping(p=15),
    "add01": ammg.CorrelatedNoise(d=0.01),
    "add10": ammg.CorrelatedNoise(d=0.10),
}
MEASURES = ("il1", "il1s", "il2", "il3", "il4", "il5", "s0", "s1", "s2")


@pytest.fixture(scope="module")
def runs(census_data: ammg.Microdata) -> dict[str, dict[str, list[float]]]:
    """Ten values of each measure for each row of the table."""

    def values(method: ammg.Method) -> dict[str, list[float]]:
        masked = [ammg.Pipeline([method]).run(census_data, secret) for secret in range(SECRETS)]
        evaluations = [ammg.evaluate(file, MEASURES) for file in masked]
        return {name: [evaluation.value(name) for evaluation in evaluations] for name in MEASURES}

    return {row: values(method) for row, method in ROWS.items()}


@pytest.fixture(scope="module")
def losses(runs) -> dict[str, dict[str, float]]:
    return {row: {name: float(np.mean(ten)) for name, ten in values.items()} for row, values in runs.items()}


def read(path: Path) -> dict[str, dict[str, str]]:
    with path.open() as lines:
        return {line["method"]: line for line in csv.DictReader(lines)}


@pytest.fixture(scope="module")
def printed(shared: Path) -> dict[str, dict[str, str]]:
    return read(shared / "spec" / "targets" / "yancey_table1_census_infoloss.csv")


@pytest.fixture(scope="module")
def prototype(shared: Path) -> dict[str, dict[str, str]]:
    return read(shared / "spec" / "targets" / "prototype_table1_reproduction.csv")


@pytest.mark.parametrize("row", ROWS)
def test_losses_are_the_printed_ones(runs, losses, printed, row: str) -> None:
    for name, tolerance in (("IL1", 0.005), ("IL2", 0.003), ("IL5", 0.003)):
        assert losses[row][name.lower()] == pytest.approx(float(printed[row][name]), abs=tolerance), name
    # The paper prints one draw: IL4 of add10 is 0.115 there and 0.100 = d in the mean, with a deviation of 0.012.
    chance = 2 * np.std(runs[row]["il4"]) / np.sqrt(SECRETS)
    assert losses[row]["il4"] == pytest.approx(float(printed[row]["IL4"]), abs=0.015 + chance)


@pytest.mark.parametrize("row", ROWS)
def test_il1s_is_what_others_measured_where_the_paper_printed_something_else(losses, prototype, row: str) -> None:
    assert losses[row]["il1s"] == pytest.approx(float(prototype[row]["IL1s_mean"]), abs=0.003)


@pytest.mark.parametrize("row", ROWS)
def test_il3_lies_within_three_deviations_of_what_others_measured(losses, prototype, row: str) -> None:
    spread = 3 * float(prototype[row]["sd_IL3"]) / np.sqrt(SECRETS)
    assert losses[row]["il3"] == pytest.approx(float(prototype[row]["IL3_mean"]), abs=spread)


@pytest.mark.parametrize("row", ROWS)
def test_scores_are_the_means_of_their_parts(losses, row: str) -> None:
    loss = losses[row]
    assert loss["s0"] == pytest.approx((loss["il2"] + loss["il3"] + loss["il4"] + loss["il5"]) / 4)
    assert loss["s1"] == pytest.approx((loss["il1"] + loss["il2"] + loss["il3"] + loss["il4"] + loss["il5"]) / 5)
    assert loss["s2"] == pytest.approx((loss["il1s"] + loss["il2"] + loss["il4"] + loss["il5"]) / 4)
