"""What a column's name says: concepts that statistical files have in common, with their words in several languages.

A concept proposes a role. Its words match whole parts of a name (`sex` in `q3_sex`, not in `essex`); its stems match
anywhere and are therefore longer and rarer. The first concept that matches counts, so the order is: what identifies,
what describes the design, what is confidential, what others can know, what is neither.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ammg.data.attribute import Role

_LONGEST_LABEL = 6  # words


@dataclass(frozen=True)
class Concept:
    """A meaning that a name can have."""

    name: str
    role: Role
    words: frozenset[str]
    stems: tuple[str, ...] = ()
    shape: str = ""
    """`category`, `ordered` or `number`, where the meaning decides it."""


def concept_of(name: str) -> Concept | None:
    """The concept that a column's name stands for, if any."""
    parts = name_parts(name)
    whole = "".join(parts)
    if any(part in _PLACE_OF_NAME for part in parts) and parts[-1:] in (["name"], ["names"]):
        parts, whole = parts[:-1], "".join(parts[:-1])
    for concept in CONCEPTS:
        if whole in concept.words or any(part in concept.words for part in parts):
            return concept
        if any(stem in whole for stem in concept.stems):
            return concept
    return PERSON_NAME if whole.endswith("name") else None


def concept_of_label(label: str) -> Concept | None:
    """The concept that a variable label stands for; long ones are questions, whose words say little."""
    return concept_of(label) if 0 < len(label.split()) <= _LONGEST_LABEL else None


def household_number(name: str) -> bool:
    """Whether a name says that the column numbers households: `household_id`, `hhid`, `ori_hid`, `Haushaltsnummer`."""
    parts = name_parts(name)
    whole = "".join(parts)
    if any(part in _HOUSEHOLD_NUMBERS for part in parts) or whole in _HOUSEHOLD_NUMBERS:
        return True
    about = any(stem in whole for stem in _HOUSEHOLD_STEMS) or "hh" in parts
    return about and (bool(set(parts) & _NUMBER_WORDS) or whole.endswith(("id", "nr", "number", "nummer", "num")))


def unit_number(name: str) -> bool:
    """Whether a name says that the column numbers the units: `id`, `person_id`, `UTILITYID`, `case_no`."""
    parts = name_parts(name)
    whole = "".join(parts)
    if set(parts) & _ID_WORDS or whole in _ID_WORDS:
        return True
    owned = any(stem in whole for stem in _UNIT_STEMS)
    return owned and (bool(set(parts) & _NUMBER_WORDS) or whole.endswith(("id", "nr", "nummer", "number")))


def counts_something(name: str) -> bool:
    """Whether a name says that the column counts: `num_children`, `n_jobs`, `household_size`."""
    parts = name_parts(name)
    whole = "".join(parts)
    return bool(set(parts) & {"n", "num", "count", "size", "number", "anzahl", "nombre", "aantal"}) or whole.startswith(
        ("num", "nbr", "anz")
    )


def numbers_something(name: str) -> bool:
    """Whether a name ends in a word for a number that is given out: `tax_number`, `policy no`, `loan_id`."""
    parts = name_parts(name)
    return len(parts) > 1 and parts[-1] in _NUMBER_WORDS - {"key", "code"}


def lasts(name: str) -> bool:
    """Whether a name says that the column counts time or visits: `sick_days`, `weeks_worked`."""
    return bool(set(name_parts(name)) & _DURATIONS)


def codes_something(name: str) -> bool:
    """Whether a name says that the column holds codes: `COMPCODE`, `kind_of_contract`."""
    parts = name_parts(name)
    return bool(
        set(parts) & {"code", "cd", "kode", "typ", "type", "kind", "cat", "category", "class", "grade"}
    ) or "".join(parts).endswith(("code", "kode"))


