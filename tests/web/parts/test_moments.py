"""Sizes in words, and names that are free."""

import pytest

from ammg.web.parts.masking import free_name
from ammg.web.parts.moments import size


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (None, "not known"),
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1500, "1.5 kB"),
        (2_000_000, "2.0 MB"),
        (10**13, "10,000.0 GB"),
    ],
)
def test_bytes_are_told_in_the_unit_that_fits(count: int | None, said: str) -> None:
    assert size(count) == said


def test_a_proposed_name_is_one_that_nobody_has() -> None:
    assert free_name("a.csv", set()) == "a.csv"
    assert free_name("a.csv", {"a.csv", "a-2.csv"}) == "a-3.csv"
