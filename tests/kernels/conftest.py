from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def census(shared: Path) -> np.ndarray:
    """CENSUS: 1080 records, 13 amounts (Mateo-Sanz, Sebé and Domingo-Ferrer 2004)."""
    return np.genfromtxt(shared / "data" / "CENSUS.csv", delimiter=",", skip_header=1)
