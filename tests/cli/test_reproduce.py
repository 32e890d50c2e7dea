import json
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ammg.cli.app import app
from ammg.reproduce import yancey


@pytest.fixture(scope="module", autouse=True)
def made_once():
    """Both commands show the same tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yancey, "run", cache(yancey.run))
        yield


def test_tables_are_shown_beside_the_printed_ones(shared: Path) -> None:
    result = CliRunner().invoke(
        app, ["reproduce", "yancey", "--data", str(shared / "data"), "--secrets", "1", "--quick"]
    )
    assert result.exit_code == 0
    assert "scalmixadd20" in result.stdout
    assert "* published value known to be wrong" in result.stdout


def test_machines_get_json(shared: Path) -> None:
    command = ["reproduce", "yancey", "--data", str(shared / "data"), "--secrets", "1", "--quick", "--json"]
    tables = json.loads(CliRunner().invoke(app, command).stdout)
    first = tables["Table 1: information loss of 13 masked versions of CENSUS"]
    assert first["mixadd01"]["IL1"]["printed"] == 0.204
    assert abs(first["mixadd01"]["IL1"]["ours"] - 0.204) < 0.02
