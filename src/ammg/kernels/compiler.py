"""How numba compiles kernels: as it always does, without the work that plain loops over arrays do not need.

A function that only kernels call needs no machine code of its own: numba would optimise and assemble it, and all it
calls, once alone and once again within each caller. Here its code is only linked into its callers. Steps that rewrite
closures, generators and array expressions are left out, and the cyclic garbage collector waits meanwhile: it would scan
numba's many objects over and over. None of this changes what a kernel computes.
"""
# mypy: disallow-untyped-calls=False
# (numba's own functions have no types)

from __future__ import annotations

import gc
from typing import Any

from numba._dynfunc import make_function
from numba.core import event, typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering

_NOT_NEEDED = {
    untyped_passes.InlineClosureLikes,
    untyped_passes.InlineInlinables,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    typed_passes.AnnotateTypes,
}


class KernelCompiler(CompilerBase):
    """The passes for kernels that Python calls."""

    def define_pipelines(self) -> list[PassManager]:
        """The usual passes but those that plain loops do not need."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [self.chosen(one) for one in passes.passes if one[0] not in _NOT_NEEDED]
        passes.finalize()
        return [passes]

    def chosen(self, one: tuple[Any, str]) -> tuple[Any, str]:
        """The pass to run in the place of a usual one."""
        return one


class PartCompiler(KernelCompiler):
    """The passes for parts of kernels, which Python never calls."""

    def chosen(self, one: tuple[Any, str]) -> tuple[Any, str]:
        """Lowering ends before machine code is made."""
        return (_LowerPart, one[1]) if one[0] is NativeLowering else one


class _PartLibrary(JITCodeLibrary):
    """Code that waits to be linked into the code of callers, and is optimised there."""

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    """Lowering to code that callers link in."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()
        lowered = state["cr"]
        name = state.func_id.func_qualname.split(".")[-1]
        known_as = make_function(lowered.fndesc.lookup_module(), name, "", 0, lowered.env, (state.library,))
        state.targetctx.insert_user_function(known_as, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = lowered._replace(cfunc=known_as)
        return True


class _CollectLater(event.Listener):
    """Cyclic garbage is collected after a kernel is compiled. Numba's lock lets one thread compile at a time."""

    depth = 0
    was_on = False

    def on_start(self, event: Any) -> None:
        if not self.depth:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if not self.depth and self.was_on:
            gc.enable()


event.register("numba:compile", _CollectLater())
