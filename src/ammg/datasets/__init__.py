"""Data that come with AMMG: the ten patients of the AMMG paper and a simulated household survey of any size."""

from importlib.resources import files

from ammg.datasets.patients import PATIENT_ROLES, patients
from ammg.datasets.survey import RISK_KEYS, SURVEY_LEVELS, SURVEY_ROLES, survey

__all__ = [
    "PATIENT_ROLES",
    "RISK_KEYS",
    "SURVEY_LEVELS",
    "SURVEY_ROLES",
    "demo_project",
    "paper_project",
    "patients",
    "survey",
]


def demo_project() -> str:
    """The project file of the demonstration, as YAML: a survey with roles and a limit, and no method yet."""
    return files("ammg.datasets").joinpath("demo.yaml").read_text(encoding="utf-8")


def paper_project() -> str:
    """The project file of the paper's example, as YAML: ten patients, masked as the paper does."""
    return files("ammg.datasets").joinpath("patients.yaml").read_text(encoding="utf-8")
