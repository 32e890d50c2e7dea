"""The contract of a masking method: what the pipeline, the engines and the search rely on."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl

from ammg.data.attribute import Kind
from ammg.data.block import Block, Column
from ammg.data.encoding import ID, to_block
from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.draws import Draws, Secret, WatchedDraws
from ammg.engines.engine import Engine, PlannedStep
from ammg.engines.local import LocalEngine
from ammg.engines.post_editing import WAYS
from ammg.errors import AmmgError, InputError, NotFinite
from ammg.methods.method import Links, Method, Sees, seen_by
from ammg.params import search_ranges
from ammg.pipeline.masked import Masked
from ammg.pipeline.pipeline import Pipeline
from ammg.testing.failure import fail
from ammg.testing.samples import sample
from ammg.testing.sources import BlindSource

Check = Callable[[Method], None]
ENGINES: tuple[Engine, ...] = (LocalEngine(1), LocalEngine(2))


def fitted(method: Method, schema: Schema) -> Method:
    """The method on those of its default columns that suit its parameters."""
    if not method.takes_columns or method.columns is not None:
        return method
    suited = tuple(name for name in method.chosen(schema) if name in method.search_columns(schema))
    return method.on_columns(suited) if suited else method


def run(method: Method, data: Microdata, secret: int = 1, engine: Engine | None = None) -> Masked:
    """Mask a sample with one method."""
    return Pipeline([fitted(method, data.schema)]).run(data, secret=secret, engine=engine or ENGINES[0])


def planned(method: Method, data: Microdata, draws: Draws) -> tuple[PlannedStep, pl.DataFrame]:
    """A method with its plan and all that it masks, without the pipeline."""
    method = fitted(method, data.schema)
    source = ENGINES[0].open(data).with_categories((*method.needs(data.schema), *method.strata(data.schema)))
    plan = method.plan(seen_by(method, source), draws)
    return PlannedStep(method, plan, draws, source.schema), source.collect()


def check_schema_says_what_the_table_holds(method: Method) -> None:
    """Names, kinds and dictionaries of the masked schema are those of the masked table."""
    data = sample()
    masked = run(method, data)
    assert masked.schema.names == masked.table.columns, "the schema names other columns than the table has"
    written = planned(method, data, _draws())[0].plan.schema
    for attribute in written:
        values = masked.table[attribute.name]
        _assert_kind(attribute.name, attribute.kind, values)
        if attribute.is_categorical:
            assert attribute.categories is not None, f"'{attribute.name}' is categorical and has no categories"
            unknown = set(values.cast(pl.String).drop_nulls()) - {_text(category) for category in attribute.categories}
            assert not unknown, f"'{attribute.name}' has values that are not among its categories: {unknown}"
    for name in masked.table.columns:
        if name not in written:
            kept = data.table[name].gather(masked.link[masked.link >= 0])
            same = masked.table[name].filter(pl.Series(masked.link >= 0))
            assert same.equals(kept), f"'{name}' changed, and the plan does not say so"


def check_input_stays_as_it_was(method: Method) -> None:
    """Neither the table nor the arrays of a block are written to."""
    data = sample()
    before = data.table.clone()
    run(method, data)
    assert data.table.equals(before), "the original table changed"
    step, frame = planned(method, data, _draws())
    block = to_block(frame, step.schema, step.method.needs(step.schema))
    own = Block(block.ids, {name: values.copy() for name, values in block.columns.items()}, block.schema)
    step.method.mask(own, step.plan, _draws())
    for name, values in block.columns.items():
        assert _same(own[name], values), f"mask wrote into '{name}'"


def check_same_secret_same_result(method: Method) -> None:
    """Twice the same secret, twice the same bits, with one thread and with two."""
    first, again, threads = run(method, sample()), run(method, sample()), run(method, sample(), engine=ENGINES[1])
    assert first.table.equals(again.table), "two runs with one secret differ"
    assert first.table.equals(threads.table), "one thread and two differ"


def check_another_secret_another_result(method: Method) -> None:
    """A method that draws random numbers gives other results with another secret."""
    data = sample()
    watched = WatchedDraws(Secret.of(1), ("step", "0"))
    step, frame = planned(method, data, watched)
    step.apply(frame)
    if watched.drawn:
        first, other = run(method, data, 1), run(method, data, 2)
        assert not first.table.equals(other.table) or first.t != other.t, "the secret does not matter"


def check_records_stay_in_order(method: Method) -> None:
    """Ids of the masked records ascend; those that are not new were there before."""
    masked = run(method, sample())
    ids = masked.source.collect()[ID].to_numpy()
    assert np.all(np.diff(ids) > 0), "masked records are not in the order of their ids"


def check_small_files(method: Method) -> None:
    """No record, one and two are masked or refused."""
    for records in (0, 1, 2):
        for variant in ("plain", "missing"):
            _masked_or_refused(method, sample(variant, records))


def check_missing_values(method: Method) -> None:
    """What is missing stays missing."""
    data = sample("missing")
    masked = _masked_or_refused(method, data)
    if masked is None:
        return
    for name in masked.table.columns:
        before = data.table[name].gather(masked.link[masked.link >= 0]).is_null()
        after = masked.table[name].filter(pl.Series(masked.link >= 0)).is_null()
        assert not (before & ~after).any(), f"'{name}' has values where it had none"


def check_nothing_but_missing_values(method: Method) -> None:
    """Columns without any value are masked or refused."""
    data = sample()
    empty = data.table.with_columns(pl.lit(None, dtype=data.table.schema[n]).alias(n) for n in ("income", "region"))
    _masked_or_refused(method, Microdata(empty, data.schema))


def check_weights(method: Method) -> None:
    """Weights stay positive numbers, and a file without them is masked as well."""
    masked = _masked_or_refused(method, sample())
    if masked is not None and masked.t:
        weights = masked.table["weight"].to_numpy()
        assert np.all(np.isfinite(weights) & (weights > 0)), "a weight is not a positive number"
    _masked_or_refused(method, sample("unweighted"))


def check_constant_columns(method: Method) -> None:
    """A column that does not vary gets no value that is missing or infinite."""
    try:
        masked = _masked_or_refused(method, sample("constant"), excused=False)
    except NotFinite as error:
        raise AssertionError(f"a constant column does not stay a number: {error}") from error
    if masked is None:
        return
    for name in ("income", "visits"):
        if name in masked.table.columns and masked.table.schema[name].is_numeric():
            values = masked.table[name].cast(pl.Float64)
            assert values.is_finite().all(), f"constant '{name}' became infinite"
            assert method.links is Links.SUPPRESSED or not values.null_count(), f"constant '{name}' became missing"


def check_both_ends_of_every_range(method: Method) -> None:
    """The last permitted value of a parameter works or is refused for these data; the one beyond is refused at once."""
    given = {name: getattr(method, name) for name in method.model_fields_set}
    for name, inside, outside in _ends(type(method), given):
        choices = search_ranges(type(method))[name].choices if name in search_ranges(type(method)) else ()
        for value in inside:
            try:
                changed = type(method)(**{**given, name: value})
            except InputError:
                if value in choices:
                    continue  # it excludes another choice
                raise
            _masked_or_refused(changed, sample())
        for value in outside:
            try:
                type(method)(**{**given, name: value})
            except InputError:
                continue
            raise AssertionError(f"{name} = {value!r} is beyond its limits and was taken")


def check_condition_limits_the_step(method: Method) -> None:
    """With `where`, other records are as they were."""
    data = sample()
    limited = fitted(method, data.schema).model_copy(update={"where": "age > 60"})
    masked = _masked_or_refused(limited, data)
    if masked is None:
        return
    ids = masked.source.collect()[ID].to_numpy()
    others = np.flatnonzero(data.table["age"].to_numpy() <= 60)
    assert np.isin(others, ids).all(), "records that do not meet the condition are gone"
    after = masked.table.filter(pl.Series(np.isin(ids, others)))
    before = data.table[others].select(after.columns).cast(after.schema)
    assert after.equals(before), "records that do not meet the condition changed"


def check_columns_do_not_depend_on_each_other(method: Method) -> None:
    """Masking {a, b} gives the same b as masking {b}, unless the method treats its columns jointly."""
    data = sample()
    names = fitted(method, data.schema).columns
    if method.joint or not method.takes_columns or names is None or len(names) < 2:
        return
    together = run(method.on_columns(names), data)
    for name in names[-2:]:
        alone = run(method.on_columns((name,)), data)
        if name in together.table.columns:
            assert alone.table[name].equals(together.table[name]), f"'{name}' depends on the columns masked with it"


def check_linked_attributes_follow(method: Method) -> None:
    """An attribute that repeats another still does so afterwards, or is gone with it, or the step is refused."""
    data = sample()
    names = fitted(method, data.schema).columns
    if names is None or not method.takes_columns:
        return
    leader = names[0]
    table = data.table.with_columns(pl.col(leader).cast(pl.String).alias("echo"))
    linked = Microdata(table, Schema((*data.schema, *Microdata(table.select("echo")).schema)))
    masked = _masked_or_refused(method.on_columns((leader,)), linked.with_links({"echo": leader}))
    if masked is None or leader not in masked.table.columns:
        assert masked is None or "echo" not in masked.table.columns, f"'{leader}' left and what is linked to it stayed"
        return
    assert method.links is not Links.REFUSED, "a linked attribute was left behind"
    shown, echo = masked.table[leader].cast(pl.String), masked.table["echo"]
    assert (shown == echo).fill_null(True).all(), "a linked attribute did not follow"
    assert (shown.is_null() == echo.is_null()).all(), "a linked attribute stayed where its leader was suppressed"


def check_blocks_of_any_size(method: Method) -> None:
    """A method that sees a record masks parts as it masks the whole, and a part without records too."""
    if method.sees is not Sees.RECORD:
        return
    data = sample("missing")
    try:
        step, frame = planned(method, data, _draws())
        whole = step.apply(frame)
    except AmmgError:
        return
    parts = [step.apply(frame[start:stop]) for start, stop in ((0, 0), (0, 1), (1, 77), (77, len(frame)))]
    for part in parts:
        assert part.schema == whole.schema, f"a block of {len(part)} records has other types than the whole"
    assert pl.concat(parts).equals(whole), "the result depends on how records are cut into blocks"


def check_plan_sees_no_more_than_the_method_says(method: Method) -> None:
    """A method that sees a record or a stratum plans from folds alone, never from the records."""
    if method.sees is Sees.FILE:
        return
    data = sample("missing")
    method = fitted(method, data.schema)
    source = ENGINES[0].open(data).with_categories((*method.needs(data.schema), *method.strata(data.schema)))
    try:
        method.plan(BlindSource(source), _draws())
    except AmmgError:
        return


def check_findings_are_declared_and_add_up(method: Method) -> None:
    """Facts that `mask` finds to publish are announced by `finds`, and findings travel from workers."""
    step, frame = planned(method, sample(), _draws())
    _, findings = step.mask(frame)
    assert method.finds or not findings.published, (
        "mask finds facts to publish, and the method does not declare `finds`"
    )
    again = pickle.loads(pickle.dumps(findings))
    assert [type(finding) for finding in (again + findings).found] == [type(finding) for finding in findings.found]


RULES = (
    "18 <= age <= 89",
    "income > 0",
    "income <= 400",
    "savings >= 0",
    "visits >= 0",
    "visits <= 12",
    "age < 40 implies education in ('none', 'school', 'college')",
    "region = 'West' implies visits <= 3",
    "savings <= 3 * income",
    "(education, region) not in (('none', 'West'), ('university', 'East'))",
)
"""Rules that most records of the sample meet."""


def check_post_editing_keeps_the_rules(method: Method) -> None:
    """With post-editing, a record that met all rules before the step meets them after it, however it begins."""
    with warnings.catch_warnings(action="ignore"):  # some records of the sample break a rule
        data = sample().with_rules(*RULES)
    step = fitted(method, data.schema)
    for way in (WAYS[0], WAYS[2]):  # each is followed by those after it
        masked = _masked_or_refused(step.model_copy(update={"post_edit": way}), data)
        if masked is None:
            continue
        ids = masked.source.collect()[ID].to_numpy()
        real = ids[ids < len(data)]
        shown = masked.table.filter(pl.Series(ids < len(data)))
        for rule in data.schema.rules:
            if any(name not in shown.columns for name in rule.columns) or _recoded(data, shown, rule.columns):
                continue
            newly = rule.check(shown) & ~rule.check(data.table[real])
            met = ~np.any([other.check(data.table[real]) for other in data.schema.rules], axis=0)
            assert not (newly & met).any(), f"'{rule}' is broken by {int((newly & met).sum())} records after '{way}'"


def _recoded(data: Microdata, shown: pl.DataFrame, names: tuple[str, ...]) -> bool:
    """Whether a column of the rule has other values now, about which the rule says nothing."""
    for name in names:
        if shown.schema[name].is_numeric() != data.table.schema[name].is_numeric():
            return True
        if not shown.schema[name].is_numeric():
            words = shown[name].cast(pl.String).unique().drop_nulls()
            if not words.is_in(data.table[name].cast(pl.String).unique().implode()).all():
                return True
    return False


def check_it_can_be_shipped(method: Method) -> None:
    """Method and plan survive pickling, the method survives JSON."""
    assert type(method).model_validate_json(method.model_dump_json(exclude_unset=True)) == method
    assert pickle.loads(pickle.dumps(method)) == method
    step, frame = planned(method, sample(), _draws())
    assert pickle.loads(pickle.dumps(step)).apply(frame).equals(step.apply(frame)), "a pickled plan masks differently"


METHOD_CHECKS: tuple[Check, ...] = tuple(check for name, check in list(globals().items()) if name.startswith("check_"))


def check_method(method: Method) -> None:
    """Run every check on a method."""
    for check in METHOD_CHECKS:
        check(method)


def _masked_or_refused(method: Method, data: Microdata, excused: bool = True) -> Masked | None:
    """The masked file, which can be released, or None if the method refused in words.

    What is not `excused` is a result that the engine refused because it is no number.
    """
    try:
        masked = run(method, data)
    except AmmgError as refusal:
        if isinstance(refusal, NotFinite) and not excused:
            raise
        return None if str(refusal).strip() else fail("a refusal without a reason")
    _ = masked.release(force="a contract test").table
    return masked


def _same(left: Column, right: Column) -> bool:
    return np.array_equal(left, right, equal_nan=right.dtype == np.float64)


def _draws() -> Draws:
    return Draws(Secret.of(1)).at("step", 0)


def _assert_kind(name: str, kind: Kind, values: pl.Series) -> None:
    dtype = values.dtype
    fits = {
        Kind.CONTINUOUS: dtype.is_numeric(),
        Kind.INTEGER: dtype.is_integer(),
        Kind.DATE: dtype.is_temporal(),
    }.get(kind, True)
    assert fits, f"'{name}' is said to be {kind.label} and is {dtype}"


def _text(category: Any) -> str:
    return str(pl.Series([category]).cast(pl.String)[0])


def _ends(unit: type[Method], given: dict[str, Any]) -> Iterator[tuple[str, list[Any], list[Any]]]:
    """(parameter, permitted values at its ends, values just beyond) of every parameter that has limits."""
    searched = search_ranges(unit)
    for name, field in unit.model_fields.items():
        if field.default is None and given.get(name) is None:
            continue  # one of several ways; another was taken
        whole = isinstance(given.get(name, field.default), int)
        inside, outside = [], []
        for limit in field.metadata:
            for end, direction in (("ge", 1), ("gt", 1), ("le", -1), ("lt", -1)):
                if (bound := getattr(limit, end, None)) is None:
                    continue
                within = _next(bound, direction, whole)
                inside.append(bound if end in ("ge", "le") else within)
                outside.append(_next(bound, -direction, whole) if end in ("ge", "le") else bound)
        if (area := searched.get(name)) is not None:
            inside.extend([*area.choices] if area.choices else [area.mild, area.strong])
        if inside or outside:
            yield name, [int(value) if whole and not isinstance(value, bool) else value for value in inside], outside


def _next(bound: float, direction: int, whole: bool) -> float:
    """The next whole number, or a number so near that nobody would tell it from the bound."""
    return int(bound) + direction if whole else bound + direction * 1e-9 * max(1.0, abs(bound))
