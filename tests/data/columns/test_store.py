"""Columns are encoded once, in bounded memory."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from time import sleep

import numpy as np
import polars as pl
import pytest

from ammg import Microdata
from ammg.data.attribute import Attribute, Kind
from ammg.data.columns.store import ColumnStore
from ammg.kernels import threads

FRAME = pl.DataFrame({"age": [40, 41, None, 40], "sex": ["f", "m", "f", None], "income": [1.5, 2.5, 3.5, None]})


def test_the_second_call_hands_out_the_same_array() -> None:
    data = Microdata(FRAME)
    assert data.block(["sex"])["sex"] is data.with_roles(key="sex").block(["sex"])["sex"]
    assert data.codes("age")[0] is data.codes("age")[0]
    assert data.profile("income") is data.profile("income")


def test_nobody_can_write_into_what_is_kept() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Microdata(FRAME).numbers("age")[0] = 99


def test_another_kind_or_another_code_for_missing_is_another_column() -> None:
    data = Microdata(FRAME)
    assert data.numbers("age").tolist()[:2] == [40.0, 41.0]
    assert data.with_kinds(nominal="age").block(["age"])["age"].tolist() == [0, 1, -1, 0]
    assert data.with_missing_codes(age=[41]).codes("age")[1] == (40.0,)


def test_what_was_used_longest_ago_makes_room() -> None:
    store = ColumnStore(FRAME, most=100)
    made = [np.zeros(5), np.zeros(5), np.zeros(5)]
    for place, array in enumerate(made):
        assert store.once(place, lambda array=array: array) is array
    assert store.bytes == 80
    assert store.once(2, list) is made[2]
    assert store.once(0, list) == []


def test_something_too_large_is_not_kept() -> None:
    store = ColumnStore(FRAME, most=10)
    store.once("large", lambda: np.zeros(5))
    assert store.bytes == 0


def test_two_threads_compute_a_result_once() -> None:
    store, made = ColumnStore(FRAME), []
    begun, end = Event(), Event()

    def make() -> str:
        made.append("again" if made else "first")
        begun.set()
        end.wait(30)
        return made[-1]

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(store.once, "it", make)
        begun.wait(30)
        second = pool.submit(store.once, "it", make)
        assert not second.done()
        end.set()
        assert (first.result(30), second.result(30), made) == ("first", "first", ["first"])


def test_who_waits_for_a_result_leaves_the_processor_to_who_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    store, begun, asked, together = ColumnStore(FRAME), Event(), Event(), Barrier(2)

    def make() -> int:
        begun.set()
        asked.wait(30)
        for _ in range(20_000):
            if threads.count_present(threads._at_work) == 1:
                break
            sleep(0.001)
        return sum(threads.in_threads(lambda _: together.wait(5), range(2), 10**9))  # breaks unless both run at once

    def ask(first: bool) -> int:
        if not first:
            begun.wait(30)
            asked.set()
        return store.once("it", make)

    assert threads.in_threads(ask, [True, False], 10**9) == [1, 1]


def test_after_an_error_the_next_one_computes_it() -> None:
    store = ColumnStore(FRAME)
    with pytest.raises(ZeroDivisionError):
        store.once("it", lambda: 1 // 0)
    assert store.once("it", lambda: 2) == 2


def test_threads_that_wait_for_each_other_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ammg.data.columns.store.PATIENCE", 0.05)
    store, both = ColumnStore(FRAME), Barrier(2)

    def needing(other: str) -> str:
        both.wait(30)
        return store.once(other, lambda: "made by the one who waited")

    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(store.once, one, lambda other=other: needing(other)) for one, other in ("ab", "ba")]
        assert all(future.result(30) for future in found)


def test_a_copy_begins_empty() -> None:
    store = ColumnStore(FRAME)
    store.array(Attribute(name="age", kind=Kind.INTEGER))
    again = pickle.loads(pickle.dumps(store))
    assert (store.bytes > 0, again.bytes) == (True, 0)
    assert again.table.equals(FRAME)


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt16, pl.Int64])
def test_integers_are_coded_in_order_of_their_values(dtype: type[pl.DataType]) -> None:
    data = Microdata(pl.DataFrame({"x": pl.Series([7, 3, None, 7, 120], dtype=dtype)})).with_kinds(nominal="x")
    codes, categories = data.codes("x")
    assert categories == (3, 7, 120)
    assert codes.tolist() == [1, 0, -1, 1, 2]


def test_integers_far_apart_and_values_outside_the_dictionary_are_coded_too() -> None:
    far = Microdata(pl.DataFrame({"x": [10**15, -5, 10**15]})).with_kinds(nominal="x")
    assert far.codes("x")[0].tolist() == [1, 0, 1]
    known = Microdata(pl.DataFrame({"x": [1, 2, 900, -900]}))
    schema = known.schema.replace(known.schema["x"].replace(kind=Kind.NOMINAL, categories=(1, 2)))
    assert Microdata(known.table, schema).codes("x")[0].tolist() == [0, 1, -1, -1]
