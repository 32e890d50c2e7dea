"""Runs every benchmark, or those that are named: `python -m benchmarks core microaggregation`.

`tasks` comes first: one table of what a user waits for. Each file is a process of its own, so that peak memory is that
of its own work, and prints figures as ratios to a baseline measured in the same run.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(names: list[str]) -> int:
    files = sorted(HERE.glob("bench_*.py"), key=lambda file: (file.stem != "bench_tasks", file.stem))
    known = {file.stem.removeprefix("bench_"): file for file in files}
    if unknown := [name for name in names if name not in known]:
        print(f"Unknown benchmark {unknown[0]}. There is: {', '.join(known)}.", file=sys.stderr)
        return 2
    failed = 0
    for name in names or known:
        print(f"== {name}", flush=True)
        failed += subprocess.run([sys.executable, known[name]], check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
