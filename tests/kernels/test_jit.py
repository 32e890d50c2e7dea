"""Machine code of kernels is kept for the next process, and only as long as all sources are as they were."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ammg

KERNELS = Path(ammg.__file__).parent / "kernels"

INNER = "from ammg.kernels.jit import jit\n\n\n@jit\ndef inner(x):\n    return x + {add}\n"
OUTER = INNER.format(add=0).replace("\n\n\n", "\nfrom ammg.kernels.inner import inner\n\n\n", 1)
OUTER = OUTER.replace("def inner(x):\n    return x + 0", "def outer(x):\n    return inner(x)")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the kernels, with one that calls another."""
    kernels = tmp_path / "ammg" / "kernels"
    shutil.copytree(KERNELS, kernels, ignore=shutil.ignore_patterns("__pycache__", "log*"))
    (tmp_path / "ammg" / "__init__.py").touch()
    (kernels / "outer.py").write_text(OUTER)
    (kernels / "inner.py").write_text(INNER.format(add=1))
    return kernels


PARTS = """
import gc
from ammg.kernels.jit import jit, jit_part

@jit_part
def share(x, by):
    return x // by

@jit_part
def shares(x, by):
    return share(x, by) + share(x, by + 1)

@jit
def outer(x, by=2):
    return shares(x, by) + share(x, 1)
"""


def answer(package: Path, **given: str) -> str:
    call = "import sys; sys.path.insert(0, sys.argv[1]); from ammg.kernels.outer import outer; print(outer(2))"
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"} | given
    folder = str(package.parents[1])
    ran = subprocess.run(
        [sys.executable, "-c", call, folder], capture_output=True, text=True, check=True, env=environment
    )
    return ran.stdout.strip()


def test_code_compiled_into_another_kernel_is_not_used_after_a_change(package: Path) -> None:
    assert answer(package) == "3"
    kept = set(package.rglob("*.nbc"))
    assert kept
    assert answer(package) == "3"
    assert set(package.rglob("*.nbc")) == kept
    (package / "inner.py").write_text(INNER.format(add=10))
    assert answer(package) == "12"


def test_an_installation_that_cannot_be_written_keeps_code_in_the_cache_of_the_user(
    package: Path, tmp_path: Path
) -> None:
    (package / "__pycache__").touch()  # a file where the folder should be
    assert answer(package, XDG_CACHE_HOME=str(tmp_path / "cache")) == "3"
    assert list((tmp_path / "cache").rglob("*.nbc"))
    (tmp_path / "nowhere").touch()
    assert answer(package, XDG_CACHE_HOME=str(tmp_path / "nowhere")) == "3"  # compiled anew, kept nowhere


def test_the_folder_that_numba_is_told_is_used(package: Path, tmp_path: Path) -> None:
    assert answer(package, NUMBA_CACHE_DIR=str(tmp_path / "told")) == "3"
    assert list((tmp_path / "told").rglob("*.nbc"))
    assert not list(package.rglob("*.nbc"))


def test_parts_are_linked_into_the_kernels_that_call_them(package: Path) -> None:
    (package / "outer.py").write_text(PARTS)
    for _ in range(2):  # compiled, then from the cache
        assert answer(package) == "3"


def test_other_versions_of_numba_compile_as_they_always_do(package: Path) -> None:
    text = (package / "jit.py").read_text()
    (package / "jit.py").write_text(text.replace('_TRIED = "', '_TRIED = "not '))
    (package / "compiler.py").unlink()
    (package / "outer.py").write_text(PARTS)
    assert answer(package) == "3"


def test_the_error_of_a_part_reaches_python_and_garbage_is_collected_again(package: Path) -> None:
    (package / "outer.py").write_text(
        PARTS + "try:\n    outer(2, 0)\nexcept ZeroDivisionError:\n    print(gc.isenabled())\n"
    )
    for _ in range(2):
        assert answer(package) == "True\n3"


def test_parts_get_no_machine_code_of_their_own() -> None:
    from ammg.kernels.jit import jit, jit_part

    @jit_part
    def half(x: float) -> float:
        return x / 2

    @jit
    def quarter(x: float) -> float:
        return half(half(x))

    assert quarter(3.0) == 0.75
    (kernel,), (part,) = (function.overloads.values() for function in (quarter, half))  # type: ignore[attr-defined]
    assert kernel.library._compiled_object
    assert part.library.get_pointer_to_function(part.fndesc.llvm_func_name) == 0


def test_no_kernel_calls_another_with_a_plain_number() -> None:
    """The called one would be compiled again for that number alone."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in KERNELS.rglob("*.py")}
    functions = [
        (path, node) for path, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    ]
    compiled = [
        (path, node) for path, node in functions if {"jit", "jit_part"} & set(map(ast.unparse, node.decorator_list))
    ]
    names = {node.name for _, node in compiled}
    plain = [
        f"{path.name}: {ast.unparse(call)}"
        for path, node in compiled
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in names
        if any(isinstance(getattr(given, "operand", given), ast.Constant) for given in call.args)
    ]
    assert len(names) > 100
    assert plain == []
