"""What an equivalence class reveals about a confidential attribute: the base of l-diversity and t-closeness."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Role
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.threads import in_threads
from ammg.measures.anonymity.released_key import Codes, Floats, ReleasedKey, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People, Table, counts, numbers, text
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions
    from ammg.kernels.anonymity.cells import Cells

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
        key = released_key(pair, scenario)
        names = self._confidential(pair, key)
        columns = dict(
            zip(names, in_threads(partial(pair.codes, masked=True), names, pair.t * len(names)), strict=True)
        )
        failing, surest, lock = np.zeros(pair.t, dtype=bool), np.zeros(pair.t), Lock()
        cells = key.cells  # counted before several threads ask for them

        def disclosed(name: str) -> _Disclosed:
            found, failed, shares = self._disclosed(name, columns, pair, key, cells)
            with lock:  # in place, to hold no more than two arrays; the order of the attributes makes no difference
                np.logical_or(failing, failed, out=failing)
                np.maximum(surest, shares, out=surest)
            return found

        found = dict(zip(names, in_threads(disclosed, names, pair.t * len(names)), strict=True))
        return Measurement(
            value=float(failing.mean()),
            by_column={name: one.failing_records / pair.t for name, one in found.items()},
            facts={"keys": key.names},
            tables={
                "attributes": Table(
                    {
                        "attribute": text(found),
                        "worst": numbers(one.worst for one in found.values()),
                        "failing_records": counts(one.failing_records for one in found.values()),
                        "failing_classes": counts(one.failing_classes for one in found.values()),
                        "known_for_certain": counts(one.certain for one in found.values()),
                    }
                )
            },
            people=People(surest, failing=[example for one in found.values() for example in one.examples]),
        )

    def _disclosed(
        self,
        name: str,
        columns: Mapping[str, tuple[Codes, tuple[Any, ...]]],
        pair: Pair,
        key: ReleasedKey,
        cells: Cells,
    ) -> tuple[_Disclosed, Bools, Floats]:
        """What the classes reveal about one attribute, which records fail, and the largest share in their classes."""
        from ammg.criteria.distributions import class_distributions
        from ammg.criteria.diversity import cross_classes

        if self.joint and len(columns) > 1:
            others = [column for other, column in columns.items() if other != name]
            sizes = [max(1, len(categories)) for _, categories in others]
            cells = cross_classes(cells.index, len(cells), [codes for codes, _ in others], sizes)
        codes, categories = columns[name]
        table = class_distributions(cells.index, len(cells), codes, max(1, len(categories)))
        scores = self.score(table, pair.masked.schema[name].replace(categories=categories))
        fails = self.fails(scores)
        shares = table.max_by_class(table.shares, empty=0.0)
        failed = fails[cells.index]
        found = _Disclosed(
            worst=float(scores.min() if self.worst == "smallest" else scores.max()),
            failing_records=int(cells.counts[fails].sum()),
            failing_classes=int(np.count_nonzero(fails)),
            certain=int(cells.counts[shares == 1].sum()),
            examples=_examples(name, key, scores, cells, failed),
        )
        return found, failed, shares[cells.index]

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


class _Disclosed(NamedTuple):
    """What equivalence classes reveal about one attribute."""

    worst: float
    failing_records: int
    failing_classes: int
    certain: int
    examples: list[str]


def _examples(name: str, key: ReleasedKey, scores: Floats, cells: Cells, failed: Bools, count: int = 10) -> list[str]:
    """Some failing classes in words, with their figures."""
    numbered = dict.fromkeys(cells.index[np.flatnonzero(failed)[:5_000]].tolist())
    shown = list(numbered)[:count]
    return [f"{name} among {key.record(int(cells.first[one]))}: {scores[one]:.3g}" for one in shown]
