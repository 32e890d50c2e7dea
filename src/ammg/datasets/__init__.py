"""Data that come with AMMG: the ten patients of the AMMG paper and a simulated household survey of any size."""

from ammg.datasets.patients import PATIENT_ROLES, patients
from ammg.datasets.survey import RISK_KEYS, SURVEY_LEVELS, SURVEY_ROLES, survey

__all__ = ["PATIENT_ROLES", "RISK_KEYS", "SURVEY_LEVELS", "SURVEY_ROLES", "patients", "survey"]
