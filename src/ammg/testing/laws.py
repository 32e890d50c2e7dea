"""The laws of risk: what no release, however it was made, may get round.

    from ammg.testing import check_risk_laws

    def test_my_measure_keeps_the_laws():
        check_risk_laws(MyMeasure())

A measure for which a law is wrong declares it, with the reason: `exempt = {"other_units": "a ratio with a floor"}`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.published import Recoding
from ammg.data.scenario import Scenario
from ammg.errors import AmmgError, NotDefined
from ammg.measures.linkage.attack import Attack
from ammg.measures.linkage.target_unit import TargetUnit
from ammg.measures.linkage.worst_case import WorstCase
from ammg.measures.measure import Measure
from ammg.measures.measurement import Measurement
from ammg.methods.method import Method
from ammg.pipeline.pipeline import Pipeline
from ammg.testing import law_changes
from ammg.testing.law_files import CATEGORIES, Chooser, RandomChooser, idle_step, pick, small_file, small_step

SLACK = 1e-7
SECRETS = 20  # of the laws that hold in the mean
ATTEMPTS = 20  # to make a pipeline that no step refuses
Check = Callable[[Measure, Chooser], None]


@dataclass(frozen=True)
class Law:
    """A law, the measures that it is about, and a check on one generated case."""

    name: str
    says: str
    check: Check
    about: Callable[[Measure], bool]

    def binds(self, measure: Measure) -> bool:
        """Whether a measure must keep the law."""
        return self.about(measure) and self.name not in type(measure).exempt


def laws_of(measure: Measure) -> list[Law]:
    """The laws that a measure must keep on every case."""
    return [law for law in LAWS if law.binds(measure)]


def check_risk_laws(measure: Measure, cases: int = 40, seed: int = 1) -> None:
    """Check every law on so many generated cases, in turn; AssertionError says which law failed on which."""
    unknown = set(type(measure).exempt) - {law.name for law in (*LAWS, *MEAN_LAWS)}
    assert not unknown, f"{measure.name} is exempt from laws that do not exist: {', '.join(sorted(unknown))}"
    laws = laws_of(measure)
    for number in range(cases):
        check_law(laws[number % len(laws)], measure, RandomChooser(seed * 1_000_003 + number))
    for law in MEAN_LAWS:
        if law.binds(measure):
            check_law(law, measure, RandomChooser(seed))


def check_law(law: Law, measure: Measure, chooser: Chooser) -> None:
    """Check one law on one case."""
    try:
        law.check(measure, chooser)
    except AssertionError as error:
        raise AssertionError(f"{measure.name} breaks the law '{law.name}' ({law.says}) {error}") from error


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
            return Pipeline(steps).run(data, secret=chooser.whole(0, 99)).pair, [step.name for step in steps]
        except AmmgError:
            continue  # a method may refuse data that are too small for it
    return Pair.identity(small_file(chooser)), []


def _idle_step(measure: Measure, chooser: Chooser) -> None:
    for _ in range(ATTEMPTS):
        data = small_file(chooser)
        steps = [step for _ in range(chooser.whole(0, 1)) if (step := small_step(chooser, data))]
        idle, secret = idle_step(chooser, data), chooser.whole(0, 99)
        try:
            without, beside = (Pipeline(some).run(data, secret=secret) for some in (steps, [*steps, idle]))
        except AmmgError:
            continue
        if beside.steps[-1].changed:  # it may have something to do after another step
            continue
        where = f"after {[step.name for step in steps]} with {idle!r}"
        assert_same(measure, without.pair, beside.pair, where)
        told = tuple(fact for fact in beside.steps[-1].published if isinstance(fact, Recoding))
        facts, again = (*without.published, *told), without.pair.again
        described = Pair(data, beside.pair.masked, beside.pair.link, facts, again=again)
        assert_same(measure, without.pair, described, f"{where}, published")
        return


def _equal_releases(measure: Measure, chooser: Chooser) -> None:
    pair, steps = made(chooser)
    first, second = (Microdata(data.table.clone(), data.schema) for data in (pair.original, pair.masked))
    measured(measure, pair)
    copy = Pair(first, second, pair.link.copy(), pair.published, again=pair.again)
    assert_same(measure, pair, copy, f"after {steps}")


def _description_ignored(measure: Measure, chooser: Chooser) -> None:
    pair, steps = made(chooser)
    told, ignoring = measured(measure, pair), measured(measure, pair.undescribed())
    if ignoring is not None:
        assert told is not None, f"after {steps}: defined only without the description"
        assert _value(told) >= _value(ignoring) - SLACK, f"after {steps}: {told.value} < {ignoring.value}"


def _unnoticed(change: law_changes.Change) -> Check:
    def check(measure: Measure, chooser: Chooser) -> None:
        pair, steps = made(chooser)
        assert_same(measure, pair, change(pair, chooser), f"after {steps}")

    return check


def _recoding_alone(measure: Measure, chooser: Chooser) -> None:
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
    found = measured(measure, pair)
    if found is not None and classes > 1:
        assert math.isclose(_value(found), classes / pair.n, abs_tol=SLACK), (
            f"{classes} classes of {pair.n} records give {found.value} after {steps}"
        )


def _more_suppression(measure: Measure, chooser: Chooser) -> None:
    data = small_file(chooser, missing=False)
    rng = np.random.default_rng(chooser.whole(0, 2**20))
    name = pick(chooser, data.schema.keys)
    less = rng.random(len(data)) < 0.2
    more = less | (rng.random(len(data)) < 0.3)
    before, after = (measured(measure, _suppressed(data, name, hidden)) for hidden in (less, more))
    if before is None or after is None or before.people.by_record is None or after.people.by_record is None:
        return
    raised = np.flatnonzero(after.people.by_record > before.people.by_record + SLACK)
    assert not len(raised), (
        f"suppressing {name} raises record {raised[0]} from {before.people.by_record[raised[0]]} "
        f"to {after.people.by_record[raised[0]]}"
    )


def _sampling(measure: Measure, chooser: Chooser) -> None:
    data = small_file(chooser, missing=False, records=(12, 24))
    kept = np.flatnonzero(np.random.default_rng(chooser.whole(0, 2**20)).random(len(data)) < 0.7)
    whole = measured(measure, Pair.identity(data))
    part = measured(measure, Pair(data, Microdata(data.table[kept], data.schema), kept)) if len(kept) else None
    if whole is None or part is None or whole.people.by_record is None or part.people.by_record is None:
        return
    found = float(part.people.by_record.sum()), float(whole.people.by_record.sum())
    assert found[0] <= found[1] + SLACK, f"{found[0]} of {len(data)} people found in a sample, {found[1]} in the whole"


def _identical_files(measure: Measure, chooser: Chooser) -> None:
    data = small_file(chooser, missing=False, records=(12, 24))
    table = data.table.unique(subset=data.schema.keys, keep="first", maintain_order=True)
    if len(table) < 12:
        return
    found = measured(measure, Pair.identity(Microdata(table, data.schema)))
    if found is not None:
        assert math.isclose(_value(found), 1.0, abs_tol=SLACK), f"{found.value} for distinct records"


def _independent_files(measure: Measure, chooser: Chooser) -> None:
    """Files that have nothing to do with each other, then releases of other people with all that is said of them."""
    for steps in ([], *_described_steps()):
        above = []
        for secret in range(SECRETS):
            rng = np.random.default_rng(chooser.whole(0, 2**20))
            data, other = _people(rng), Pipeline(steps).run(_people(rng), secret=secret).pair
            found = measured(measure, Pair(data, other.masked, other.link, other.published, again=other.again))
            if found is not None:
                above.append(_value(found) - 1 / len(data))
        # by a description that is not true of them, an attack may exclude everybody
        _assert_about(above, f"above chance after {[step.name for step in steps]}", low=not steps)


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


def _more_known(measure: Measure, chooser: Chooser) -> None:
    gains = []
    for _ in range(SECRETS):
        pair = _unevenly_masked(np.random.default_rng(chooser.whole(0, 2**20)))
        less, more = (_known(measure, pair, names) for names in (("town", "age"), ("town", "age", "pay", "job")))
        if less is not None and more is not None:
            gains.append(more - less)
    _assert_about(gains, "known attributes that were scrambled", high=False)


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


def _any(measure: Measure) -> bool:
    return True


def _attack(measure: Measure) -> bool:
    return isinstance(measure, Attack | WorstCase)


def _finds_people(measure: Measure) -> bool:
    return isinstance(measure, Attack | WorstCase | TargetUnit)


def _takes_missing_for_anything(measure: Measure) -> bool:
    return _finds_people(measure) or getattr(measure, "missing", None) == "available"


LAWS: tuple[Law, ...] = (
    Law("idle_step", "a step that changes nothing under any secret changes no risk and no loss", _idle_step, _any),
    Law("equal_releases", "equal releases with equal published facts have equal risk", _equal_releases, _any),
    Law(
        "description_ignored",
        "an attack finds at least what it finds without the description",
        _description_ignored,
        _attack,
    ),
    Law(
        "record_order",
        "the order of records changes nothing",
        _unnoticed(law_changes.records_in_another_order),
        _any,
    ),
    Law(
        "column_order",
        "the order of columns changes nothing",
        _unnoticed(law_changes.columns_in_another_order),
        _any,
    ),
    Law(
        "category_order",
        "the order of nominal categories changes nothing",
        _unnoticed(law_changes.categories_in_another_order),
        _any,
    ),
    Law("code_type", "the type of codes changes nothing", _unnoticed(law_changes.codes_of_another_type), _any),
    Law("other_names", "other names of nominal categories change nothing", _unnoticed(law_changes.other_names), _any),
    Law("other_units", "other units of numbers change nothing", _unnoticed(law_changes.other_units), _any),
    Law(
        "recoding_alone",
        "recoding alone with nothing missing gives distinct combinations over records",
        _recoding_alone,
        _finds_people,
    ),
    Law("more_suppression", "suppressing more raises nobody's risk", _more_suppression, _takes_missing_for_anything),
    Law("sampling", "sampling does not find more of the original people", _sampling, _finds_people),
    Law("identical_files", "identical files of distinct records give 1", _identical_files, _finds_people),
)

MEAN_LAWS: tuple[Law, ...] = (
    Law("independent_files", "independent files give chance, on average", _independent_files, _finds_people),
    Law("more_known", "more known attributes do not lower an attack, on average", _more_known, _finds_people),
)
