"""Columns are recognised by their values."""

import numpy as np
import polars as pl
import pytest

from ammg.analyzer.patterns.recognise import recognise

RECOGNISED = {
    "an e-mail address": [f"{name}@example.org" for name in ("ann", "b.ob", "c+d", "e-f", "günther", "x1")],
    "a telephone number": [
        "+44 20 7946 0958",
        "(555) 123-4567",
        "030 1234567",
        "0171-5551234",
        "+34 912 345 678",
        "+15551234567",
    ],
    "an IP address": ["192.168.1.1", "10.0.0.1", "8.8.8.8", "255.255.255.255", "172.16.4.20"],
    "an address": [
        "12 Main Street",
        "Hauptstr. 5",
        "Calle Mayor 3",
        "221B Baker Street",
        "Keizersgracht 10",
        "7 rue Hoche",
    ],
    "coordinates": ["52.3702, 4.8952", "-33.8688,151.2093", "40.7128, -74.0060", "48.8566, 2.3522", "51.5074, -0.1278"],
    "a person's name": ["John Wayne", "Mary Gore", "García, María", "Anna-Lena von Berg", "Sam Pall", "Jan de Vries"],
    "a UUID": [f"123e4567-e89b-12d3-a456-42661417400{i}" for i in range(6)],
}


@pytest.mark.parametrize("what", RECOGNISED)
def test_values_are_recognised(what: str) -> None:
    found = recognise(pl.Series(RECOGNISED[what]))
    assert found is not None
    assert found.name == what


@pytest.mark.parametrize(
    "values",
    [
        ["male", "female", "diverse", "unknown", "refused"],
        ["Aldmark", "Brenholt", "Kestrel Bay", "Port Selby", "Oakhaven", "Lorne"],
        ["01/02/2020", "28/11/1999", "13.05.1987", "02-03-2011", "30/04/2005"],
        ["2020-01-02", "1999-11-28", "1987-05-13", "2011-03-02", "2005-04-30"],
        ["12.50", "1,200.00", "3.14", "0.01", "99.99"],
        ["Adm-clerical", "Exec-managerial", "Prof-specialty", "Sales", "Tech-support"],
        ["[10, 20)", "[20, 30)", "[30, 40)", "[40, 50)", "≥ 50"],
        ["A1", "B2", "C3", "D4", "E5", "F6"],
    ],
)
def test_categories_dates_and_amounts_are_not_recognised(values: list[str]) -> None:
    assert recognise(pl.Series(values)) is None


@pytest.mark.parametrize("digits", [5, 8, 9, 10, 11, 13, 15])
def test_random_numbers_are_not_recognised(digits: int) -> None:
    rng = np.random.default_rng(digits)
    assert recognise(pl.Series(rng.integers(10 ** (digits - 1), 10**digits, 1_000))) is None


def test_four_values_prove_nothing() -> None:
    assert recognise(pl.Series(RECOGNISED["an e-mail address"][:4])) is None
