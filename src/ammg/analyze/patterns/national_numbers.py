"""Numbers by which states know their people, with the check digits that tell them from other numbers.

Sources are the published rules of each number; the tests hold one printed example of each.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.analyze.patterns.pattern import Pattern, digits, is_date, luhn, remainder, weighted

Flags = NDArray[np.bool_]


def _social_security_number(values: pl.Series) -> Flags:
    """No check digit: area not 000, 666 or 9xx, group not 00, serial not 0000."""
    number = digits(values, 9)
    area = weighted(number, (100, 10, 1))
    return np.asarray(
        (area > 0) & (area != 666) & (area < 900) & (number[:, 3:5].sum(axis=1) > 0) & (number[:, 5:].sum(axis=1) > 0)
    )


def _dni(values: pl.Series) -> Flags:
    """Letter number (n mod 23); the X, Y or Z of a foreigner's number counts as 0, 1 or 2."""
    upper = values.str.to_uppercase()
    number = upper.str.replace("^X", "0").str.replace("^Y", "1").str.replace("^Z", "2").str.slice(0, 8).cast(pl.Int64)
    letters = np.array(list("TRWAGMYFPDXBNJZSQVHLCKE"))
    return np.asarray(letters[number.to_numpy() % 23] == np.array(upper.str.slice(8).to_list()))


