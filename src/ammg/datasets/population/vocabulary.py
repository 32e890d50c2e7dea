"""The categories of the survey, in the order of their codes.

Country, regions and ethnic groups are invented, so that no figure reads as a statement about real people.
"""

from __future__ import annotations

import numpy as np

REGION = (
    "Aldmark", "Brenholt", "Carrow", "Dunmere", "Eastvale", "Farrow", "Glenmoor", "Harwick", "Inverlake",
    "Kestrel Bay", "Lorne", "Marchfield", "Northdale", "Oakhaven", "Port Selby", "Ridgeland", "Southmere", "Westerly",
)  # fmt: skip
URBANISATION = ("city", "town", "rural")
DWELLING = ("detached house", "terraced house", "flat", "other")
TENURE = ("owned outright", "mortgage", "private rent", "social rent", "rent free")
RELATIONSHIP = ("reference person", "partner", "child", "parent", "other")
SEX = ("male", "female")
MARITAL_STATUS = ("single", "married", "registered partnership", "separated", "divorced", "widowed")
ETHNICITY = (
    "Marean", "Highlander", "Islander", "Borderer", "Norran", "Vestran", "Ostran", "Sudran", "Kelvan",
    "Orlene", "Tamari", "Zanari", "Belloi", "Ushari", "Quillan", "mixed", "other",
)  # fmt: skip
EDUCATION = (
    "below school age", "primary or less", "lower secondary", "upper secondary", "vocational", "bachelor",
    "master or doctorate",
)  # fmt: skip
ACTIVITY = (
    "preschool child", "pupil or student", "full-time employee", "part-time employee", "self-employed", "unemployed",
    "retired", "homemaker", "unable to work", "other inactive",
)  # fmt: skip
OCCUPATION = (
    "none", "managers", "professionals", "technicians", "clerks", "service and sales", "farming and fishing",
    "craft and trades", "machine operators", "elementary", "armed forces",
)  # fmt: skip
HEALTH = ("very good", "good", "fair", "bad", "very bad")

PRESCHOOL, STUDENT, FULL_TIME, PART_TIME, SELF_EMPLOYED, UNEMPLOYED, RETIRED, HOMEMAKER, DISABLED, INACTIVE = range(10)
SINGLE, MARRIED, PARTNERSHIP, SEPARATED, DIVORCED, WIDOWED = range(6)
REFERENCE, PARTNER, CHILD, PARENT, OTHER = range(5)
MALE, FEMALE = range(2)
MIXED = ETHNICITY.index("mixed")

# How a group came to the country drives family size, age and schooling: native, neighbouring, earlier, recent.
HISTORY = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 1, 3], dtype=np.uint8)