def name_parts(name: str) -> list[str]:
    """Lower-case parts of a name without accents: `BirthDate2` → birth, date."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ø", "o").replace("ł", "l"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return [part.lower() for part in re.findall(r"[A-Za-z]+", spaced)]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PLACE_OF_NAME = _words(
    "region state county country city town municipality province district drug product job occupation"
)
_HOUSEHOLD_NUMBERS = _words(
    "hid hhid hhnr hhnum hhno hhidnum famid hogarid idhogar menageid householdid idhh hhkey dwellingid"
)
_HOUSEHOLD_STEMS = (
    "household",
    "haushalt",
    "huishoud",
    "hogar",
    "menage",
    "husholdning",
    "hushall",
    "famiglia",
    "family",
)
_NUMBER_WORDS = _words("id ids nr no num number nummer numero numer key code identifier")
_DURATIONS = _words("days weeks months hours nights visits tage wochen monate jours semaines dias semanas dagen weken")
_ID_WORDS = _words(
    "id ids uid uuid guid ident identifier identifikator kennung pid personid patientid caseid recordid "
    "rowid serial pseudonym mrn idnr idno"
)
_UNIT_STEMS = (
    "person", "patient", "customer", "client", "kunde", "klant", "case", "record", "respond", "member", "employee",
    "participant", "proband", "subject", "user", "student", "account", "policy", "contract", "utility",
    "company", "firm",
)  # fmt: skip

PERSON_NAME = Concept(
    "a name",
    Role.IDENTIFIER,
    _words(
        "name names surname surnames lastname firstname fullname forename givenname maidenname middlename "
        "nom prenom apellido apellidos vorname nachname familienname naam voornaam achternaam nome cognome "
        "sobrenome imie nazwisko fornamn efternamn fornavn etternavn efternavn etunimi sukunimi username "
        "nickname"
    ),
    ("firstname", "lastname", "surname", "vorname", "nachname", "fullname", "patientname", "prenom", "apellido"),
)

CONCEPTS: tuple[Concept, ...] = (
    # What points at one person.
    Concept("an e-mail address", Role.IDENTIFIER, _words("email mail emailaddress correo courriel epost"), ("email",)),
    Concept(
        "a telephone number",
        Role.IDENTIFIER,
        _words(
            "phone tel telephone mobile cell cellphone fax telefon telefono telefoon handy movil portable "
            "telefone puhelin"
        ),
        ("phone", "telefon"),
    ),
    Concept(
        "a national number",
        Role.IDENTIFIER,
        _words(
            "ssn dni nif nie bsn nir nhs nino pesel cpr hetu cpf sin aadhaar rut curp personnummer "
            "fodselsnummer tin steuerid insee codicefiscale sofi rijksregisternummer passport passnummer "
            "taxnumber taxid taxno steuernummer pasaporte nationalid"
        ),
        ("socialsecuritynum", "personnum", "codicefiscal", "steueridentifik", "nationalid", "passport"),
    ),
    Concept(
        "a bank account or card",
        Role.IDENTIFIER,
        _words("iban bic accountnumber kontonummer creditcard cardnumber ccn pan"),
        ("iban", "creditcard", "cardnum", "accountnum", "kontonum"),
    ),
    Concept(
        "an address",
        Role.IDENTIFIER,
        _words(
            "address addr street strasse rue calle direccion adresse adres straat via indirizzo endereco ulica "
            "adress gata"
        ),
        ("address", "streetname", "strasse", "straat"),
    ),
    Concept(
        "a network address", Role.IDENTIFIER, _words("ip ipaddress ipaddr mac macaddress imei imsi url website"), ()
    ),
    Concept(
        "coordinates",
        Role.IDENTIFIER,
        _words(
            "lat lon lng long latitude longitude latitud longitud breitengrad laengengrad gps coord coords "
            "xcoord ycoord"
        ),
        ("latitud", "longitud", "coordinat", "koordinat"),
        "number",
    ),
    Concept("a licence plate", Role.IDENTIFIER, _words("plate licenceplate licenseplate vin kennzeichen kenteken"), ()),
    PERSON_NAME,
    # The design.
    Concept(
        "a stratum of the design",
        Role.STRATUM,
        _words("stratum strata strate schicht estrato psu ssu cluster"),
        ("stratum",),
    ),
    Concept(
        "body weight",
        Role.CONFIDENTIAL,
        _words("weightkg kg bodyweight birthweight lbs bmi gewichtkg"),
        ("bodyweight", "birthweight", "weightkg"),
        "number",
    ),
    Concept(
        "a sampling weight",
        Role.WEIGHT,
        _words(
            "weight weights wgt wt w pweight fweight gewicht poids peso pondera hochrechnungsfaktor expansion "
            "ponderacion"
        ),
        ("weight", "wgt", "pondera", "hochrechn"),
        "number",
    ),
    # What people want kept to themselves.
    Concept(
        "money",
        Role.CONFIDENTIAL,
        _words(
            "income incomes wage wages salary earnings earned pay tax taxes debt debts asset assets wealth "
            "savings pension pensions benefit benefits grant grants expense expenses expenditure cost costs "
            "billing bill price revenue sales profit turnover capital agi fica money loan mortgageamount "
            "einkommen lohn gehalt steuer steuern vermogen schulden rente ausgaben ingresos ingreso salario "
            "renta impuesto impuestos deuda gastos revenu revenus salaire impot dette epargne inkomen loon "
            "belasting schuld reddito stipendio imposta dochod inkomst lon skatt"
        ),
        (
            "income",
            "salar",
            "wage",
            "earn",
            "tax",
            "debt",
            "asset",
            "saving",
            "pens",
            "benef",
            "unben",
            "odben",
            "recben",
            "sosec",
            "expend",
            "billing",
            "bill",
            "revenue",
            "selfemployment",
            "contrb",
            "contrib",
            "einkomm",
            "verdienst",
            "ingreso",
            "wsal",
            "ernval",
        ),
        "number",
    ),
    Concept(
        "health",
        Role.CONFIDENTIAL,
        _words(
            "health sick sickness diagnosis diagnoses disease illness icd medication treatment disability hiv blood "
            "symptom symptoms therapy gesundheit krankheit diagnose behinderung salud enfermedad sante maladie "
            "gezondheid ziekte salute malattia zdrowie halsa height"
        ),
        ("diagnos", "disease", "health", "illness", "disabil", "medicat", "symptom"),
    ),
    Concept(
        "a belief, an orientation or an offence",
        Role.CONFIDENTIAL,
        _words(
            "religion religious faith party vote voted politics union orientation sexuality crime conviction "
            "offence arrest"
        ),
        ("religio", "politic", "convict", "criminal"),
        "category",
    ),
    # What a neighbour or a register knows.
    Concept(
        "sex",
        Role.KEY,
        _words("sex gender geschlecht sexo sexe geslacht sesso plec kon kjonn sukupuoli genero genre"),
        ("gender", "geschlecht"),
        "category",
    ),
    Concept(
        "a date of birth",
        Role.KEY,
        _words(
            "dob birthdate birthday birthyear birth geburtsdatum geburtsjahr nacimiento naissance geboortedatum nascita"
        ),
        ("birth", "geburt", "nacimiento", "naissance", "geboorte"),
    ),
    Concept(
        "age",
        Role.KEY,
        _words("age alter edad leeftijd eta wiek alder idade ika agegroup ageclass"),
        ("altersgr",),
        "number",
    ),
    Concept(
        "an area",
        Role.KEY,
        _words(
            "region state county country city town village municipality commune province district zip zipcode "
            "postcode postal plz gemeinde kreis land bundesland provincia municipio comunidad departement "
            "gemeente regione comune wojewodztwo lan kommune nuts lau tract area neighbourhood neighborhood "
            "postalcode residence canton urbanisation urbanization urban rural urbrur"
        ),
        ("region", "municipal", "postcode", "zipcode", "province", "urbani", "urbrur", "nativecountry"),
        "category",
    ),
    Concept(
        "origin",
        Role.KEY,
        _words(
            "race ethnicity ethnic nationality citizenship native origin language herkunft nationalitat "
            "staatsangehorigkeit etnia"
        ),
        ("ethnic", "etnic", "etni", "ethni", "national", "citizen", "staatsang"),
        "category",
    ),
    Concept(
        "marital status",
        Role.KEY,
        _words("marital maritalstatus marstat civil civilstatus familienstand estadocivil burgerlijkestaat"),
        ("marital", "marstat", "civil", "familienstand"),
        "category",
    ),
    Concept(
        "education",
        Role.KEY,
        _words(
            "education schooling degree isced bildung schulabschluss educacion estudios diplome opleiding "
            "istruzione utbildning"
        ),
        ("educ", "isced", "opleiding", "bildung"),
        "ordered",
    ),
    Concept(
        "work",
        Role.KEY,
        _words(
            "occupation profession job jobtitle isco beruf profesion ocupacion metier beroep professione zawod "
            "yrke workclass activity employment labour industry nace branch sector employer economicactivity "
            "erwerbsstatus"
        ),
        ("occup", "occu", "profession", "industry", "workclass", "employ", "laborforce", "labourforce"),
        "category",
    ),
    Concept(
        "the size of the household",
        Role.KEY,
        _words("householdsize hhsize hhsz familysize children kids kinder haushaltsgrosse hijos enfants"),
        ("householdsize", "hhsize", "familysize", "children", "haushaltsgr"),
        "number",
    ),
    # Known to have neither a great risk nor a great harm.
    Concept(
        "the dwelling",
        Role.OTHER,
        _words("dwelling tenure roof walls water heating building wohnung vivienda logement woning"),
        ("dwelling",),
        "category",
    ),
    Concept("a count", Role.OTHER, _words("rooms hours bedrooms stunden uren horas heures zimmer"), (), "number"),
    Concept(
        "the place in the household", Role.OTHER, _words("relationship relation relat"), ("relationship",), "category"
    ),
)
