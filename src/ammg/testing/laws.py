"""The laws of risk: what no release, however it was made, may get round.

    from ammg.testing import check_risk_laws

    def test_my_measure_keeps_the_laws():
        check_risk_laws(MyMeasure())

A measure for which a law is wrong declares it, with the reason: `exempt = {"other_units": "a ratio with a floor"}`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ammg.measures.linkage.attack import Attack
from ammg.measures.linkage.target_unit import TargetUnit
from ammg.measures.linkage.worst_case import WorstCase
from ammg.measures.measure import Measure
from ammg.testing import law_cases, law_changes
from ammg.testing.law_cases import Case, unnoticed
from ammg.testing.law_files import Chooser, RandomChooser


@dataclass(frozen=True)
class Law:
    """A law, how one of its cases is generated, and the measures that it is about."""

    name: str
    says: str
    case: Callable[[Chooser], Case]
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
    """Check one law on one case that is made for it."""
    check_case(law, measure, law.case(chooser))


def check_case(law: Law, measure: Measure, case: Case) -> None:
    """Check one law on one of its cases, which may be put to several measures."""
    try:
        case(measure)
    except AssertionError as error:
        raise AssertionError(f"{measure.name} breaks the law '{law.name}' ({law.says}) {error}") from error


def _any(measure: Measure) -> bool:
    return True


def _attack(measure: Measure) -> bool:
    return isinstance(measure, Attack | WorstCase)


def _finds_people(measure: Measure) -> bool:
    return isinstance(measure, Attack | WorstCase | TargetUnit)


def _takes_missing_for_anything(measure: Measure) -> bool:
    return _finds_people(measure) or getattr(measure, "missing", None) == "available"


LAWS: tuple[Law, ...] = (
    Law(
        "idle_step",
        "a step that changes nothing under any secret changes no risk and no loss",
        law_cases.idle_step_beside_others,
        _any,
    ),
    Law("equal_releases", "equal releases with equal published facts have equal risk", law_cases.equal_releases, _any),
    Law(
        "description_ignored",
        "an attack finds at least what it finds without the description",
        law_cases.description_ignored,
        _attack,
    ),
    Law(
        "record_order",
        "the order of records changes nothing",
        unnoticed(law_changes.records_in_another_order),
        _any,
    ),
    Law(
        "column_order",
        "the order of columns changes nothing",
        unnoticed(law_changes.columns_in_another_order),
        _any,
    ),
    Law(
        "category_order",
        "the order of nominal categories changes nothing",
        unnoticed(law_changes.categories_in_another_order),
        _any,
    ),
    Law("code_type", "the type of codes changes nothing", unnoticed(law_changes.codes_of_another_type), _any),
    Law("other_names", "other names of nominal categories change nothing", unnoticed(law_changes.other_names), _any),
    Law("other_units", "other units of numbers change nothing", unnoticed(law_changes.other_units), _any),
    Law(
        "recoding_alone",
        "recoding alone with nothing missing gives distinct combinations over records",
        law_cases.recoding_alone,
        _finds_people,
    ),
    Law(
        "more_suppression",
        "suppressing more raises nobody's risk",
        law_cases.more_suppression,
        _takes_missing_for_anything,
    ),
    Law("sampling", "sampling does not find more of the original people", law_cases.sampling, _finds_people),
    Law("identical_files", "identical files of distinct records give 1", law_cases.identical_files, _finds_people),
)

MEAN_LAWS: tuple[Law, ...] = (
    Law("independent_files", "independent files give chance, on average", law_cases.independent_files, _finds_people),
    Law("more_known", "more known attributes do not lower an attack, on average", law_cases.more_known, _finds_people),
)
