"""A runnable example for the page of each method and measure, on one small file."""

from typing import Any

from families import folder_of

SMALL_FILE = """import polars as pl

import ammg

adults = ammg.datasets.survey(160, seed=1).filter(pl.col("age") >= 16)
adults = adults.with_columns(weight=pl.col("weight") / 1_000)  # a town, not a country
data = ammg.Microdata(adults).with_roles(
    identifier="person_id",
    household="household_id",
    weight="weight",
    key=["urbanisation", "sex", "age", "marital_status"],
    confidential=["health", "wages", "income"],
).with_levels(household=["urbanisation", "household_size"])
"""

STEPS = {
    "additive_noise": 'columns=["wages", "income"], p=0.3',
    "bottom_coding": 'columns=["income"], share=0.1',
    "top_coding": 'columns=["income"], share=0.1',
    "bounded_rank_permutation": 'columns=["wages", "income"], p=15',
    "bucket_rank_swapping": 'columns=["wages", "income"], p=10',
    "correlated_noise": 'columns=["wages", "income"], d=0.1',
    "data_shuffling": 'columns=["income"], given=["age"]',
    "data_swapping": 'columns=["marital_status", "health"], within=["sex"], rate=0.3',
    "distribution_rank_swapping": 'columns=["wages", "income"]',
    "exact_pram": 'columns=["marital_status"], stay=0.8',
    "global_recoding": 'columns=["age"], cuts=[30, 45, 60, 75]',
    "invariant_pram": 'columns=["marital_status"], stay=0.8',
    "joint_mixture_noise": 'columns=["wages", "income"], d=0.1',
    "jpeg": 'columns=["wages", "income"]',
    "local_recoding": 'columns=["sex", "age", "marital_status"], k=3',
    "local_suppression": 'columns=["sex", "age", "marital_status"], k=3',
    "log_noise": 'columns=["wages", "income"], zeros="keep"',
    "mdav": 'columns=["wages", "income"], k=5',
    "microaggregation": 'columns=["wages", "income"], k=5, iterations=50',
    "mixture_noise": 'columns=["wages", "income"], d=0.1',
    "mondrian": 'columns=["sex", "age", "marital_status"], k=5',
    "multiplicative_noise": 'columns=["wages", "income"]',
    "multivariate_percentile_noise": 'columns=["wages", "income"]',
    "multivariate_top_coding": 'columns=["wages", "income"]',
    "optimal_univariate_microaggregation": 'columns=["income"], k=5',
    "outlier_noise": 'columns=["wages", "income"]',
    "optimal_recoding": 'columns=["sex", "age", "marital_status"], k=3, suppression=0.05',
    "percentile_noise": 'columns=["wages", "income"]',
    "pram": 'columns=["marital_status"], stay=0.8',
    "projection_microaggregation": 'columns=["wages", "income"], k=5',
    "random_orthogonal_masking": 'columns=["wages", "income"]',
    "random_rounding": 'columns=["income"], base=10_000',
    "rank_swapping": 'columns=["wages", "income"], p=10',
    "rare_category_recoding": 'columns=["marital_status"], keep=2',
    "record_suppression": "threshold=0.05",
    "resampling": 'columns=["wages", "income"]',
    "restore_additivity": 'identities=["income = wages + other_income"], columns=["income", "wages"]',
    "risk_suppression": 'columns=["sex", "age", "marital_status"], threshold=0.05',
    "rounding": 'columns=["income"], base=10_000',
    "sampling": "fraction=0.5",
    "bernoulli_sampling": "fraction=0.5",
    "stratified_sampling": 'fraction=0.5, within=["sex"]',
    "semi_controlled_rounding": 'columns=["income"], base=10_000',
    "sullivan_fuller": 'columns=["wages", "income", "marital_status"]',
    "targeted_record_swapping": (
        'columns=["urbanisation"], keys=["sex", "age"], k=2, rate=0.2, similar=[["household_size"], []]'
    ),
    "univariate_microaggregation": 'columns=["income"], k=5',
    "v_mdav": 'columns=["wages", "income"], k=5',
}
"""Parameters of the example of a method, as they are written; a method that is not here runs with its defaults."""

BEFORE = {
    "optimal_recoding": (
        'data = data.with_hierarchies(age="by widths 5, 10, 20, 40", marital_status="by frequency 2, 1")\n'
    ),
    "hierarchical_t_closeness": 'levels = {value: [value[:4], value[:1]] for value in adults["health"].unique()}\n'
    "data = data.with_hierarchies(health=levels)\n",
}
"""What a unit needs besides the file."""

KNOWN = ("linkage", "noise", "ranks", "grouping", "rounding")
"""Folders of measures whose examples have an intruder who knows the numbers."""

