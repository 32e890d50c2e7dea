"""What a masking method is: parameters, a plan made once, and a mask applied block by block."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ammg import registry
from ammg.data.alteration import Alteration
from ammg.data.attribute import Kind, Level, Role
from ammg.data.block import Block
from ammg.data.finding import Findings
from ammg.data.published import NoiseLaw, Published
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.usage import Usage
from ammg.params import Parameters, param
from ammg.summaries.summary import FoldedSource, Source


class Sees(Enum):
    """How much of the file a method must see at once."""

    RECORD = auto()
    STRATUM = auto()
    FILE = auto()


class Links(Enum):
    """How attributes linked to a masked one follow it."""

    REFUSED = auto()
    """They cannot: the pipeline refuses the step unless it masks them too."""
    MOVED = auto()
    """Values change places, and `Block.moves` says from where: linked values move with them."""
    SUPPRESSED = auto()
    """Values are kept or become missing: linked values become missing with them."""


@dataclass(frozen=True)
class Plan:
    """What a method decided before it touches a record."""

    schema: Schema
    """The attributes that the step writes, as they are afterwards."""
    state: Any = None
    """What `mask` needs: matrices, factors, cut points. Picklable."""
    published: tuple[Published, ...] = ()
    """What a published description of the step reveals."""
    dropped: tuple[str, ...] = ()
    """Columns that the step removes."""
    notes: tuple[str, ...] = ()
    """Notes for the data owner on how the step went."""
    among: Any = None
    """The condition to which the pipeline limited the step, as in `Published`."""

    def with_findings(self, findings: Findings) -> Plan:
        """The plan, completed by what only masking could find out."""
        if not findings:
            return self
        return replace(self, published=(*self.published, *findings.published), notes=(*self.notes, *findings.notes))


PostEditing = Literal["redraw", "donor", "smallest change", "put back"]
"""Ways to correct records that break a rule after a step, in the order in which they are tried."""


class RiskAbove(Parameters):
    """Limits a step to the records whose risk is above a threshold."""

    risk: str = param(..., "Name of a risk measure with a value for each record.")
    above: float = param(..., "Records above this value are masked.")


class Method(Parameters):
    """Base of all masking methods.

    A subclass declares its kind of columns (`accepts`), what it must see (`sees`) and its parameters, and writes
    `plan` and `mask`. The pipeline adds households, `where`, linked attributes and missing values.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC
    sees: ClassVar[Sees] = Sees.RECORD
    links: ClassVar[Links] = Links.REFUSED
    takes_columns: ClassVar[bool] = True
    """Whether the method takes `columns`; sampling, for one, keeps or drops whole records."""
    recodes: ClassVar[bool] = False
    """Whether masking changes the set of categories; if so, no condition can limit the step."""
    perturbs: ClassVar[bool] = True
    """Whether released values may be untrue (perturbative); recoding, suppression and sampling only reveal less."""
    finds: ClassVar[bool] = False
    """Whether `mask` finds facts to publish that the plan does not know: a block comes back with findings."""
    joint: ClassVar[bool] = False
    """Whether the masking of a column depends on the other columns of the step."""
    searched: ClassVar[bool] = True
    """Whether the automatic search may use it."""
    also_called: ClassVar[tuple[str, ...]] = ()
    """Other names from the literature and from other software; users may type them, but project files get the unit's
    own name.
    """

    columns: tuple[str, ...] | None = param(
        None, "Columns to mask; by default every key and confidential attribute of persons that the method accepts."
    )
    where: str | RiskAbove | None = param(
        None,
        "Limit the step to some records: a condition such as \"age > 80 AND region = 'North'\", or a risk threshold.",
    )

    post_edit: PostEditing | None = param(
        None,
        "How to correct records that break a declared rule only after the step: draw again (redraw), take the values "
        "of a similar record (donor), put few values back (smallest change), or put all back (put back). "
        "Where one way fails, the next is tried.",
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register every concrete method under its name."""
        super().__pydantic_init_subclass__(**kwargs)
        if cls.recodes and "where" in cls.__pydantic_fields__:  # records left out would keep the old categories
            del cls.__pydantic_fields__["where"]
            cls.where = None
            cls.model_rebuild(force=True)
        registry.register("methods", cls)

    @classmethod
    def examples(cls) -> list[Self]:
        """Parameters for the contract tests; override it if the defaults do not suit the test data."""
        return [cls()]

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """How users should analyse what this step masked; `columns` are those that no later step removed."""
        return Usage(
            "Totals and shares of large groups, if the information loss per attribute in this description is small."
        )

    @abstractmethod
    def plan(self, source: Source, draws: Draws) -> Plan:
        """Decide once what will be done, from summaries of the data; see `seen_by` for what the source offers."""

    @abstractmethod
    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Mask a block: records may be dropped or added, never reordered. Findings are returned with the block."""

    def alters(self, plan: Plan) -> Alteration | None:
        """The columns in which the step promises to change every cell; by default those to which it adds noise.

        The release checks refuse a file in which such a value stayed the same. None if values may stay by design.
        """
        laws = [told for told in plan.published if isinstance(told, NoiseLaw)]
        names = tuple(name for law in laws for name in law.columns)
        return Alteration(names, zeros_stay=any(law.keeps != "nothing" for law in laws)) if laws else None

    @property
    def name(self) -> str:
        """The name in project files."""
        return registry.snake(type(self).__name__)

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns to mask in these data, checked for existence and kind."""
        if self.columns is None:
            roles = [Role.KEY, Role.CONFIDENTIAL]
            names = [a.name for a in schema if a.role in roles and a.kind & self.accepts]
            if not schema.with_role(*roles):
                names = [a.name for a in schema if a.role is Role.OTHER and a.kind & self.accepts]
            if not names:
                raise InputError(f"No attribute is {self.accepts.label}, as {self.name} needs: name its columns.")
            persons = [name for name in names if schema[name].level is Level.PERSON]
            return tuple(persons or names)  # what describes households needs a step of its own
        if not self.columns:
            raise InputError(f"The list of columns of {self.name} is empty: name a column, or omit the list.")
        for name in self.columns:
            if not schema[name].kind & self.accepts:
                raise InputError(
                    f"Column '{name}' is {schema[name].kind.label}; {self.name} masks {self.accepts.label} attributes."
                )
        return tuple(dict.fromkeys(self.columns))

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The columns that `plan` and `mask` see; by default those to be masked."""
        return self.chosen(schema)

    @classmethod
    def search_columns(cls, schema: Schema) -> tuple[str, ...]:
        """The columns that the automatic search may give to this method."""
        return tuple(a.name for a in schema if a.kind & cls.accepts)

    def strata(self, schema: Schema) -> tuple[str, ...]:
        """The columns within whose values the method works."""
        return ()

    def acts_on(self, schema: Schema) -> Level:
        """Whether the step masks persons or households; one step cannot mask both."""
        names = self.chosen(schema)
        levels = {schema[name].level for name in names}
        if len(levels) > 1:
            households = [name for name in names if schema[name].level is Level.HOUSEHOLD]
            raise InputError(
                f"{self.name} names columns of persons and of households ({', '.join(households)}): "
                "use one step for each level."
            )
        return levels.pop() if levels else Level.PERSON

    def on_columns(self, columns: tuple[str, ...]) -> Method:
        """The same method for other columns."""
        return self.model_copy(update={"columns": columns})


def seen_by(method: Method, source: Source) -> Source:
    """What a method may plan from: all records if it sees the file (`whole(source)`), else summaries only."""
    return source if method.sees is Sees.FILE else FoldedSource(source)


class StratifiedMethod(Method):
    """Base of methods that work within strata: the whole file is one stratum unless `within` names columns."""

    sees: ClassVar[Sees] = Sees.STRATUM

    within: tuple[str, ...] = param((), "Work separately within each combination of these columns.")

    def strata(self, schema: Schema) -> tuple[str, ...]:
        """The columns named in `within`."""
        return tuple(schema[name].name for name in self.within)

    @property
    def fewest(self) -> int:
        """The least number of values that a stratum needs in a column, unless it has none; fewer are refused."""
        return 1

    def to_mask(self, block: Block, name: str) -> NDArray[np.bool_]:
        """Which values of a column the method is to change."""
        return ~block.is_missing(name)


MissingPolicy = Literal["available", "refuse", "by_pattern"]


class MultivariateMethod(Method):
    """Base of methods that treat their columns jointly, with one policy for missing values."""

    joint: ClassVar[bool] = True

    missing: MissingPolicy = param(
        "available",
        "Records with missing values: mask what is observed (available), stop (refuse), or mask each "
        "pattern of missing values separately if it is frequent enough (by_pattern).",
    )

    @property
    def least_together(self) -> int:
        """The least number of values that the method needs in a column, unless there are none."""
        return 1
