"""The survey with ten rules that its records meet, and that masking breaks."""

import ammg
from ammg.datasets.survey import SURVEY_ROLES

RULES = (
    "0 <= age <= 100",
    "age < 16 implies marital_status = 'single'",
    "age < 6 implies activity = 'preschool child'",
    "activity = 'preschool child' implies age < 6",
    "occupation = 'none' implies hours = 0",
    "age < 15 implies occupation = 'none'",
    "age < 16 implies education in ('below school age', 'primary or less', 'lower secondary', 'upper secondary')",
    "wages >= 0",
    "taxes <= income",
    "(activity, occupation) not in (('retired', 'managers'), ('homemaker', 'professionals'))",
)


def ruled_survey(records: int) -> ammg.Microdata:
    return ammg.Microdata(ammg.datasets.survey(records, seed=3)).with_roles(SURVEY_ROLES).with_rules(*RULES)
