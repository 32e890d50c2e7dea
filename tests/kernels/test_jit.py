"""Machine code of kernels is kept for the next process, and only as long as all sources are as they were."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import ammg

INNER = "from ammg.kernels.jit import jit\n\n\n@jit\ndef inner(x):\n    return x + {add}\n"
OUTER = INNER.format(add=0).replace("\n\n\n", "\nfrom ammg.kernels.inner import inner\n\n\n", 1)
OUTER = OUTER.replace("def inner(x):\n    return x + 0", "def outer(x):\n    return inner(x)")


def test_code_compiled_into_another_kernel_is_not_used_after_a_change(tmp_path: Path) -> None:
    package = tmp_path / "ammg" / "kernels"
    shutil.copytree(
        Path(ammg.__file__).parent / "kernels", package, ignore=shutil.ignore_patterns("__pycache__", "log*")
    )
    (tmp_path / "ammg" / "__init__.py").touch()
    (package / "outer.py").write_text(OUTER)
    call = "import sys; sys.path.insert(0, sys.argv[1]); from ammg.kernels.outer import outer; print(outer(2))"

    def answer() -> str:
        environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
        ran = subprocess.run(
            [sys.executable, "-c", call, str(tmp_path)], capture_output=True, text=True, check=True, env=environment
        )
        return ran.stdout.strip()

    (package / "inner.py").write_text(INNER.format(add=1))
    assert answer() == "3"
    kept = set(package.rglob("*.nbc"))
    assert kept
    assert answer() == "3"
    assert set(package.rglob("*.nbc")) == kept
    (package / "inner.py").write_text(INNER.format(add=10))
    assert answer() == "12"
