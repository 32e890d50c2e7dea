import pytest

from ammg.data.rules.linear import LinearRule
from ammg.errors import InputError


@pytest.mark.parametrize(
    ("text", "coefficients", "constant"),
    [
        ("income = wages + pensions", {"income": 1, "wages": -1, "pensions": -1}, 0),
        ("net=gross-tax", {"net": 1, "gross": -1, "tax": 1}, 0),
        ("a - b - c = 0", {"a": 1, "b": -1, "c": -1}, 0),
        ("a + b + c = 100", {"a": 1, "b": 1, "c": 1}, 100),
        ("2 a = 0.5*b - 1e2 c", {"a": 2, "b": -0.5, "c": 100}, 0),
        ('"total income" = `wages (net)` + x.1', {"total income": 1, "wages (net)": -1, "x.1": -1}, 0),
        ("a + b = b + c", {"a": 1, "c": -1}, 0),
        ("-a = - -3", {"a": -1}, 3),
    ],
)
def test_identities_are_read_as_written(text: str, coefficients: dict[str, float], constant: float) -> None:
    identity = LinearRule.parse(text)
    assert identity.coefficients == coefficients
    assert identity.constant == constant


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("income", "needs one '='"),
        ("a = b = c", "needs one '='"),
        ("a = ", "nothing on one side"),
        ("a = b c", "a sign is missing before 'c'"),
        ("a = b +", "lacks its column"),
        ("a = 2 * 3", "no column follows"),
        ("a = b / c", "'/ c' is not understood"),
        ("a = a", "does not name a column"),
        ("1 = 1", "does not name a column"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        LinearRule.parse(text)
