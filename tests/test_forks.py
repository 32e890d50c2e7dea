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

DOORS = """
import faulthandler, os
import ammg

masked = ammg.Pipeline([ammg.Sampling(fraction=0.5)]).run(ammg.datasets.patients(), secret=1)
found = ammg.evaluate(masked, ["frequency"])
doors = {
    "release": masked.release,
    "plot": masked.plot,
    "report": lambda: found.report("report.html"),
    "to_pandas": found.to_pandas,
    "search": lambda: ammg.search(masked.original, risk={"frequency": 0.5}, trials=2),
    "survey": lambda: ammg.datasets.survey(10),
}
for name, door in doors.items():
    child = os.fork()
    if not child:
        faulthandler.dump_traceback_later(20, exit=True)
        try:
            door()
        except ammg.AmmgError as error:
            os._exit(0 if str(error).startswith("This process was forked") else 2)
        os._exit(1)
    print(name, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "register_at_fork"), reason="this system has no forks")
def test_a_child_forked_after_use_is_refused_at_every_door(tmp_path):
    source = {**os.environ, "PYTHONPATH": str(Path(ammg.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", DOORS], capture_output=True, text=True, env=source, cwd=tmp_path, timeout=250, check=True
    )
    ends = dict(line.split() for line in done.stdout.splitlines())
    assert len(ends) == 6
    assert set(ends.values()) == {"0"}, done.stderr


@pytest.mark.skipif(not hasattr(os, "register_at_fork"), reason="this system has no forks")
def test_a_child_forked_after_use_says_so_and_one_forked_before_works(tmp_path):
    script = tmp_path / "forks.py"
    script.write_text(FORKS)
    source = {**os.environ, "PYTHONPATH": str(Path(ammg.__file__).parents[1])}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=source, timeout=150, check=True)
    first, second, third = done.stdout.splitlines()
    assert (first, second) == ("5", "5")
    assert third.startswith("This process was forked from one that had used AMMG")
