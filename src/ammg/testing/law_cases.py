"""The cases of the laws: a file, what a pipeline makes of it, and the question that is put to a measure.

Making a case costs more than measuring it, so one case may be put to many measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import polars as pl

from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.published import Recoding
from ammg.data.scenario import Scenario
from ammg.draws import Secret
from ammg.errors import AmmgError, NotDefined
from ammg.measures.measure import Measure
from ammg.measures.measurement import Measurement
from ammg.methods.method import Method
from ammg.pipeline.pipeline import Pipeline
from ammg.testing import law_changes
from ammg.testing.law_files import CATEGORIES, Chooser, idle_step, pick, small_file, small_step

SLACK = 1e-7
SECRETS = 20  # of the laws that hold in the mean
ATTEMPTS = 20  # to make a pipeline that no step refuses
Case = Callable[[Measure], None]
"""A case asks a measure one question; AssertionError says that the answer breaks the law."""


def measured(measure: Measure, pair: Pair) -> Measurement | None:
    """The answer under the default scenario, None where there is none."""
    try:
        found = measure.measure(pair, Scenario())
    except NotDefined:
        return None
    return None if found.value is None else found


def made(chooser: Chooser) -> tuple[Pair, list[str]]:
    """A small file and what a pipeline of up to two steps makes of it."""
    for _ in range(ATTEMPTS):
        data = small_file(chooser)
        steps = [step for _ in range(chooser.whole(0, 2)) if (step := small_step(chooser, data))]
        try:
            return Pipeline(steps).run(data, secret=Secret.known(chooser.whole(0, 99))).pair, [
                step.name for step in steps
            ]
        except AmmgError:
            continue  # a method may refuse data that are too small for it
    return Pair.identity(small_file(chooser)), []


def idle_step_beside_others(chooser: Chooser) -> Case:
    """A pipeline with and without a step that changes nothing."""
    for _ in range(ATTEMPTS):
        data = small_file(chooser)
        steps = [step for _ in range(chooser.whole(0, 1)) if (step := small_step(chooser, data))]
        idle, secret = idle_step(chooser, data), Secret.known(chooser.whole(0, 99))
        try:
            without, beside = (Pipeline(some).run(data, secret=secret) for some in (steps, [*steps, idle]))
        except AmmgError:
            continue
        if beside.steps[-1].changed:  # it may have something to do after another step
            continue
        where = f"after {[step.name for step in steps]} with {idle!r}"
        told = tuple(fact for fact in beside.steps[-1].published if isinstance(fact, Recoding))
        facts, again = (*without.published, *told), without.pair.again
        described = Pair(data, beside.pair.masked, beside.pair.link, facts, again=again)
        return _all_same(without.pair, {where: beside.pair, f"{where}, published": described})
    return _nothing_to_ask


def _all_same(first: Pair, others: dict[str, Pair]) -> Case:
    def case(measure: Measure) -> None:
        for where, other in others.items():
            assert_same(measure, first, other, where)

    return case


def equal_releases(chooser: Chooser) -> Case:
    """A release and a copy of it."""
    pair, steps = made(chooser)

    def case(measure: Measure) -> None:
        first, second = (Microdata(data.table.clone(), data.schema) for data in (pair.original, pair.masked))
        measured(measure, pair)
        copy = Pair(first, second, pair.link.copy(), pair.published, again=pair.again)
        assert_same(measure, pair, copy, f"after {steps}")

    return case


def description_ignored(chooser: Chooser) -> Case:
    """A release with and without what is published about it."""
    pair, steps = made(chooser)

    def case(measure: Measure) -> None:
        told, ignoring = measured(measure, pair), measured(measure, pair.undescribed())
        if ignoring is not None:
            assert told is not None, f"after {steps}: defined only without the description"
            assert _value(told) >= _value(ignoring) - SLACK, f"after {steps}: {told.value} < {ignoring.value}"

    return case


def unnoticed(change: law_changes.Change) -> Callable[[Chooser], Case]:
    """Cases of a change that no measure may notice."""

    def make(chooser: Chooser) -> Case:
        pair, steps = made(chooser)
        changed = change(pair, chooser)
        return lambda measure: assert_same(measure, pair, changed, f"after {steps}")

    return make


def recoding_alone(chooser: Chooser) -> Case:
    """Keys that are recoded and not perturbed."""
    from ammg.methods.recoding.global_recoding import GlobalRecoding
    from ammg.methods.recoding.rare_category_recoding import RareCategoryRecoding

    data = small_file(chooser, columns=(*CATEGORIES, "ages", "amounts"), missing=False, records=(12, 24))
    steps: list[GlobalRecoding | RareCategoryRecoding] = []
    for name in data.schema.keys:
        if data.schema[name].is_categorical:
            steps.append(RareCategoryRecoding(columns=(name,), keep=chooser.whole(1, 3)))
        elif chooser.whole(0, 1):
            steps.append(GlobalRecoding(columns=(name,), groups=chooser.whole(2, 4)))
    pair = Pipeline(steps).run(data, secret=1).pair
    classes = pair.masked.table.select(data.schema.keys).unique().height

    def case(measure: Measure) -> None:
        found = measured(measure, pair)
        if found is not None and classes > 1:
            assert math.isclose(_value(found), classes / pair.n, abs_tol=SLACK), (
                f"{classes} classes of {pair.n} records give {found.value} after {steps}"
            )

    return case


def more_suppression(chooser: Chooser) -> Case:
    """A key with some values suppressed, then with more."""
    data = small_file(chooser, missing=False)
    rng = np.random.default_rng(chooser.whole(0, 2**20))
    name = pick(chooser, data.schema.keys)
    less = rng.random(len(data)) < 0.2
    more = less | (rng.random(len(data)) < 0.3)
    pairs = [_suppressed(data, name, hidden) for hidden in (less, more)]

    def case(measure: Measure) -> None:
        before, after = (measured(measure, pair) for pair in pairs)
        if before is None or after is None or before.people.by_record is None or after.people.by_record is None:
            return
        raised = np.flatnonzero(after.people.by_record > before.people.by_record + SLACK)
        assert not len(raised), (
            f"suppressing {name} raises record {raised[0]} from {before.people.by_record[raised[0]]} "
            f"to {after.people.by_record[raised[0]]}"
        )

    return case


def sampling(chooser: Chooser) -> Case:
    """A file and a sample of it."""
    data = small_file(chooser, missing=False, records=(12, 24))
    kept = np.flatnonzero(np.random.default_rng(chooser.whole(0, 2**20)).random(len(data)) < 0.7)
    if not len(kept):
        return _nothing_to_ask
    pairs = Pair.identity(data), Pair(data, Microdata(data.table[kept], data.schema), kept)

    def case(measure: Measure) -> None:
        whole, part = (measured(measure, pair) for pair in pairs)
        if whole is None or part is None or whole.people.by_record is None or part.people.by_record is None:
            return
        found, among_all = float(part.people.by_record.sum()), float(whole.people.by_record.sum())
        assert found <= among_all + SLACK, f"{found} of {len(data)} people found in a sample, {among_all} in the whole"

    return case


def identical_files(chooser: Chooser) -> Case:
    """A file of distinct records released as it is."""
    data = small_file(chooser, missing=False, records=(12, 24))
    table = data.table.unique(subset=data.schema.keys, keep="first", maintain_order=True)
    if len(table) < 12:
        return _nothing_to_ask
    pair = Pair.identity(Microdata(table, data.schema))

    def case(measure: Measure) -> None:
        found = measured(measure, pair)
        if found is not None:
            assert math.isclose(_value(found), 1.0, abs_tol=SLACK), f"{found.value} for distinct records"

    return case


def independent_files(chooser: Chooser) -> Case:
    """Files that have nothing to do with each other, then releases of other people with all that is said of them."""
    files: list[tuple[list[str], list[Pair]]] = []
    for steps in ([], *_described_steps()):
        pairs = []
        for secret in range(SECRETS):
            rng = np.random.default_rng(chooser.whole(0, 2**20))
            data, other = _people(rng), Pipeline(steps).run(_people(rng), secret=Secret.known(secret)).pair
            pairs.append(Pair(data, other.masked, other.link, other.published, again=other.again))
        files.append(([step.name for step in steps], pairs))

    def case(measure: Measure) -> None:
        for steps, pairs in files:
            answers = ((pair, measured(measure, pair)) for pair in pairs)
            above = [_value(found) - 1 / pair.n for pair, found in answers if found is not None]
            # by a description that is not true of them, an attack may exclude everybody
            _assert_about(above, f"above chance after {steps}", low=not steps)

    return case


def _described_steps() -> list[list[Method]]:
    """Pipelines whose descriptions tell all that attacks make use of."""
    from ammg.methods.grouping.mdav import Mdav
    from ammg.methods.grouping.univariate_microaggregation import UnivariateMicroaggregation
    from ammg.methods.noise.additive_noise import AdditiveNoise
    from ammg.methods.noise.mixture_noise import MixtureNoise
    from ammg.methods.ranks.rank_swapping import RankSwapping
    from ammg.methods.rounding.random_rounding import RandomRounding
    from ammg.methods.sampling.sampling import Sampling

    names = ("age", "pay")
    return [
        [RankSwapping(columns=names, p=20)],
        [AdditiveNoise(columns=names, law="laplace"), Sampling(fraction=0.8)],
        [MixtureNoise(columns=names, d=0.2)],
        [Mdav(columns=names, k=3, noise="pooled")],
        [UnivariateMicroaggregation(columns=names, k=4)],
        [RandomRounding(columns=names, base=0.5)],
    ]


def more_known(chooser: Chooser) -> Case:
    """Releases of which an intruder knows two attributes, then four."""
    pairs = [_unevenly_masked(np.random.default_rng(chooser.whole(0, 2**20))) for _ in range(SECRETS)]

    def case(measure: Measure) -> None:
        gains = []
        for pair in pairs:
            less, more = (_known(measure, pair, names) for names in (("town", "age"), ("town", "age", "pay", "job")))
            if less is not None and more is not None:
                gains.append(more - less)
        _assert_about(gains, "known attributes that were scrambled", high=False)

    return case


def _nothing_to_ask(measure: Measure) -> None:
    """A case that did not come about."""


def _people(rng: np.random.Generator, n: int = 60) -> Microdata:
    table = pl.DataFrame(
        {
            "town": rng.integers(0, 8, n),
            "age": rng.normal(40, 10, n),
            "pay": rng.normal(0, 1, n),
            "job": rng.choice(list("abcd"), n),
        }
    )
    return Microdata(table).with_kinds(nominal="town").with_roles(key=table.columns)


def _unevenly_masked(rng: np.random.Generator) -> Pair:
    """A town that is mostly as it was, an age with a little noise, and two attributes that tell nothing any more."""
    data = _people(rng)
    n, table = len(data), data.table
    masked = table.with_columns(
        town=pl.Series(np.where(rng.random(n) < 0.1, rng.integers(0, 8, n), table["town"].to_numpy())),
        age=pl.col("age") + pl.Series(rng.normal(0, 1, n)),
        pay=pl.Series(rng.permutation(table["pay"].to_numpy())),
        job=pl.Series(rng.permutation(table["job"].to_numpy())),
    )
    return Pair(data, Microdata(masked, data.schema), np.arange(n))


def _known(measure: Measure, pair: Pair, names: tuple[str, ...]) -> float | None:
    try:
        return measure.measure(pair, Scenario(known=names)).value
    except NotDefined:
        return None


def _assert_about(values: list[float], where: str, *, low: bool = True, high: bool = True) -> None:
    """The mean is zero, or on one side of it, within three standard errors."""
    if len(values) < 2:
        return
    error = 3 * float(np.std(values, ddof=1)) / math.sqrt(len(values)) + SLACK
    mean = float(np.mean(values))
    assert not low or mean >= -error, f"{where}: {mean} on average, below 0 by more than {error}"
    assert not high or mean <= error, f"{where}: {mean} on average, above 0 by more than {error}"


def assert_same(measure: Measure, first: Pair, second: Pair, where: str) -> None:
    """The measure has one value on both pairs."""
    answers = measured(measure, first), measured(measure, second)
    values = [None if answer is None else answer.value for answer in answers]
    if values[0] is None or values[1] is None:
        assert values[0] is values[1], f"{where}: {values}"
    else:
        assert math.isclose(values[0], values[1], rel_tol=SLACK, abs_tol=SLACK), f"{where}: {values}"


def _suppressed(data: Microdata, name: str, hidden: np.ndarray) -> Pair:
    table = data.table.with_columns(pl.when(pl.Series(~hidden)).then(pl.col(name)).alias(name))
    return Pair(data, Microdata(table, data.schema), np.arange(len(data)))


def _value(found: Measurement) -> float:
    assert found.value is not None
    return found.value
