"""Releases that the gate stops, and why."""

import pytest

import ammg
from ammg.errors import ReleaseBlocked
from ammg.pipeline.masked import Masked


def reasons(masked: Masked) -> str:
    """Why this file is not released, a line for each reason."""
    with pytest.raises(ReleaseBlocked) as blocked:
        masked.release()
    return "\n".join(blocked.value.reasons)


def noise(*columns: str) -> ammg.Pipeline:
    """A step that masks these columns and no other."""
    return ammg.Pipeline([ammg.AdditiveNoise(columns=columns)])
