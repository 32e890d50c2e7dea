import pytest

import ammg
from ammg.optimizer.strength import share_of, value_at
from ammg.params import search_ranges


@pytest.mark.parametrize(
    ("unit", "name"), [(ammg.Mdav, "k"), (ammg.GlobalRecoding, "groups"), (ammg.RankSwapping, "p")]
)
def test_a_value_stands_where_it_was_put(unit: type, name: str) -> None:
    searched = search_ranges(unit)[name]
    assert value_at(unit, name, searched, 0.0) == searched.mild
    assert value_at(unit, name, searched, 1.0) == searched.strong
    for share in (0.0, 0.3, 1.0):
        assert share_of(searched, value_at(unit, name, searched, share)) == pytest.approx(share, abs=0.05)


def test_values_beyond_the_range_stand_at_its_end() -> None:
    searched = search_ranges(ammg.RankSwapping)["p"]
    assert (share_of(searched, 100), share_of(searched, 0.1)) == (1.0, 0.0)