MASKS = {
    "anonymity": ("GlobalRecoding", "columns=['age'], groups={}", (20, 10, 5, 3, 2)),
    "population": ("GlobalRecoding", "columns=['age'], groups={}", (20, 10, 5, 3, 2)),
    "linkage": ("CorrelatedNoise", "columns=['wages', 'income'], d={}", (0.01, 0.05, 0.1, 0.3, 1)),
    "noise": ("CorrelatedNoise", "columns=['wages', 'income'], d={}", (0.01, 0.05, 0.1, 0.3, 1)),
    "ranks": ("RankSwapping", "columns=['wages', 'income'], p={}", (2, 5, 10, 20, 40)),
    "grouping": ("Mdav", "columns=['wages', 'income'], k={}", (2, 3, 5, 10, 20)),
    "pram": ("Pram", "columns=['marital_status', 'sex'], stay={}", (0.98, 0.95, 0.9, 0.8, 0.6)),
    "swapping": ("DataSwapping", "columns=['marital_status'], within=['sex'], rate={}", (0.02, 0.1, 0.2, 0.4, 0.8)),
    "rounding": ("Rounding", "columns=['wages', 'income'], base={}", (100, 500, 2_000, 10_000, 40_000)),
    "recoding": ("GlobalRecoding", "columns=['age'], groups={}", (20, 10, 5, 3, 2)),
    "inference": ("RankSwapping", "columns=['wages', 'income'], p={}", (2, 5, 10, 20, 40)),
    "loss": ("RankSwapping", "columns=['wages', 'income'], p={}", (2, 5, 10, 20, 40)),
    "loss.numbers": ("AdditiveNoise", "columns=['wages', 'income'], p={}", (0.05, 0.1, 0.2, 0.5, 1)),
    "loss.distributions": ("AdditiveNoise", "columns=['wages', 'income'], p={}", (0.05, 0.1, 0.2, 0.5, 1)),
    "loss.tables": ("Pram", "columns=['marital_status', 'sex'], stay={}", (0.98, 0.95, 0.9, 0.8, 0.6)),
    "loss.analysis": ("RankSwapping", "columns=['wages', 'income'], p={}", (2, 5, 10, 20, 40)),
    "loss.scores": ("AdditiveNoise", "columns=['wages', 'income'], p={}", (0.05, 0.1, 0.2, 0.5, 1)),
}
"""The masking on which the measures of a folder are shown: class, parameters with a gap, milder to stronger."""

OWN_MASKS = {
    "delta_presence": ("Sampling", "fraction={}", (0.9, 0.7, 0.5, 0.3, 0.1)),
    "group_sum_linkage": ("Mdav", "columns=['wages', 'income'], k={}, noise='within'", (2, 3, 5, 10, 20)),
    "suppressed_cells": ("LocalSuppression", "columns=['sex', 'age', 'marital_status'], k={}", (2, 3, 5, 7, 10)),
    "suppressed_records": ("Sampling", "fraction={}", (0.9, 0.7, 0.5, 0.3, 0.1)),
    "misclassification_risk": MASKS["pram"],
    "value_set_linkage": ("LocalRecoding", "columns=['sex', 'age', 'marital_status'], k={}", (2, 3, 5, 7, 10)),
    "granularity": MASKS["recoding"],
    "entropy_loss": MASKS["recoding"],
    "non_uniform_entropy": MASKS["recoding"],
    "average_class_size": MASKS["recoding"],
    "discernibility": MASKS["recoding"],
}


MEASURED = {"target_prediction": 'target="income"', "hierarchical_t_closeness": 'attributes=["health"]'}
"""Parameters of the example of a measure."""


def mask_of(name: str, unit: type[Any]) -> tuple[str, str, tuple[float, ...]]:
    """The masking on which a measure is shown."""
    return OWN_MASKS.get(name) or MASKS.get(folder_of(unit, "measures"), MASKS["loss"])


def call(class_name: str, given: str) -> str:
    given = given.replace("'", '"')
    return f"ammg.{class_name}({given})"


def method_example(name: str, unit: type[Any]) -> str:
    """Mask the small file with a method and look at it."""
    step = call(unit.__name__, STEPS.get(name, ""))
    run = 'masked = ammg.Pipeline([step]).run(data, secret="for this page only")'
    return f"{SMALL_FILE}{BEFORE.get(name, '')}step = {step}\n{run}\nprint(masked.table.head())\n"


def measure_example(name: str, unit: type[Any]) -> str:
    """Mask the small file and measure it."""
    method, given, strengths = mask_of(name, unit)
    step = call(method, given.format(strengths[2]))
    run = 'masked = ammg.Pipeline([step]).run(data, secret="for this page only")'
    asked = f"ammg.{unit.__name__}({MEASURED.get(name, '')})"
    look = f"print(ammg.evaluate(masked, {asked}))"
    if folder_of(unit, "measures") in KNOWN:
        known = 'intruder = ammg.Scenario(known=["sex", "age", "wages", "income"])'
        look = f"{known}\nprint(ammg.evaluate(masked, {asked}, intruder))"
    return f"{SMALL_FILE}{BEFORE.get(name, '')}step = {step}\n{run}\n{look}\n"
