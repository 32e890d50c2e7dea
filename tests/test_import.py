"""`import ammg` is light."""

import subprocess
import sys

HEAVY = {"numba", "scipy", "pandas", "joblib", "pyspark", "sqlalchemy"}


def loaded_after(statement: str) -> set[str]:
    program = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_ammg_and_its_program_and_naming_a_method_load_no_heavy_package() -> None:
    loaded = loaded_after("import ammg, ammg.cli; ammg.RankSwapping(p=5); ammg.Pipeline; ammg.evaluate; ammg.search")
    assert "polars" in loaded
    assert not HEAVY & loaded
