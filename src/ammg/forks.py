"""A process that was forked after AMMG had worked in it would wait for ever: say so instead."""

from __future__ import annotations

import os

from ammg.errors import InputError

_worked = False
_forked = False


def refuse_forked() -> None:
    """Note that work begins here; refuse it where the threads that it needs were lost in a fork."""
    global _worked
    if _forked:
        raise InputError(
            "This process was forked from one that had used AMMG, and the threads of polars and numba did not come "
            "along: start processes with multiprocessing.get_context('spawn'), or fork before the first use."
        )
    _worked = True


def _after_fork() -> None:
    global _forked
    _forked = _worked


if hasattr(os, "register_at_fork"):  # not on Windows, which has no forks
    os.register_at_fork(after_in_child=_after_fork)
