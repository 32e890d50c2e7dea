import pytest

from ammg.data.published import Recoding


def new_values(recoding: Recoding, values: list[object]) -> list[object]:
    table, dictionary = recoding.table(values)
    assert table[-1] == -1
    return [dictionary[code] for code in table[:-1]]


@pytest.mark.parametrize("before", [(1, 2, 3), (1.0, 2.0, 3.0), ("1", "2", "3")])
@pytest.mark.parametrize("held", [[1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "3"]])
def test_an_intruder_recodes_a_category_whatever_its_type(before: tuple[object, ...], held: list[object]) -> None:
    recoding = Recoding(("job",), ("clerk", "other"), before=before, codes=(0, 1, 1))
    assert new_values(recoding, held) == ["clerk", "other", "other"]


def test_a_value_that_the_recoding_does_not_know_stays_itself() -> None:
    recoding = Recoding(("sex",), ("any",), before=("f", "m"), codes=(0, 0))
    assert new_values(recoding, ["f", "unheard of"]) == ["any", "unheard of"]


def test_an_intruder_recodes_a_number_by_its_interval() -> None:
    left = Recoding(("age",), ("< 30", "[30, 60)", "≥ 60"), bounds=(30, 60))
    assert new_values(left, [29, 30, 59.9, 60]) == ["< 30", "[30, 60)", "[30, 60)", "≥ 60"]
    right = Recoding(("age",), ("≤ 30", "(30, 60]", "> 60"), bounds=(30, 60), right_closed=True)
    assert new_values(right, [29, 30, 60, 61]) == ["≤ 30", "≤ 30", "(30, 60]", "> 60"]
    assert new_values(Recoding(("age",), ("all",), bounds=()), [29, 30]) == ["all", "all"]


def test_a_recoding_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="2 categories have 1 new codes"):
        Recoding(("sex",), ("any",), before=("f", "m"), codes=(0,))
    with pytest.raises(ValueError, match="not among the 1 categories"):
        Recoding(("sex",), ("any",), before=("f", "m"), codes=(0, 1))
