"""The map of risk against loss."""

from ammg.store.values import Comparison
from ammg.web.parts.comparison import risk_loss_map


def _row(measure: str, family: str, **values: float | None) -> dict[str, object]:
    cells = {one: {"value": value, "is_broken": False} for one, value in values.items()}
    return {"measure": measure, "family": family, "name": measure, "values": cells}


def test_every_file_with_both_numbers_is_a_point() -> None:
    rows = (_row("found", "risk", a=0.1, b=0.2, c=None), _row("lost", "loss", a=0.5, b=0.3))
    chart = risk_loss_map(Comparison(("a", "b", "c"), rows), {"a": "A", "b": "B", "c": "C"}, "found", "lost")
    assert chart is not None
    assert chart.x == (0.1, 0.2)
    assert dict(chart.series) == {"A": (0.5, None), "B": (None, 0.3)}


def test_without_both_numbers_there_is_no_map() -> None:
    rows = (_row("found", "risk", a=None), _row("lost", "loss", a=0.5))
    assert risk_loss_map(Comparison(("a",), rows), {"a": "A"}, "found", "lost") is None
