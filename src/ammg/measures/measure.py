"""What a measure is: a risk, a loss, or a score that combines both."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measurement import Measurement
from ammg.params import Parameters, param
from ammg.summaries.folded_pair import FoldedPair

Family = Literal["risk", "loss", "score"]


class Measure(Parameters):
    """Base of all measures, which are risks, losses or scores of both; smaller is always better."""

    family: ClassVar[Family]
    range: ClassVar[tuple[float, float]]
    percent: ClassVar[bool] = False
    """Whether the table shows the value as a percentage."""
    suggested_limit: ClassVar[float | None] = None
    """The limit to propose to an owner who has set none; None for measures that are not proposed."""
    exempt: ClassVar[Mapping[str, str]] = {}
    """Laws of risk (`ammg.testing.LAWS`) that are wrong for this measure, each with the reason."""
    slow: ClassVar[str] = ""
    """Why it takes long, for measures that take more than a minute on some thousands of records."""
    also_called: ClassVar[tuple[str, ...]] = ()
    """Other names from the literature and from other software; users may type them, but project files get the unit's
    own name.
    """

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register every concrete measure under its name."""
        super().__pydantic_init_subclass__(**kwargs)
        registry.register("measures", cls)

    @abstractmethod
    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare the two files under a scenario; raise `NotDefined` with the reason if there is no value."""

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement | None:
        """The same from chunks of files that are not in memory; None for a measure that does not add up.

        It gives no values of single records.
        """
        return None

    @property
    def name(self) -> str:
        """The name in project files."""
        return registry.snake(type(self).__name__)


class Risk(Measure):
    """Base of the risks, what an intruder could find out: shares of records or of people, unless `range` differs."""

    family: ClassVar[Family] = "risk"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    percent: ClassVar[bool] = True
    mixes_simulated: ClassVar[bool] = False
    """Whether its definition covers artificial records; if not, the risk is measured with them and without them (as if
    the intruder recognised them), and the larger value counts.
    """
    discloses: ClassVar[Literal["identity", "attribute"]] = "identity"
    """Whether it is about finding a person's record, or about learning something about a person."""


class Loss(Measure):
    """Base of the losses, what an analyst no longer has: 0 for the file itself, unbounded unless `range` differs."""

    family: ClassVar[Family] = "loss"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    anchor: ClassVar[Literal["permutation", "constant"]] = "permutation"
    """The release with score 1, which has lost everything that this measure looks at: every column permuted
    independently, or, for measures of single columns, every column constant.
    """

    where: str | None = param(None, "Only records whose original values meet this condition, written as in SQL.")
    each: str | None = param(
        None, "Measure each level of this attribute separately; the value is that of the worst level."
    )
    outlying: float | None = param(
        None, "Only this share of the records, the farthest outliers; the others are reported separately.", gt=0, lt=1
    )


class Score(Measure):
    """Base of the scores that weigh risk against loss: from 0 to 100 unless `range` differs, and not 0 for the file."""

    family: ClassVar[Family] = "score"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def bound(self, pair: Pair, scenario: Scenario) -> float:
        """A value that the score is not below, found without an attack."""
        return self.range[0]

    def up_to(self, most: float, pair: Pair, scenario: Scenario) -> float:
        """The score, or any value above `most` where it is above; a score that can say so early does."""
        value = self.measure(pair, scenario).value
        if value is None:
            raise NotDefined(f"'{self.name}' has no value")
        return value
