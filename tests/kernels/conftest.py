from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

SHARED = Path(__file__).parents[3] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data and published numbers beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip("reference data are not beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
def census(shared: Path) -> np.ndarray:
    """CENSUS: 1080 records, 13 amounts (Mateo-Sanz, Sebé and Domingo-Ferrer 2004)."""
    return np.genfromtxt(shared / "data" / "CENSUS.csv", delimiter=",", skip_header=1)
