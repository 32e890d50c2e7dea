import numpy as np
import pytest
from beside import found, masked

import ammg

BEFORE = {"a": list("xxyy"), "b": list("uvuv"), "c": list("pppq")}


def test_one_record_of_four_in_the_wrong_cell_costs_a_quarter() -> None:
    after = {**BEFORE, "b": list("uvuu")}
    result = found(ammg.ContingencyTableDistance(order=1), BEFORE, after)
    assert result.by_column == {"a": 0, "b": 0.25, "c": 0}
    assert found(ammg.ContingencyTableDistance(order=3), BEFORE, after).value == 0.25
    assert found(ammg.ContingencyTableDistance(), BEFORE, after).value == pytest.approx(2 / 3 * 0.25)


def test_swapped_columns_keep_their_margins_and_not_their_pairs() -> None:
    after = {**BEFORE, "b": list("vuuv")}
    assert found(ammg.ContingencyTableDistance(order=1), BEFORE, after).value == 0
    assert found(ammg.ContingencyTableDistance(columns=("b", "c")), BEFORE, after).value == 0
    assert found(ammg.ContingencyTableDistance(columns=("a", "b")), BEFORE, after).value == 0
    assert found(ammg.ContingencyTableDistance(order=3), BEFORE, {**BEFORE, "c": list("qppp")}).value == 0.5


def test_what_is_withheld_is_a_cell_of_its_own() -> None:
    assert found(ammg.ContingencyTableDistance(order=1), {"a": list("xy")}, {"a": ["x", None]}).value == 0.5
    dropped = masked(ammg.ContingencyTableDistance(order=1), BEFORE, ammg.IdentifierRemoval(columns="a"))
    assert dropped.by_column["a"] == 1


def test_a_table_needs_as_many_attributes_as_it_has_dimensions() -> None:
    result = found(ammg.ContingencyTableDistance(order=3), {"a": ["x"]}, {"a": ["x"]})
    assert result.reason == "a table of 3 attributes needs at least as many, but there are 1"


def test_tables_need_no_link_and_what_became_of_categories_does() -> None:
    before, after = (ammg.Microdata(ammg.datasets.survey(300, seed=s).select("sex", "region", "age")) for s in (1, 2))
    linked, apart = (ammg.Pair(before, after, link) for link in (np.arange(300), None))
    for measure in ("contingency_table_distance", "hellinger_distance", "propensity_score"):
        expected = ammg.evaluate(linked, measure).value(measure)
        assert ammg.evaluate(apart, measure).value(measure) == pytest.approx(expected)
    for measure in ("entropy_loss", "switching_percentage", "granularity", "non_uniform_entropy", "cell_loss"):
        assert ammg.evaluate(apart, measure)[measure].reason == "no link between masked and original records"
