"""A fork after use is refused in the child, which would wait for ever otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ammg

FORKS = """
import multiprocessing
import ammg

def work(_):
    try:
        return len(ammg.Pipeline([ammg.Sampling(fraction=0.5)]).run(ammg.datasets.patients(), secret=1).table)
    except ammg.AmmgError as error:
        return str(error)

if __name__ == "__main__":
    before = multiprocessing.get_context("fork").Pool(1)
    print(before.apply_async(work, (0,)).get(60))
    print(work(0))
    with multiprocessing.get_context("fork").Pool(1) as after:
        print(after.apply_async(work, (0,)).get(60))
    before.terminate()
"""


@pytest.mark.skipif(not hasattr(os, "register_at_fork"), reason="this system has no forks")
def test_a_child_forked_after_use_says_so_and_one_forked_before_works(tmp_path):
    script = tmp_path / "forks.py"
    script.write_text(FORKS)
    source = {**os.environ, "PYTHONPATH": str(Path(ammg.__file__).parents[1])}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=source, timeout=150, check=True)
    first, second, third = done.stdout.splitlines()
    assert (first, second) == ("5", "5")
    assert third.startswith("This process was forked from one that had used AMMG")
