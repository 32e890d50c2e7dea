"""A name that is a function and a folder works as a function in whatever order things are imported."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("first", ["ammg.search.space", "ammg.search.search", "ammg.analyze.analysis"])
def test_functions_stay_callable_after_a_part_of_their_package_is_imported(first):
    name = first.split(".")[1]
    code = f"import {first}, ammg; assert callable(ammg.{name}); ammg.{name}(1, 2, 3, 4)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "positional argument" in run.stderr
