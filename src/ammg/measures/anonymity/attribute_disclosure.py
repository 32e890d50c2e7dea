"""What an equivalence class reveals about a confidential attribute: the base of l-diversity and t-closeness."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Role
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.anonymity.released_key import Floats, ReleasedKey, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People, Table, counts, numbers, text
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions

Bools = NDArray[np.bool_]


class AttributeDisclosure(Risk):
    """Base of the criteria on the distribution of confidential values within each equivalence class.

    The value is the share of released records whose class fails for at least one confidential attribute;
    `people.by_record` is the largest share that one confidential value has in the record's class: how sure an intruder
    can be of it.
    """

    discloses: ClassVar[Literal["identity", "attribute"]] = "attribute"

    attributes: tuple[str, ...] | None = param(None, "Confidential attributes; by default all in the release.")
    joint: bool = param(
        False, "Whether each attribute must be safe among records that also agree on the other confidential ones."
    )

    @abstractmethod
    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """The criterion's figure of each class; the attribute comes with the categories of its codes."""

    @abstractmethod
    def fails(self, scores: Floats) -> Bools:
        """Which figures break the criterion."""

    worst: ClassVar[Literal["smallest", "largest"]]
    """Which end of the figures is the dangerous one."""

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Tabulate the confidential attributes within the classes of the known ones."""
        from ammg.criteria.distributions import class_distributions
        from ammg.criteria.diversity import cross_classes
        from ammg.kernels.anonymity.cells import count_cells

        key = released_key(pair, scenario)
        names = self._confidential(pair, key)
        cells = count_cells(key.codes, key.sizes)
        columns = {name: pair.codes(name, masked=True) for name in names}
        failing, surest = np.zeros(pair.t, dtype=bool), np.zeros(pair.t)
        by_column: dict[str, float] = {}
        ends: list[float] = []
        found: list[tuple[int, int, int]] = []
        examples: list[str] = []
        for name, (codes, categories) in columns.items():
            others = [columns[other] for other in names if other != name] if self.joint else []
            classes, count = cross_classes(
                cells.index, len(cells), [c for c, _ in others], [max(1, len(values)) for _, values in others]
            )
            table = class_distributions(classes, count, codes, max(1, len(categories)))
            scores = self.score(table, pair.masked.schema[name].replace(categories=categories))
            failed = self.fails(scores)[classes]
            shares = table.max_by_class(table.shares, empty=0.0)[classes]
            by_column[name] = float(failed.mean())
            ends.append(float(scores.min() if self.worst == "smallest" else scores.max()))
            found.append((int(failed.sum()), np.unique(classes[failed]).size, int(np.sum(shares == 1))))
            examples += _examples(name, key, scores, classes, failed)
            failing |= failed
            surest = np.maximum(surest, shares)
        return Measurement(
            value=float(failing.mean()),
            by_column=by_column,
            facts={"keys": key.names},
            tables={
                "attributes": Table(
                    {
                        "attribute": text(columns),
                        "worst": numbers(ends),
                        "failing_records": counts(records for records, _, _ in found),
                        "failing_classes": counts(classes for _, classes, _ in found),
                        "known_for_certain": counts(certain for _, _, certain in found),
                    }
                )
            },
            people=People(surest, failing=examples),
        )

    def _confidential(self, pair: Pair, key: ReleasedKey) -> list[str]:
        schema = pair.masked.schema
        if self.attributes is None:
            names = schema.with_role(Role.CONFIDENTIAL)
        else:
            names = [pair.original.schema[name].name for name in self.attributes]
        names = [name for name in names if name in schema and name not in key.names]
        if not names:
            raise NotDefined("no confidential attribute is in the masked file")
        return names


def _examples(
    name: str, key: ReleasedKey, scores: Floats, classes: NDArray[np.int32], failed: Bools, count: int = 10
) -> list[str]:
    """Some failing classes in words, with their figures."""
    numbered = dict.fromkeys(classes[np.flatnonzero(failed)[:5_000]].tolist())
    shown = list(numbered)[:count]
    return [f"{name} among {key.record(int(np.argmax(classes == one)))}: {scores[one]:.3g}" for one in shown]
