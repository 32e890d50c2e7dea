import polars as pl

import ammg
from ammg.data.published import Censoring

VALUES = [-20, 0, 1, 2, 3, 4, 5, 6, 7, 8]


def coded(**options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.BottomCoding(columns=["x"], **options)]).run(pl.DataFrame({"x": VALUES}))


def test_values_below_the_threshold_become_the_threshold() -> None:
    assert coded(threshold=2, replacement="threshold").table["x"].to_list()[:4] == [2, 2, 2, 2]


def test_their_mean_keeps_the_total() -> None:
    masked = coded(threshold=1)
    assert masked.table["x"].to_list()[:3] == [-10, -10, 1]
    assert masked.table["x"].sum() == sum(VALUES)


def test_their_median_stands_for_them() -> None:
    assert coded(threshold=2, replacement="median").table["x"].to_list()[:3] == [0, 0, 0]


def test_a_share_of_the_values_lies_in_the_tail() -> None:
    masked = coded(share=0.3, replacement="threshold")
    assert masked.table["x"].to_list() == [2, 2, 2, 2, 3, 4, 5, 6, 7, 8]
    assert masked.published == (Censoring(("x",), lower=2.0),)


def test_bottom_coding_is_top_coding_of_the_other_sign() -> None:
    negative = pl.DataFrame({"x": [-value for value in VALUES]})
    for share in (0.1, 0.2, 0.3, 0.45, 0.7):
        for replacement in ("threshold", "mean", "median"):
            top = ammg.TopCoding(columns=["x"], share=share, replacement=replacement)
            other = ammg.Pipeline([top]).run(negative).table["x"].to_list()
            here = coded(share=share, replacement=replacement).table["x"].to_list()
            assert here == [-value for value in other]
