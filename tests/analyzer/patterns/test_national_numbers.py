"""Printed examples of national numbers pass their check, and the same numbers with one digit changed do not."""

import polars as pl
import pytest

from ammg.analyzer.patterns.contacts import CONTACTS
from ammg.analyzer.patterns.national_numbers import NATIONAL_NUMBERS

PATTERNS = {pattern.name: pattern for pattern in (*NATIONAL_NUMBERS, *CONTACTS)}

# Examples as the issuing offices, the standards or Wikipedia's articles on the numbers print them.
EXAMPLES = [
    ("a US social security number", "536-90-4399"),
    ("a Spanish DNI or NIE", "12345678Z"),
    ("a Spanish DNI or NIE", "X1234567L"),
    ("a Dutch BSN", "111222333"),
    ("a Dutch BSN", "123456782"),
    ("a German tax identifier", "86095742719"),
    ("a German tax identifier", "65929970489"),
    ("a French NIR", "255081416802538"),
    ("a British NHS number", "943 476 5919"),
    ("a Polish PESEL", "44051401359"),
    ("a Swedish personnummer", "811218-9876"),
    ("a Swedish personnummer", "198112189876"),
    ("a Finnish personal identity code", "131052-308T"),
    ("a Norwegian birth number", "01010750160"),
    ("a Belgian national number", "85.07.30-033.28"),
    ("an Italian codice fiscale", "MRTMTT91D08F205J"),
    ("a Brazilian CPF", "111.444.777-35"),
    ("a Canadian social insurance number", "130692544"),
    ("an IBAN", "GB82 WEST 1234 5698 7654 32"),
    ("an IBAN", "DE89370400440532013000"),
    ("a payment card number", "4111 1111 1111 1111"),
    ("a payment card number", "378282246310005"),
]
CHECKED = [example for example in EXAMPLES if example[0] != "a US social security number"]


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_a_printed_example_passes(name: str, number: str) -> None:
    assert PATTERNS[name].matches(pl.Series([number])).tolist() == [True]


@pytest.mark.parametrize(("name", "number"), CHECKED)
def test_one_wrong_digit_is_noticed(name: str, number: str) -> None:
    places = [i for i, sign in enumerate(number) if sign.isdigit()]
    wrong = [number[:i] + str((int(number[i]) + 1) % 10) + number[i + 1 :] for i in places]
    assert not PATTERNS[name].matches(pl.Series(wrong)).any()


@pytest.mark.parametrize("number", ["000-12-3456", "666-12-3456", "912-12-3456", "123-00-4567", "123-45-0000"])
def test_social_security_numbers_that_were_never_issued_do_not_pass(number: str) -> None:
    assert not PATTERNS["a US social security number"].matches(pl.Series([number])).any()


def test_numbers_that_lost_a_leading_zero_pass() -> None:
    assert PATTERNS["a Norwegian birth number"].matches(pl.Series(["1010750160"]), numbers=True).all()


@pytest.mark.parametrize("name", [p.name for p in NATIONAL_NUMBERS if p.numeric])
def test_about_one_random_number_in_ten_passes_at_most(name: str) -> None:
    pattern = PATTERNS[name]
    numbers = pl.Series(range(7_919, 7_919 + 20_000 * 99_991, 99_991)).cast(pl.String).str.zfill(pattern.width)
    assert pattern.matches(numbers).mean() < 0.12
