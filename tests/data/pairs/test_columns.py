import numpy as np
import pytest

from ammg.data.pairs.columns import leads_in_order


@pytest.mark.parametrize("records", [0, 1, 5, 100_000])
def test_a_link_in_order_leads_each_record_to_itself(records: int) -> None:
    assert leads_in_order(np.arange(records))


@pytest.mark.parametrize("place", [0, 40_000, 99_999])
def test_one_record_that_stands_for_nobody_breaks_the_order(place: int) -> None:
    link = np.arange(100_000)
    link[place] = -1
    assert not leads_in_order(link)
