"""AMMG, the Automatic Masked Microdata Generator.

    data = ammg.read("patients.csv").with_roles(identifier=["Name"], key=["Age", "State"], confidential=["Diagnosis"])
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=2)]).run(data)
    print(ammg.evaluate(masked))
    masked.release().write("masked.parquet")

Names resolve on first use, so that `import ammg` costs next to nothing; every method and measure is here by its class
name.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ammg.version import __version__

_NAMES = {
    "read": "ammg.io.read",
    "analyze": "ammg.analyzer.analyze",
    "Analysis": "ammg.analyzer.analysis",
    "Microdata": "ammg.data.microdata",
    "Hierarchy": "ammg.data.hierarchy",
    "Scenario": "ammg.data.scenario",
    "ExternalFile": "ammg.data.external_file",
    "Kind": "ammg.data.attribute",
    "Role": "ammg.data.attribute",
    "Level": "ammg.data.attribute",
    "Masked": "ammg.pipeline.masked",
    "Pair": "ammg.data.pair",
    "Method": "ammg.methods.method",
    "Measure": "ammg.measures.measure",
    "Risk": "ammg.measures.measure",
    "Loss": "ammg.measures.measure",
    "Measurement": "ammg.measures.measurement",
    "Pipeline": "ammg.pipeline.pipeline",
    "Project": "ammg.projects.project",
    "evaluate": "ammg.pipeline.evaluation",
    "Evaluation": "ammg.pipeline.evaluation",
    "records_below": "ammg.pipeline.answers",
    "expected_reidentifications": "ammg.pipeline.answers",
    "record_risks": "ammg.pipeline.answers",
    "category_counts": "ammg.pipeline.answers",
    "Limit": "ammg.pipeline.limits",
    "compare": "ammg.pipeline.comparison",
    "Comparison": "ammg.pipeline.comparison",
    "Survive": "ammg.pipeline.survive",
    "loss_of": "ammg.measures.loss.analysis.loss_of",
    "tabulate": "ammg.tables.tabulate",
    "write_table": "ammg.io.table_files",
    "search": "ammg.optimizer.search",
    "read_secret": "ammg.release.provenance",
    "AmmgError": "ammg.errors",
}

_PACKAGES = ("datasets", "estimators", "tables")

__all__ = ["__version__", "datasets", "estimators", "tables", *_NAMES]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"ammg.{name}")
    if name in _NAMES:
        value = getattr(import_module(_NAMES[name]), name)
    elif not name.startswith("_") and find_spec(f"ammg.{name}") is None:  # a class, or a name of sdcMicro (suda2)
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
