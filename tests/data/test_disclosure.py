from ammg.data.disclosure import Recoding


def test_an_intruder_recodes_a_value_by_name() -> None:
    recoding = Recoding(("sex",), ("any",), names=(("f", "any"), ("m", "any"), ("44", "old")))
    assert recoding.of(["f", "m", 44.0, "unheard of"]) == ["any", "any", "old", None]


def test_an_intruder_recodes_a_number_by_its_interval() -> None:
    left = Recoding(("age",), ("< 30", "[30, 60)", "≥ 60"), bounds=(30, 60))
    assert left.of([29, 30, 59.9, 60]) == ["< 30", "[30, 60)", "[30, 60)", "≥ 60"]
    right = Recoding(("age",), ("≤ 30", "(30, 60]", "> 60"), bounds=(30, 60), right_closed=True)
    assert right.of([29, 30, 60, 61]) == ["≤ 30", "≤ 30", "(30, 60]", "> 60"]
