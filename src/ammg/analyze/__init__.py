"""The Initial Microdata Analyzer: roles and kinds proposed, each with its reason. A person decides."""

import sys
from types import ModuleType
from typing import Any

from ammg.analyze.analysis import Analysis, Proposal, Warned


class _Face(ModuleType):
    """A package that can be called: importing a part of it makes `ammg.analyze` mean the package."""

    def __call__(self, data: Any) -> Analysis:
        from ammg.analyze.analyze import analyze

        return analyze(data)


sys.modules[__name__].__class__ = _Face

__all__ = ["Analysis", "Proposal", "Warned"]
