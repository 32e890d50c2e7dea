"""Numbers by which states know their people, with the check digits that tell them from other numbers.

The checks are those of python-stdnum; the tests hold one printed example of each.
"""

from __future__ import annotations

from ammg.analyzer.patterns.pattern import Pattern, stdnum

NATIONAL_NUMBERS = (
    Pattern("a US social security number", r"\d{3}-\d{2}-\d{4}", stdnum("us.ssn")),
    Pattern("a Spanish DNI or NIE", r"(?i)[0-9XYZ]\d{7}[A-Z]", stdnum("es.dni", "es.nie"), strip=r" .\-"),
    Pattern("a Dutch BSN", r"\d{9}", stdnum("nl.bsn"), strip=r" .\-", width=9, numeric=True),
    Pattern("a German tax identifier", r"[1-9]\d{10}", stdnum("de.idnr"), strip=" ", width=11, numeric=True),
    Pattern(
        "a French NIR", r"(?i)[1-478]\d{4}(?:\d{2}|2A|2B)\d{8}", stdnum("fr.nir"), strip=" ", width=15, numeric=True
    ),
    Pattern("a British NHS number", r"\d{10}", stdnum("gb.nhs"), strip=r" \-", width=10, numeric=True),
    Pattern("a British national insurance number", r"(?i)[A-CEGHJ-PR-TW-Z]{2}\d{6}[A-D]", strip=" "),
    Pattern("a Polish PESEL", r"\d{11}", stdnum("pl.pesel"), width=11, numeric=True),
    Pattern(
        "a Swedish personnummer",
        r"(?:19|20)?\d{6}[-+]?\d{4}",
        stdnum("se.personnummer"),
        width=10,
        numeric=True,
    ),
    Pattern("a Finnish personal identity code", r"(?i)\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]", stdnum("fi.hetu")),
    Pattern("a Norwegian birth number", r"\d{11}", stdnum("no.fodselsnummer"), strip=" ", width=11, numeric=True),
    Pattern("a Danish CPR number", r"[0-3]\d[01]\d{3}-\d{4}", stdnum("dk.cpr")),
    Pattern("a Belgian national number", r"\d{11}", stdnum("be.nn"), strip=r" .\-", width=11, numeric=True),
    Pattern(
        "an Italian codice fiscale",
        r"(?i)[A-Z]{6}[0-9L-V]{2}[A-EHLMPRST][0-9L-V]{2}[A-Z][0-9L-V]{3}[A-Z]",
        stdnum("it.codicefiscale"),
    ),
    Pattern("a Brazilian CPF", r"\d{11}", stdnum("br.cpf"), strip=r".\-", width=11, numeric=True),
    Pattern(
        "a Canadian social insurance number", r"[1-79]\d{8}", stdnum("ca.sin"), strip=r" \-", width=9, numeric=True
    ),
)
