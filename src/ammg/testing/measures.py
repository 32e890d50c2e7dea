"""The contract of a measure: what the table, the search and the report rely on."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measure import Measure
from ammg.measures.measurement import Measurement
from ammg.testing.failure import fail
from ammg.testing.samples import PLANTED, sample, sample_pairs

Check = Callable[[Measure], None]
SLACK = 1e-9


def check_the_file_itself_has_no_loss(measure: Measure) -> None:
    """Beside itself, a file has lost nothing."""
    answer = measured(measure, Pair.identity(sample()))
    if measure.family == "loss" and answer is not None and answer.value is not None:
        assert abs(answer.value) < SLACK, f"a file that is released as it is loses {answer.value}"


def check_value_is_in_its_range(measure: Measure) -> None:
    """On what any registered method makes of the sample, the value is a number of the declared range."""
    for name, pair in sample_pairs().items():
        _assert_in_range(measure, measured(measure, pair), pair, name)


def check_missing_values_weights_and_constants(measure: Measure) -> None:
    """Neither values that are missing nor columns that do not vary lead out of the range."""
    for variant in ("missing", "constant", "unweighted"):
        for name, pair in _some(sample_pairs(variant)):
            _assert_in_range(measure, measured(measure, pair), pair, f"{name}, {variant}")


def check_order_of_released_records_does_not_matter(measure: Measure) -> None:
    """Released records in another order, with their link: the same value, and the same for each record."""
    for name, pair in _some(sample_pairs()):
        order = np.random.default_rng(3).permutation(pair.t)
        moved = Pair(pair.original, _taken(pair.masked, order), pair.link[order], pair.published, again=pair.again)
        before, after = measured(measure, pair), measured(measure, moved)
        _assert_same(before, after, name)
        if before is not None and after is not None and before.people.by_record is not None:
            here, there = before.people.by_record, after.people.by_record
            assert there is not None
            assert np.allclose(here[order], there, atol=1e-7, equal_nan=True), (
                f"after {name}: a record's own value depends on the order of the records"
            )


def check_order_of_original_records_does_not_matter(measure: Measure) -> None:
    """Original records in another order, with the link: the same value."""
    for name, pair in _some(sample_pairs()):
        order = np.random.default_rng(4).permutation(pair.n)
        place = np.empty(pair.n, dtype=np.int64)
        place[order] = np.arange(pair.n)
        link = np.where(pair.link >= 0, place[pair.link], -1)
        moved = Pair(_taken(pair.original, order), pair.masked, link, pair.published, again=pair.again)
        _assert_same(measured(measure, pair), measured(measure, moved), name)


def check_small_files(measure: Measure) -> None:
    """No record, one and two have a value or none, never an accident."""
    for records in (0, 1, 2):
        for name, pair in _some(sample_pairs("plain", records)):
            _assert_in_range(measure, measured(measure, pair), pair, f"{name}, {records} records")
    data = sample()
    nothing = Pair(data, _taken(data, np.array([], dtype=np.int64)), np.array([], dtype=np.int64))
    _assert_in_range(measure, measured(measure, nothing), nothing, "dropping every record")


def check_dropped_columns_and_simulated_records(measure: Measure) -> None:
    """Columns that are gone and records that stand for nobody are counted, not stumbled over."""
    data = sample()
    fewer = data.table.drop("income", "region")
    dropped = Pair(data, Microdata(fewer, data.schema.select(fewer.columns)), np.arange(len(data)))
    _assert_in_range(measure, measured(measure, dropped), dropped, "dropping columns")
    link = np.arange(len(data))
    link[:50] = -1
    simulated = Pair(data, data, link)
    _assert_in_range(measure, measured(measure, simulated), simulated, "simulating records")
    unlinked = Pair(data, data, None)
    _assert_in_range(measure, measured(measure, unlinked), unlinked, "losing the link")


def check_it_measures_the_same_twice(measure: Measure) -> None:
    """A measure keeps nothing from one call to the next, and changes neither file."""
    for name, pair in _some(sample_pairs()):
        before, after = pair.original.table.clone(), pair.masked.table.clone()
        _assert_same(measured(measure, pair), measured(measure, pair), name)
        assert pair.original.table.equals(before), "measuring changed the original file"
        assert pair.masked.table.equals(after), "measuring changed the masked file"


def check_it_can_be_shipped(measure: Measure) -> None:
    """The measure survives pickling and JSON, and its answer comes back from JSON as it was."""
    assert type(measure).model_validate_json(measure.model_dump_json(exclude_unset=True)) == measure
    assert pickle.loads(pickle.dumps(measure)) == measure
    for _, pair in _some(sample_pairs()):
        if (answer := measured(measure, pair)) is not None:
            assert Measurement.from_dict(json.loads(json.dumps(answer.to_dict(), allow_nan=False))) == answer


def check_what_it_tells_is_about_nobody_in_particular(measure: Measure) -> None:
    """Values that only one person has are in nothing that is written or shown; `people` is the place for them."""
    knowing = (Scenario(), Scenario(known=("region",)))
    for (name, pair), scenario in product(_some(sample_pairs("planted")), knowing):
        try:
            answer = measure.measure(pair, scenario)
            told = json.dumps(answer.to_dict(), ensure_ascii=False, default=str) + repr(answer)
        except NotDefined as reason:
            told = str(reason)
        for column, (_, value) in PLANTED.items():
            forms = {str(value)} if not isinstance(value, int) else {str(value), f"{value:,}", f"{value:g}"}
            assert not any(form in told for form in forms), f"after {name}: the answer shows one person's {column}"


MEASURE_CHECKS: tuple[Check, ...] = tuple(check for name, check in list(globals().items()) if name.startswith("check_"))


def check_measure(measure: Measure) -> None:
    """Run every check on a measure."""
    for check in MEASURE_CHECKS:
        check(measure)


def measured(measure: Measure, pair: Pair) -> Measurement | None:
    """The answer, or None if the measure says in words that there is none."""
    try:
        return measure.measure(pair, Scenario())
    except NotDefined as reason:
        return None if str(reason).strip() else fail("not defined, without a reason")


def _some(pairs: dict[str, Pair]) -> Iterator[tuple[str, Pair]]:
    """The file itself and every sixth pair: what is slow need not meet them all each time."""
    yield from list(pairs.items())[::6]


def _taken(data: Microdata, order: NDArray[np.int64]) -> Microdata:
    return Microdata(data.table[order] if len(order) else data.table.clear(), data.schema)


def _assert_in_range(measure: Measure, answer: Measurement | None, pair: Pair, name: str) -> None:
    if answer is None:
        return
    low, high = measure.range
    if answer.value is None:
        assert answer.reason, f"after {name}: no value and no reason"
    else:
        assert math.isfinite(answer.value), f"after {name}: the value is {answer.value}"
        assert low - SLACK <= answer.value <= high + SLACK, (
            f"after {name}: {answer.value} is outside of {low} to {high}"
        )
    if answer.interval is not None:
        assert answer.interval[0] <= answer.interval[1], f"after {name}: the interval is upside down"
    by_record = answer.people.by_record
    if by_record is not None:
        assert len(by_record) == pair.t, f"after {name}: {len(by_record)} values for {pair.t} records"
        if measure.family == "risk":
            seen = pl.Series(by_record).drop_nans()
            assert ((seen >= -SLACK) & (seen <= 1 + SLACK)).all(), f"after {name}: a record's risk is outside of 0 to 1"


def _assert_same(first: Measurement | None, second: Measurement | None, name: str) -> None:
    values = [None if answer is None else answer.value for answer in (first, second)]
    if values[0] is None or values[1] is None:
        assert values[0] is values[1], f"after {name}: defined only once: {values}"
    else:
        assert math.isclose(values[0], values[1], rel_tol=1e-7, abs_tol=1e-9), f"after {name}: {values}"
