"""AMMG, the Automatic Masked Microdata Generator.

    data = ammg.read("patients.csv").with_roles(identifier=["Name"], key=["Age", "State"], confidential=["Diagnosis"])
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=2)]).run(data)
    print(ammg.evaluate(masked))
    masked.release().write("masked.parquet")

Names resolve on first use, so that `import ammg` costs next to nothing; every method and measure is here by its class
name.
"""

from importlib import import_module
from typing import Any

from ammg.version import __version__

_NAMES = {
    "read": "ammg.io.read",
    "analyze": "ammg.analyze.analyze",
    "Analysis": "ammg.analyze.analysis",
    "Microdata": "ammg.data.microdata",
    "Hierarchy": "ammg.data.hierarchy",
    "Scenario": "ammg.data.scenario",
    "ExternalFile": "ammg.data.external_file",
    "Kind": "ammg.data.attribute",
    "Role": "ammg.data.attribute",
    "Level": "ammg.data.attribute",
    "Masked": "ammg.data.masked",
    "Pair": "ammg.data.pair",
    "Method": "ammg.methods.method",
    "Measure": "ammg.measures.measure",
    "Measurement": "ammg.measures.measure",
    "Pipeline": "ammg.pipeline.pipeline",
    "Project": "ammg.pipeline.project",
    "evaluate": "ammg.pipeline.evaluation",
    "Evaluation": "ammg.pipeline.evaluation",
    "search": "ammg.search.search",
    "AmmgError": "ammg.errors",
}

_PACKAGES = ("datasets", "estimators", "tables")

__all__ = ["__version__", "datasets", "estimators", "tables", *_NAMES]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"ammg.{name}")
    if name in _NAMES:
        value = getattr(import_module(_NAMES[name]), name)
    elif name[:1].isupper():
        from ammg.registry import find_class

        value = find_class(name)
    else:
        value = None
    if value is None:
        raise AttributeError(f"module 'ammg' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    from ammg.registry import units

    classes = [unit.__name__ for family in ("methods", "measures") for unit in units(family).values()]
    return sorted({*__all__, *classes})
