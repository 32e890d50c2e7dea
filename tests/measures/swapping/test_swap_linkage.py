from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.published import Swapped
from ammg.errors import NotDefined

PEOPLE = pl.DataFrame({"town": ["p", "p", "q", "q", "r"], "age": [30, 40, 30, 40, 50]})
TRADED = PEOPLE.with_columns(town=pl.Series(["q", "p", "p", "q", "r"]))  # the first and the third exchanged towns


def pair(published):
    before, after = (ammg.Microdata(table).with_roles(key=["town", "age"]) for table in (PEOPLE, TRADED))
    return Pair(before, after, np.arange(5), published)


def test_who_agrees_on_what_stayed_is_found_by_what_was_exchanged_or_without_it():
    """With towns: 3 of 5 are themselves, two agree with each other's; without: ages 30 and 40 are shared by two."""
    found = ammg.SwapLinkage().measure(pair((Swapped(("town",), 0.4),)), ammg.Scenario())
    assert found.value == pytest.approx(3 / 5)
    assert found.facts["exchanged"] == ("town",)


def test_records_of_their_own_are_found_although_they_were_exchanged():
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"town": rng.integers(0, 9, 300).astype(str), "age": rng.permutation(300)})
    data = ammg.Microdata(table).with_kinds(nominal="town").with_roles(key=["town", "age"])
    masked = ammg.Pipeline([ammg.DataSwapping(columns=["town"], rate=0.8)]).run(data, secret=1)
    assert ammg.SwapLinkage().measure(masked.pair, ammg.Scenario()).value == 1.0


def test_without_a_published_exchange_it_is_not_defined():
    with pytest.raises(NotDefined, match="no exchange"):
        ammg.SwapLinkage().measure(pair(()), ammg.Scenario())
