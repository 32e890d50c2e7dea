from __future__ import annotations

import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


def test_presence_is_the_share_of_each_class_that_was_released(sample_of):
    pair = sample_of({"a": ["x", "x", "x", "y", "y", "z"]}, [0, 1, 3], key=["a"])
    measured = ammg.DeltaPresence().measure(pair, ANYBODY)
    assert measured.value == pytest.approx(2 / 3)
    assert measured.people.by_record.tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 2])
    assert measured.facts["lowest"] == 0


def test_everybody_is_certainly_in_a_file_released_whole(identity):
    assert ammg.DeltaPresence().measure(identity({"a": [1, 2]}, key=["a"]), ANYBODY).value == 1


def test_changed_values_have_no_presence(identity):
    pair = identity({"a": [1, 2]}, key=["a"])
    other = identity({"a": [2, 2]}, key=["a"])
    with pytest.raises(NotDefined, match="not those of a sample"):
        ammg.DeltaPresence().measure(Pair(pair.original, other.masked, pair.link), ANYBODY)
