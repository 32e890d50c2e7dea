"""What the analysis of a file says: a proposal for each attribute, relations between them, and warnings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from ammg.analyzer.relations import Dependency
from ammg.charts.chart import Chart
from ammg.charts.drawing import Drawing
from ammg.data.attribute import Kind, Level, Role
from ammg.data.microdata import Microdata
from ammg.data.rules.household_sum import HouseholdSum
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.rule import Rule
from ammg.errors import InputError

Certainty = Literal["sure", "likely", "unsure"]


@dataclass(frozen=True)
class Proposal:
    """The role, kind and level proposed for one attribute, with the reason and what it rests on."""

    name: str
    role: Role
    kind: Kind
    reason: str
    certainty: Certainty = "likely"
    level: Level = Level.PERSON
    linked_to: str | None = None
    hierarchy: str = ""
    """The rule by which a key could be recoded, such as `by widths 5, 10, 20`; empty for other attributes."""
    kind_reason: str = ""
    stored_kind: Kind | None = None
    """The kind without this proposal: what the type of the column, or somebody before, says."""
    distinct: int = 0
    missing: int = 0
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    deviation: float | None = None
    distribution: tuple[tuple[str, int], ...] = ()
    """Records of each class of a number (low to high), or of the most frequent values."""
    label: str = ""
    """What the file says that the attribute is."""

    @property
    def chart(self) -> Chart:
        """The distribution as a picture."""
        labels, counts = [label for label, _ in self.distribution], [float(count) for _, count in self.distribution]
        return Chart("bars", self.name, tuple(labels), {"records": tuple(counts)}, "", "records")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        kinds = {"kind": self.kind.label, "stored_kind": self.stored_kind.label if self.stored_kind else None}
        return {**asdict(self), **kinds, "role": self.role.value, "level": self.level.value}


@dataclass(frozen=True)
class Warned:
    """Something a person should look at before masking."""

    subject: str
    """What kind of warning it is: `rare categories`, `outliers`, …"""
    columns: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        return f"{', '.join(self.columns)}: {self.message}" if self.columns else self.message


@dataclass(frozen=True)
class Analysis:
    """Proposals for a person to accept or change; nothing is applied before `apply` is called."""

    records: int
    attributes: tuple[Proposal, ...]
    identities: tuple[LinearRule, ...] = ()
    household_sums: tuple[HouseholdSum, ...] = ()
    edits: tuple[Rule, ...] = ()
    """Edit rules that hold without exception, to be declared if they must stay true; `apply` does not declare them."""
    dependencies: tuple[Dependency, ...] = ()
    warnings: tuple[Warned, ...] = ()
    notes: tuple[str, ...] = ()
    """How the analysis was made, where that limits what it can say."""

    def __getitem__(self, name: str) -> Proposal:
        for proposal in self.attributes:
            if proposal.name == name:
                return proposal
        raise InputError(
            f"The analysis has no attribute '{name}'; it has {', '.join(p.name for p in self.attributes)}."
        )

    @property
    def roles(self) -> dict[str, Role]:
        """The proposed role of each attribute."""
        return {proposal.name: proposal.role for proposal in self.attributes}

    def apply(self, data: Microdata) -> Microdata:
        """The same records with what is proposed, rules included; call it once you agree with it."""
        by_role: dict[str, list[str]] = {}
        by_kind: dict[str, list[str]] = {}
        by_level: dict[str, list[str]] = {}
        for proposal in self.attributes:
            by_role.setdefault(proposal.role.value, []).append(proposal.name)
            by_level.setdefault(proposal.level.value, []).append(proposal.name)
            if proposal.kind is not data.schema[proposal.name].kind:
                by_kind.setdefault(proposal.kind.label, []).append(proposal.name)
        links = {p.name: p.linked_to for p in self.attributes if p.linked_to is not None}
        data = data.with_kinds(**by_kind).with_roles(**by_role).with_levels(**by_level).with_links(links)
        trees = {p.name: p.hierarchy for p in self.attributes if p.hierarchy and not data.schema[p.name].hierarchy}
        data = data.with_hierarchies(trees)
        known = [set(rule.columns) for rule in data.schema.rules]
        return data.with_rules(*(rule.text for rule in self.rules if set(rule.columns) not in known))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules to declare: all but mere images, which links take care of."""
        return (*(identity for identity in self.identities if not identity.is_image), *self.household_sums)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "records": self.records,
            "attributes": [proposal.to_dict() for proposal in self.attributes],
            "identities": [
                {"formula": i.text, "terms": dict(i.coefficients), "constant": i.constant, "rounding": i.tolerance}
                for i in self.identities
            ],
            "household_sums": [rule.text for rule in self.household_sums],
            "edits": [rule.text for rule in self.edits],
            "dependencies": [asdict(dependency) for dependency in self.dependencies],
            "warnings": [asdict(warning) for warning in self.warnings],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        from ammg.analyzer.render import as_text

        return as_text(self)

    __repr__ = __str__

    @property
    def charts(self) -> tuple[Chart, ...]:
        """The distribution of each attribute that has one."""
        return tuple(proposal.chart for proposal in self.attributes if proposal.distribution)

    def plot(self) -> Drawing:
        """Draw the distribution of each attribute; a notebook shows the drawing."""
        return Drawing(self.charts, columns=3)

    def _repr_html_(self) -> str:
        from ammg.analyzer.render import as_html

        return as_html(self)
