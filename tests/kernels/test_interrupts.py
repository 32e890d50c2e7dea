"""A user who interrupts work in threads can go on in the same session, and leave it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

INTERRUPTED = """
import random, signal, sys, time
import numpy as np
import ammg.kernels.threads as threads
from ammg.kernels.blas import one_blas_thread
from ammg.kernels.blocks import over_blocks
from ammg.kernels.threads import helped_by, in_threads
from threadpoolctl import threadpool_info

def blocks():
    out = np.zeros(60)
    over_blocks(lambda a, b: out.__setitem__(slice(a, b), 1.0), 60, block=4)
    return out.sum()

def columns():
    return sum(in_threads(lambda j: float(np.arange(500.0).sum()) + j, range(4), 10**9))

def helper():
    over = []
    def wait():
        while not over:
            time.sleep(0)
    with helped_by(wait, lambda: over.append(1)):
        return np.arange(100.0).sum()

def interrupt(*_):
    raise KeyboardInterrupt

work = {"blocks": blocks, "columns": columns, "helper": helper}[sys.argv[1]]
signal.signal(signal.SIGALRM, interrupt)
chance, expected = random.Random(0), work()
libraries = [library["num_threads"] for library in threadpool_info()]
begun = time.perf_counter()
for _ in range(100):
    work()
longest = (time.perf_counter() - begun) / 100
met = 0
while met < 1000:
    before = met
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(2e-6, longest))
        try:
            work()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        met += 1
    while True:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert work() == expected
            break
        except KeyboardInterrupt:  # a late one
            met += 1
    longest = max(longest * (1.02 if met > before else 0.98), 4e-6)  # so about half come in time on any machine
assert [library["num_threads"] for library in threadpool_info()] == libraries
"""


@pytest.mark.skipif(os.name != "posix", reason="no interval timer")
@pytest.mark.parametrize("work", ["blocks", "columns", "helper"])
def test_work_in_threads_can_be_interrupted_at_any_moment(work: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, work], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
