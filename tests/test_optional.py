"""One gate to packages that are not always installed."""

import json
import sys
from pathlib import Path

import pytest

from ammg.errors import MissingPackageError
from ammg.optional import require


def test_an_installed_package_is_imported() -> None:
    assert require("json", "Reading JSON") is json


def test_a_missing_package_names_the_extra_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingPackageError, match=r"Running on Spark needs pyspark.*pip install 'ammg\[spark\]'"):
        require("pyspark", "Running on Spark")


def test_a_package_without_an_extra_is_named_itself() -> None:
    with pytest.raises(ImportError, match="pip install 'no_such_package'"):
        require("no_such_package.module", "A test")


def test_the_versions_that_are_tested_meet_the_least_versions_that_are_named() -> None:
    """A least version that does not exist, as `randomgen>=2.2` was, cannot be met by a pinned one below it."""
    import tomllib

    from packaging.requirements import Requirement

    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = dict(
        line.split("==") for line in (root / "requirements.txt").read_text(encoding="utf-8").split() if "==" in line
    )
    needed = {one.name: one for one in map(Requirement, project["dependencies"])}
    assert str(needed["randomgen"].specifier) == ">=2.3"
    for name, requirement in needed.items():
        assert name in pinned, f"{name} is not pinned"
        assert requirement.specifier.contains(pinned[name]), f"{name} {pinned[name]}"


def test_nobody_who_installs_all_extras_gets_spark() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "spark" not in str(project["optional-dependencies"]["all"])
    assert not any("spark" in one for one in project["dependencies"])
