"""`import ammg` is light."""

import subprocess
import sys

HEAVY = {"numba", "scipy", "pandas", "optuna", "pyspark", "sqlalchemy"}


def loaded_after(statement: str) -> set[str]:
    program = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_ammg_loads_no_heavy_package() -> None:
    assert not HEAVY & loaded_after("import ammg")


def test_naming_a_method_loads_no_heavy_package() -> None:
    assert not HEAVY & loaded_after("import ammg; ammg.RankSwapping(p=5); ammg.Pipeline; ammg.evaluate; ammg.search")


def test_listing_the_commands_loads_no_heavy_package() -> None:
    assert not HEAVY & loaded_after("import ammg.cli")
