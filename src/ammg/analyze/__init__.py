"""The Initial Microdata Analyzer: roles and kinds proposed, each with its reason. A person decides."""

from ammg.analyze.analysis import Analysis, Proposal, Warned
from ammg.callable_package import make_callable

__all__ = ["Analysis", "Proposal", "Warned"]

make_callable(__name__)
