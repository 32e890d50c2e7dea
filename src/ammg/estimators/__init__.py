"""For users of a masked file: estimates corrected for the masking, from its published parameters."""

from ammg.estimators.attenuation import deattenuated_correlations, independent_noise
from ammg.estimators.changed_covariate import regression_on_changed
from ammg.estimators.class_moments import class_moments
from ammg.estimators.interactions import NoisyColumns, add_products
from ammg.estimators.regression import Regression, corrected_regression
from ammg.estimators.subdomain import noise_covariance, subdomain_moments, unscale
from ammg.estimators.subdomain_errors import MomentErrors, subdomain_errors
from ammg.estimators.transitions import Frequencies, original_frequencies, original_table

__all__ = [
    "Frequencies",
    "MomentErrors",
    "NoisyColumns",
    "Regression",
    "add_products",
    "class_moments",
    "corrected_regression",
    "deattenuated_correlations",
    "independent_noise",
    "noise_covariance",
    "original_frequencies",
    "original_table",
    "regression_on_changed",
    "subdomain_errors",
    "subdomain_moments",
    "unscale",
]
