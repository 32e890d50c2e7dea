"""One gate to packages that are not always installed."""

import json
import sys

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
