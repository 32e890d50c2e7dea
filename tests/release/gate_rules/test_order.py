"""Records in the order of the original file, or nearly so, are stopped; random orders hardly ever are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.release.gate_rules import order as order_rule
from ammg.release.gate_rules.evidence import Evidence
from ammg.release.gate_rules.order import ORDER


@dataclass
class Unshuffled:
    """A release that forgot to shuffle."""

    table: pl.DataFrame


def is_in_order(masked: ammg.Masked, released: pl.DataFrame) -> bool:
    evidence = Evidence.of(masked, Unshuffled(released), {ORDER.name: ORDER.look})  # type: ignore[arg-type]
    message = "the records are in the order of the original file: release them in random order"
    return message in [finding.message for finding in ORDER.check(evidence)]


def masked(kinds: list[int]) -> ammg.Masked:
    """Records of which some are equal."""
    data = ammg.Microdata(pl.DataFrame({"kind": kinds, "x": [0.0] * len(kinds)})).with_roles(key="kind")
    return ammg.Pipeline([ammg.Sampling(fraction=1.0)]).run(data, secret=1)


@pytest.mark.parametrize("n", [8, 10, 200])
def test_records_in_their_old_order_are_stopped_and_shuffled_ones_pass(n: int) -> None:
    file = masked(list(range(n)))
    assert is_in_order(file, file.table)
    assert not is_in_order(file, file.table.sample(fraction=1.0, shuffle=True, seed=1))


@pytest.mark.parametrize("n", [13, 14, 20, 200])
def test_an_order_with_two_records_exchanged_or_the_last_third_reversed_is_stopped(n: int) -> None:
    file = masked(list(range(n)))
    assert is_in_order(file, file.table[[1, 0, *range(2, n)]])
    assert is_in_order(file, file.table[[*range(2 * n // 3), *range(n - 1, 2 * n // 3 - 1, -1)]])


def test_the_order_of_a_sorted_file_is_stopped_though_its_first_records_are_equal() -> None:
    file = masked(np.repeat([1, 2, 3], 6_000).tolist())
    assert is_in_order(file, file.table)
    assert not is_in_order(file, file.table.sample(fraction=1.0, shuffle=True, seed=1))


@pytest.mark.parametrize("n", [9_999, 20_000])
def test_a_file_whose_first_records_are_in_order_is_stopped(n: int) -> None:
    file = masked(list(range(n)))
    places = np.arange(n)
    places[5_000:] = np.random.default_rng(1).permutation(places[5_000:])
    assert is_in_order(file, file.table[places.tolist()])


def test_as_many_records_in_place_as_chance_may_leave_there_are_no_order() -> None:
    file = masked(list(range(10)))
    assert not is_in_order(file, file.table[[1, 2, 0, *range(3, 10)]])  # once in 12,000 random orders


def test_equal_records_have_no_order() -> None:
    table = pl.DataFrame({"a": [1] * 50, "b": [2.0] * 50})
    data = ammg.Microdata(table).with_roles(key="a")
    assert len(ammg.Pipeline([ammg.Sampling(fraction=0.8)]).run(data, secret=1).release()) == 40


@pytest.mark.parametrize(
    ("counts", "exchanged", "stopped"),
    [
        ((2, 1, 1, 1, 1, 1, 1), 0, True),  # once in 20,160 orders
        ((4, 4), 0, False),  # once in 70
        ((34, 33, 33), 10, True),
        ((34, 33, 33), 30, False),
        ((990, 10), 1, True),  # nine of ten found their places among a thousand
        ((999, 1), 0, False),
    ],
)
def test_equal_records_are_in_order_where_chance_would_hardly_leave_them(
    counts: tuple[int, ...], exchanged: int, stopped: bool
) -> None:
    kinds = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    first, last = np.flatnonzero(kinds == 0)[:exchanged], np.flatnonzero(kinds == len(counts) - 1)[:exchanged]
    places = np.arange(len(kinds))
    places[first], places[last] = last, first
    file = masked(kinds.tolist())
    assert is_in_order(file, file.table[places.tolist()]) is stopped


@pytest.mark.proof
@pytest.mark.parametrize("counts", [(1,) * 8, (1,) * 13, (1,) * 40, (2,) * 10, (3, 2, 1, 1, 1, 1), (30, 5, 1), (7, 7)])
def test_random_orders_are_stopped_no_more_often_than_intended(
    counts: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a threshold of one in a hundred, which 4,000 random orders can check."""
    monkeypatch.setattr(order_rule, "_RARE", 1 / 100)
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"kind": np.repeat(np.arange(len(counts)), counts)})
    orders = (frame[rng.permutation(len(frame)).tolist()] for _ in range(4_000))
    assert sum(order_rule._in_order(frame, order, ["kind"]) for order in orders) < 40 + 3 * np.sqrt(40)
