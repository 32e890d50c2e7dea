import pytest

from ammg.errors import InputError
from ammg.projects.hierarchy_preview import preview_hierarchy


def test_a_rule_shows_each_level_with_its_records():
    shown = preview_hierarchy("by widths 5, 10", [(31, 2), (33, 1), (36, 4)])
    assert shown.levels == ({"31": 2, "33": 1, "36": 4}, {"30-34": 3, "35-39": 4}, {"30-39": 7}, {"*": 7})
    assert shown.problems == ()


def test_dates_are_read_from_text():
    assert preview_hierarchy("by calendar", [("2024-05-31", 2), ("2024-05-01", 1)]).levels[1] == {"2024-05": 3}


def test_values_without_a_place_are_problems_and_the_others_are_shown():
    shown = preview_hierarchy({"Ohio": ["Midwest"]}, [("Ohio", 3), ("Iowa", 2)])
    assert shown.levels[1] == {"Midwest": 3}
    assert "Iowa" in shown.problems[0]


@pytest.mark.parametrize("tree", ["states.csv", "by nothing 3"])
def test_what_is_no_rule_is_refused(tree):
    with pytest.raises(InputError, match="is not a rule"):
        preview_hierarchy(tree, [("Ohio", 3)])


def test_no_values_and_wrong_dates_are_refused():
    with pytest.raises(InputError, match="no values to show"):
        preview_hierarchy("by calendar", [])
    with pytest.raises(InputError, match="'yesterday' is not a date"):
        preview_hierarchy("by calendar", [("yesterday", 1)])
