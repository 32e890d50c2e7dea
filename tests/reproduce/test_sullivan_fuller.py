from __future__ import annotations

from pathlib import Path

import pytest

from ammg.reproduce import find


def test_the_tables_of_the_example_come_out_on_its_design():
    """Tolerances of one draw of 300 records; the correlations of variables with their masked versions are doubtful."""
    overall, across, counts, _, within = find("sullivan-fuller")(Path(), 8, quick=True)
    for side in ("original", "masked"):
        assert overall.ours[side]["r13"] == pytest.approx(overall.printed[side]["r13"], abs=0.05)
    for pair in ("r12", "r13", "r23"):
        assert overall.ours["masked"][pair] == pytest.approx(overall.ours["original"][pair], abs=0.05)
    for category in counts.columns:
        assert counts.ours["original"][category] == counts.printed["original"][category]
        assert counts.ours["masked"][category] == pytest.approx(counts.printed["masked"][category], abs=5)
    switched = [row["switched"] for label, row in across.ours.items() if "no check" in label]
    assert switched == sorted(switched)
    assert across.ours["α = 0.3, no check"]["X1"] == pytest.approx(1.3**-0.5, abs=0.04)
    for number in "14":
        assert abs(within.ours[f"{number} masked"]["r12"]) < abs(within.ours[f"{number} original"]["r12"])
