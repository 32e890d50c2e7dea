"""What the ladder saves: the same candidates judged by the search's bench and one by one to the end.

`python benchmarks/bench_search.py [records]` takes 100 recipes on a part of CENSUS (in the folder `shared` beside the
checkout), all columns known, worst case at most 10 %, and prints the choice of both ways, the number of recipes that
went through every attack, and the ratio of the processor times.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import ammg
from ammg.data.scenario import Scenario
from ammg.draws import Secret
from ammg.optimizer.bench import Bench
from ammg.optimizer.ladder import Problem
from ammg.optimizer.options import Recipe
from ammg.optimizer.storage import Journal

SHARED = Path(__file__).parents[2] / "shared" / "data"


def candidates(names: list[str]) -> list[Recipe]:
    """A hundred recipes from mild to strong."""
    steps: list[ammg.Method] = []
    for k in (3, 4, 5, 6, 8, 10, 12, 15, 20, 30):
        for noise, exact in (("none", False), ("within", False), ("within", True)):
            steps.append(ammg.Microaggregation(columns=names, k=k, noise=noise, exact=exact, iterations=1_000))
            steps.append(ammg.MDAV(columns=names, k=k, noise=noise, exact=exact))
    steps += [ammg.RankSwapping(columns=names, p=p) for p in range(1, 20, 2)]
    steps += [ammg.BoundedRankPermutation(columns=names, p=p) for p in range(2, 40, 4)]
    steps += [ammg.CorrelatedNoise(columns=names, d=d / 50) for d in range(1, 11)]
    steps += [ammg.UnivariateMicroaggregation(columns=names, k=k) for k in range(3, 33, 3)]
    return [(step,) for step in steps]


def main() -> None:
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 1_080
    data = ammg.read(SHARED / "CENSUS.csv")
    data = ammg.Microdata(data.table.head(records)).with_roles(key=data.columns)
    limits = (ammg.Limit("worst_case", 0.1),)
    recipes = candidates(data.columns)

    def problem() -> Problem:
        return Problem(data, limits, ammg.S1(), Scenario(), Secret.of(1))

    problem().judged(recipes[0])  # compiles what both need
    started = time.process_time()
    bench = Bench(problem(), Journal(None, ""), len(recipes), 1)
    safe = [verdict for verdict in bench.judge(recipes) if verdict.state == "safe"]
    quick, attacked = time.process_time() - started, len(safe)
    chosen = min(safe, key=lambda verdict: verdict.loss)
    print(
        f"ladder: {attacked} of {len(recipes)} recipes through every attack, {chosen.recipe[0]!r}, s1 {chosen.loss:.4f}"
    )
    started = time.process_time()
    whole = problem()
    verdicts = [whole.judged(recipe, whole=True) for recipe in recipes]
    full = time.process_time() - started
    best = min((verdict for verdict in verdicts if verdict.state == "safe"), key=lambda verdict: verdict.loss)
    print(f"whole: {best.recipe[0]!r}, s1 {best.loss:.4f}, same choice: {best.recipe == chosen.recipe}")
    print(f"processor time of the ladder: {quick:.0f} s, 1/{full / quick:.1f} of the {full:.0f} s of whole evaluations")


if __name__ == "__main__":
    main()
