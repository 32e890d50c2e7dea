"""Fetching memory into the cache before it is needed.

Loops that jump from row to row of large arrays mostly wait for memory. Those that know which rows come next can ask
for them meanwhile. This changes nothing but the time.
"""
# mypy: disallow-untyped-calls=False, disallow-untyped-decorators=False
# (numba's own functions have no types)

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LINE = 64
"""Bytes that are fetched at once."""

_within_kernels: Any = intrinsic
_NUMBER = ir.IntType(32)
_TYPE = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, _NUMBER, _NUMBER, _NUMBER])
_FOR_READING, _KEPT_CLOSE, _DATA = (ir.Constant(_NUMBER, number) for number in (0, 3, 1))


@_within_kernels
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for `array[index]`, which need not exist, and do not wait for it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        place = cgutils.get_item_pointer(
            context, builder, kind, context.make_array(kind)(context, builder, args[0]), [args[1]], wraparound=False
        )
        address = builder.bitcast(place, cgutils.voidptr_t)
        wanted = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], _TYPE)
        builder.call(wanted, [address, _FOR_READING, _KEPT_CLOSE, _DATA])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate
