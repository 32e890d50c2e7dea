"""Kernels that run as plain Python until compiling pays."""

from __future__ import annotations

import numpy as np

from ammg.kernels.jit import jit, jit_part
from ammg.kernels.plain import Budget, is_compiled, plain

STEP = 1


@jit_part
def change(x: int) -> int:
    return x + STEP


@jit
def twice(x: int) -> int:
    return change(change(x))


@jit
def new(x: int) -> int:
    return change(x)


def test_a_kernel_and_its_parts_run_as_plain_python() -> None:
    assert plain(twice)(1) == 3
    assert plain(twice)(np.array([1, 2])).tolist() == [3, 4]


def test_parts_and_constants_can_be_replaced() -> None:
    assert plain(twice, STEP=5)(1) == 11
    assert plain(twice, change=lambda x: x * 10)(1) == 100
    assert twice(1) == 3


def test_a_kernel_is_compiled_once_plain_calls_have_taken_as_long() -> None:
    budget = Budget(1.0)
    assert [budget.allows(new, 0.4) for _ in range(3)] == [True, True, False]


def test_many_calls_to_come_are_compiled_at_once() -> None:
    assert not Budget(1.0).allows(new, 0.4, calls=3)
    assert Budget(1.0).allows(new, 0.4, calls=2)


def test_what_is_compiled_is_not_run_as_plain_python() -> None:
    assert not is_compiled(new)
    twice(1)
    assert is_compiled(twice)
    assert not Budget(1.0).allows(twice, 0.1)
