"""What kernels ask of the processor: integers that two running kernels share, pauses, and memory fetched ahead.

What one kernel wrote before a store is seen by the other after the load that reads it. Loops that jump from row to row
of large arrays mostly wait for memory: those that know which rows come next fetch them meanwhile. That changes nothing
but the time.
"""
# mypy: disallow-untyped-calls=False, disallow-untyped-decorators=False
# (numba's own functions have no types)

from __future__ import annotations

import os
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ammg.kernels.jit import jit_part

APART = 16
"""Integers from one flag to the next: neighbours in memory would slow each other down."""
IDLE = 20_000
"""Looks at the flags, tens of microseconds, before other threads may have the processor."""
LINE = 64
"""Bytes that are fetched at once."""
WORK, END, REST = np.int64(0), np.int64(1), np.int64(2)
"""Orders for a helper."""

_within_kernels: Any = intrinsic
_NUMBER = ir.IntType(32)
_PREFETCH = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, _NUMBER, _NUMBER, _NUMBER])
_READ_DATA_KEPT_CLOSE = [ir.Constant(_NUMBER, number) for number in (0, 3, 1)]


def _stay() -> None:
    """Where the system cannot be asked for a pause."""


def _stay_for(_: int) -> None:
    """The same, for some time."""


_HAS_PAUSES = os.name == "posix"

give_way: Any = types.ExternalFunction("sched_yield", types.int32()) if _HAS_PAUSES else jit_part(_stay)
"""Let other threads run, if any wait for this processor."""

rest: Any = types.ExternalFunction("usleep", types.int32(types.uint32)) if _HAS_PAUSES else jit_part(_stay_for)
"""Sleep for some microseconds."""


@_within_kernels
def load(typing: Any, array: Any, index: Any) -> Any:
    """`array[index]`, read from memory each time."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_address(context, builder, signature, args), "acquire", 8)

    return types.int64(array, types.int64), generate


@_within_kernels
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """`array[index] = value`, after all that was written before it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _address(context, builder, signature, args), "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


@_within_kernels
def replace(typing: Any, array: Any, index: Any, expected: Any, value: Any) -> Any:
    """Set `array[index]` if it has the expected value; returns whether it had. Of two threads, one succeeds."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _address(context, builder, signature, args)
        return builder.extract_value(builder.cmpxchg(address, args[2], args[3], "acq_rel", "acquire"), 1)

    return types.boolean(array, types.int64, types.int64, types.int64), generate


@_within_kernels
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for `array[index]`, which need not exist, and do not wait for it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = builder.bitcast(_address(context, builder, signature, args), cgutils.voidptr_t)
        wanted = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], _PREFETCH)
        builder.call(wanted, [address, *_READ_DATA_KEPT_CLOSE])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind = signature.args[0]
    array = context.make_array(kind)(context, builder, args[0])
    return cgutils.get_item_pointer(context, builder, kind, array, [args[1]], wraparound=False)
