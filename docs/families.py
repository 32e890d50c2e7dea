"""The families that methods and measures are shown in: folders of the source tree, in reading order."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Family:
    """A title, what its members have in common, and the folders of their modules."""

    title: str
    about: str
    folders: tuple[str, ...]


METHODS = (
    Family(
        "Recoding",
        "Recoding replaces values by coarser ones: years by age groups, municipalities by regions, the largest incomes "
        "by 'more than'. Released values stay true, so analyses stay valid at the coarser level.",
        ("recoding",),
    ),
    Family(
        "Suppression",
        "Suppression blanks values or drops records that single somebody out. Released values stay true, but "
        "what is missing is not missing at random.",
        ("suppression",),
    ),
    Family(
        "Microaggregation",
        "Microaggregation forms groups of at least k similar records and releases what each group has in common, such "
        "as its mean.",
        ("grouping",),
    ),
    Family(
        "Noise",
        "Noise adds a random error to every number. Analysts who know its variance can correct their estimates for it.",
        ("noise",),
    ),
    Family(
        "Rank swapping and shuffling",
        "These methods hand the values of a column out anew, so that the column keeps its distribution while no value "
        "stays with its owner.",
        ("ranks",),
    ),
    Family(
        "Record swapping",
        "Swapping exchanges values between records that agree on control variables. Tables of controls and swapped "
        "variables stay exact.",
        ("swapping",),
    ),
    Family(
        "PRAM",
        "The post-randomisation method changes categories at random with known probabilities. Analysts who know the "
        "probabilities can estimate the original frequencies.",
        ("pram",),
    ),
    Family(
        "Rounding",
        "Rounding replaces numbers by multiples of a base.",
        ("rounding",),
    ),
    Family(
        "Sampling",
        "Releasing a sample means that an intruder cannot be sure that a person is in the file at all.",
        ("sampling",),
    ),
    Family(
        "Artificial records",
        "Artificial records are drawn from a model of the real ones and mixed into the file.",
        ("synthesis",),
    ),
    Family(
        "Identifiers",
        "Names and numbers of people never leave the house. They are dropped, or replaced by codes where files must "
        "stay linkable.",
        ("identifiers",),
    ),
    Family(
        "Weights",
        "Sampling weights can give away the stratum, and with it the region, that a record comes from.",
        ("weights",),
    ),
)

MEASURES = (
    Family(
        "Uniqueness and diversity",
        "These measures count equivalence classes: groups of records that agree on all key variables. "
        "They need no attack, and no assumption on how data were masked.",
        ("anonymity",),
    ),
    Family(
        "Risk in the population",
        "A person who is unique in the sample may have many look-alikes in the population. These measures "
        "estimate how many.",
        ("population",),
    ),
    Family(
        "Record linkage",
        "These measures run an attack: they link released records to the people whom the intruder knows, and count the "
        "links that are right.",
        ("linkage",),
    ),
    Family(
        "Attacks that know the method",
        "An informed intruder has read how the file was masked. Each of these attacks uses the published description "
        "of one family of methods. The measure `worst_case` runs all that apply.",
        ("noise", "ranks", "grouping", "pram", "swapping", "rounding", "recoding"),
    ),
    Family(
        "Attribute disclosure",
        "These measures ask what an intruder learns about a value, whether or not a record is found.",
        ("inference",),
    ),
    Family(
        "Loss of cells and numbers",
        "How far values, means, variances and correlations moved.",
        ("loss", "loss.numbers"),
    ),
    Family(
        "Loss of distributions",
        "How far the distribution of each number moved.",
        ("loss.distributions",),
    ),
    Family(
        "Loss of tables and categories",
        "How far tables of categories moved, and how much detail recoding and suppression took away.",
        ("loss.tables",),
    ),
    Family(
        "Loss of analyses",
        "These measures repeat an analysis on both files and compare the results.",
        ("loss.analysis",),
    ),
    Family(
        "Scores",
        "A score turns several losses, or risk and loss together, into one number.",
        ("loss.scores",),
    ),
)

FORMATS = (Family("Formats", "", ("",)),)

OTHERS = Family("Others", "Units of plug-ins.", ())
BY_KIND = {"methods": METHODS, "measures": MEASURES, "formats": FORMATS}


def folder_of(unit: type[Any], kind: str) -> str:
    """`loss.numbers` for a measure in `ammg/measures/loss/numbers/`; empty for units outside of the package."""
    package = {"methods": "ammg.methods.", "measures": "ammg.measures.", "formats": "ammg.io."}[kind]
    if not unit.__module__.startswith(package):
        return ""
    return unit.__module__.removeprefix(package).rpartition(".")[0]


def by_family(kind: str, units: dict[str, type[Any]]) -> dict[Family, dict[str, type[Any]]]:
    """The units of each family; what fits none is among the others."""
    families = BY_KIND[kind]
    found: dict[Family, dict[str, type[Any]]] = {family: {} for family in (*families, OTHERS)}
    for name, unit in units.items():
        folder = folder_of(unit, kind)
        home = next((family for family in families if folder in family.folders), OTHERS)
        found[home][name] = unit
    return {family: members for family, members in found.items() if members}
