"""Ways to reach a person or a place: mail, telephone, network, address, coordinates, bank."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.analyzer.patterns.pattern import Pattern, stdnum

_STREETS = (
    "street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|square|way|place|terrace|crescent|"
    "strasse|straße|str|weg|platz|allee|gasse|ring|rue|chemin|place|quai|impasse|calle|avenida|plaza|paseo|via|viale|"
    "piazza|corso|rua|travessa|straat|laan|plein|gracht|ulica|ul|aleja|gatan|vägen|vej|gade|gate|veien|katu|tie"
)


def _nine_digits(values: pl.Series) -> NDArray[np.bool_]:
    """At least nine digits: a date written with strokes has eight."""
    return values.str.count_matches(r"\d").to_numpy() >= 9


CONTACTS = (
    Pattern("an e-mail address", r"[^@\s,;<>]+@[^@\s,;<>]+\.[A-Za-z]{2,24}"),
    Pattern("an IBAN", r"(?i)[A-Z]{2}\d{2}[A-Z0-9]{11,30}", stdnum("iban"), strip=r" \-"),
    Pattern("a payment card number", r"[2-6]\d{12,18}", stdnum("luhn"), strip=r" \-", numeric=True),
    Pattern("an IP address", r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)"),
    Pattern("an IPv6 address", r"(?i)(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}:)+:(?:[0-9a-f]{1,4}:?)*"),
    Pattern("a hardware address", r"(?i)(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}"),
    Pattern("a web address", r"(?i)(?:https?://|www\.)\S+"),
    Pattern("a UUID", r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    # Separators, brackets or a plus sign are needed: plain digits could be any number.
    Pattern(
        "a telephone number",
        r"(?:\+\d{1,3}|00\d{1,3}|\(0?\d{1,5}\)|0\d{1,4}|1|\d{3})[ ./()-]{1,3}"
        r"(?:\(0?\d{1,4}\)[ ./-]*)?\d{2,5}(?:[ ./-]?\d{2,5}){1,4}"
        r"|\+\d{8,15}",
        _nine_digits,
    ),
    Pattern(
        "an address",
        rf"(?i)(?:\d+[a-z]?[ ,]+(?:[\p{{L}}.'-]+ ){{0,4}}(?:{_STREETS})\.?(?:[ ,].*)?"
        rf"|(?:[\p{{L}}.'-]+ ){{0,3}}[\p{{L}}.'-]*(?:{_STREETS})\.?(?: [\p{{L}}.'-]+){{0,4}},? \d+[a-z]?(?:[ ,].*)?)",
        least=0.6,
    ),
    Pattern("coordinates", r"[-+]?\d{1,2}\.\d{3,}[ ,;]+[-+]?1?\d{1,2}\.\d{3,}"),
)