def _bsn(values: pl.Series) -> Flags:
    """The eleven test with weights 9 … 2 and -1."""
    number = digits(values, 9)
    return np.asarray((weighted(number, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0) & (number.sum(axis=1) > 0))


def _steuer_id(values: pl.Series) -> Flags:
    """ISO 7064 MOD 11,10 over the first ten digits, of which one occurs twice or three times."""
    number = digits(values, 11)
    product = np.full(len(number), 10)
    for position in range(10):
        total = (number[:, position] + product) % 10
        total = np.where(total == 0, 10, total)
        product = total * 2 % 11
    counts = (number[:, :10, None] == np.arange(10)).sum(axis=1)
    repeated = (counts.max(axis=1) >= 2) & (counts.max(axis=1) <= 3)
    return np.asarray(((11 - product) % 10 == number[:, 10]) & repeated)


def _nir(values: pl.Series) -> Flags:
    """Key 97 - (n mod 97); Corsica's 2A and 2B count as 19 and 18."""
    plain = values.str.to_uppercase().str.replace("2A", "19").str.replace("2B", "18")
    key = plain.str.slice(13).cast(pl.Int64).to_numpy()
    return np.asarray(97 - remainder(plain.str.slice(0, 13), 97) == key)


def _nhs(values: pl.Series) -> Flags:
    """Check digit 11 - (Σ (10 … 2)·d mod 11)."""
    number = digits(values, 10)
    check = (11 - weighted(number, (10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11) % 11
    return np.asarray(check == number[:, 9])


def _pesel(values: pl.Series) -> Flags:
    """Weights 1, 3, 7, 9 repeated; the century is in the month."""
    number = digits(values, 11)
    check = (10 - weighted(number, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10) % 10
    year, month, day = (number[:, i] * 10 + number[:, i + 1] for i in (0, 2, 4))
    return np.asarray((check == number[:, 10]) & is_date(year, month % 20, day))


def _personnummer(values: pl.Series) -> Flags:
    """Luhn over the last ten digits; co-ordination numbers add 60 to the day."""
    last = values.str.replace_all("[^0-9]", "").str.slice(-10)
    number = digits(last, 10)
    year, month, day = (number[:, i] * 10 + number[:, i + 1] for i in (0, 2, 4))
    return np.asarray(luhn(number) & is_date(year, month, np.where(day > 60, day - 60, day)))


def _hetu(values: pl.Series) -> Flags:
    """Sign number (nine digits mod 31) of a list of 31."""
    number = (values.str.slice(0, 6) + values.str.slice(7, 3)).cast(pl.Int64).to_numpy()
    signs = np.array(list("0123456789ABCDEFHJKLMNPRSTUVWXY"))
    return np.asarray(signs[number % 31] == np.array(values.str.slice(10).str.to_uppercase().to_list()))


def _fodselsnummer(values: pl.Series) -> Flags:
    """Two check digits modulo 11."""
    number = digits(values, 11)
    first = weighted(number, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    second = weighted(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11
    return np.asarray((first == 0) & (second == 0) & (number.sum(axis=1) > 0))


def _belgian_number(values: pl.Series) -> Flags:
    """Key 97 - (nine digits mod 97), with a leading 2 for births from 2000."""
    plain = values.str.slice(0, 9)
    key = values.str.slice(9).cast(pl.Int64).to_numpy()
    return np.asarray((97 - remainder(plain, 97) == key) | (97 - remainder("2" + plain, 97) == key))


def _codice_fiscale(values: pl.Series) -> Flags:
    """Letter number (Σ mod 26); signs at odd places count by a table of their own."""
    odd = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
    raw = np.frombuffer("".join(values.str.to_uppercase().to_list()).encode(), dtype=np.uint8).reshape(-1, 16)
    sign = np.where(raw >= 65, raw.astype(np.int64) - 65, raw.astype(np.int64) - 48)
    total = np.array(odd)[sign[:, 0:15:2]].sum(axis=1) + sign[:, 1:15:2].sum(axis=1)
    return np.asarray(total % 26 == sign[:, 15])


def _cpf(values: pl.Series) -> Flags:
    """Two check digits modulo 11; eleven equal digits do not count."""
    number = digits(values, 11)
    first = weighted(number, (10, 9, 8, 7, 6, 5, 4, 3, 2)) * 10 % 11 % 10
    second = weighted(number, (11, 10, 9, 8, 7, 6, 5, 4, 3, 2)) * 10 % 11 % 10
    return np.asarray((first == number[:, 9]) & (second == number[:, 10]) & (np.ptp(number, axis=1) > 0))


def _sin(values: pl.Series) -> Flags:
    """The check of ISO/IEC 7812."""
    return luhn(digits(values, 9))


NATIONAL_NUMBERS = (
    Pattern("a US social security number", r"\d{3}-\d{2}-\d{4}", _social_security_number),
    Pattern("a Spanish DNI or NIE", r"(?i)[0-9XYZ]\d{7}[A-Z]", _dni, strip=r" .\-"),
    Pattern("a Dutch BSN", r"\d{9}", _bsn, strip=r" .\-", width=9, numeric=True),
    Pattern("a German tax identifier", r"[1-9]\d{10}", _steuer_id, strip=" ", width=11, numeric=True),
    Pattern("a French NIR", r"(?i)[1-478]\d{4}(?:\d{2}|2A|2B)\d{8}", _nir, strip=" ", width=15, numeric=True),
    Pattern("a British NHS number", r"\d{10}", _nhs, strip=r" \-", width=10, numeric=True),
    Pattern("a British national insurance number", r"(?i)[A-CEGHJ-PR-TW-Z]{2}\d{6}[A-D]", strip=" "),
    Pattern("a Polish PESEL", r"\d{11}", _pesel, width=11, numeric=True),
    Pattern("a Swedish personnummer", r"(?:19|20)?\d{6}[-+]?\d{4}", _personnummer, width=10, numeric=True),
    Pattern("a Finnish personal identity code", r"(?i)\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]", _hetu),
    Pattern("a Norwegian birth number", r"\d{11}", _fodselsnummer, strip=" ", width=11, numeric=True),
    Pattern("a Danish CPR number", r"[0-3]\d[01]\d{3}-\d{4}"),
    Pattern("a Belgian national number", r"\d{11}", _belgian_number, strip=r" .\-", width=11, numeric=True),
    Pattern(
        "an Italian codice fiscale",
        r"(?i)[A-Z]{6}[0-9L-V]{2}[A-EHLMPRST][0-9L-V]{2}[A-Z][0-9L-V]{3}[A-Z]",
        _codice_fiscale,
    ),
    Pattern("a Brazilian CPF", r"\d{11}", _cpf, strip=r".\-", width=11, numeric=True),
    Pattern("a Canadian social insurance number", r"[1-79]\d{8}", _sin, strip=r" \-", width=9, numeric=True),
)
