from pathlib import Path

import pytest

from ammg import Hierarchy
from ammg.errors import InputError

PLACES = {"Lyon": ["France", "*"], "Nice": ["France", "*"], "Bonn": ["Germany", "*"]}


def test_levels_run_from_the_value_itself_to_the_coarsest() -> None:
    tree = Hierarchy.from_mapping(PLACES)
    assert tree.height == 2
    assert tree.level(0)["Lyon"] == "Lyon"
    assert tree.level(1) == {"Lyon": "France", "Nice": "France", "Bonn": "Germany"}
    assert set(tree.level(2).values()) == {"*"}


def test_a_file_as_arx_writes_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("34;30-39;*\n41;40-49;*\n\n", encoding="utf-8")
    assert Hierarchy.from_csv(tmp_path / "age.csv").level(1) == {"34": "30-39", "41": "40-49"}


def test_the_hierarchies_of_the_adult_data_are_consistent(shared: Path) -> None:
    files = sorted((shared / "data" / "adult_hierarchies").glob("*.csv"))
    assert files
    for file in files:
        tree = Hierarchy.from_csv(file)
        assert len(set(tree.level(tree.height).values())) == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "at least one row"),
        ([["a", "x"], ["b"]], "row 2 has 1 levels, the first row has 2"),
        ([["a", "x"], ["a", "y"]], "row 2 repeats the value 'a'"),
        ([["a", "x", "1"], ["b", "x", "2"]], "'x' of level 1 has two parents, '1' and '2'"),
    ],
)
def test_what_is_no_hierarchy_is_refused(rows: list[list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Hierarchy.from_rows(rows)


def test_a_level_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="Level 3 does not exist: this hierarchy has levels 0 to 2"):
        Hierarchy.from_mapping(PLACES).level(3)


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_a_file_may_separate_its_columns_by_semicolon_comma_or_tab(tmp_path, separator) -> None:
    path = tmp_path / "states.csv"
    path.write_text("".join(f"{state}{separator}{area}\n" for state, area in [("MI", "Midwest"), ("NY", "East")]))
    assert Hierarchy.from_csv(path).level(1) == {"MI": "Midwest", "NY": "East"}
