"""Bases of the losses of categories and of tables."""

from __future__ import annotations

from abc import abstractmethod
from itertools import combinations

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.loss.tables.comparison import Names, TableComparison
from ammg.measures.loss.tables.folded_tables import FoldedTables
from ammg.measures.loss.tables.tables_in_memory import TablesInMemory
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement
from ammg.params import param
from ammg.summaries.folded_pair import FoldedPair


class CategoryLoss(Loss):
    """Base of the losses of attributes with categories; numbers are compared in bands when they are named."""

    columns: tuple[str, ...] | None = param(
        None, "Attributes to compare; by default all with categories. Numbers are cut into bands."
    )
    bands: int = param(10, "Bands of equal counts that a number is cut into.", ge=2, le=100)

    @abstractmethod
    def of(self, tables: TableComparison) -> Measurement:
        """The loss that a comparison of tables shows."""

    def spanned(self, names: Names) -> tuple[Names, ...]:
        """The attributes of each table that is needed."""
        return ()

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare all records at once."""
        return self.of(self.in_memory(pair))

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement | None:
        """Compare chunk by chunk where all attributes have categories in both files."""
        names = self._names(pair)
        schemas = (pair.original.schema, pair.released_schema)
        if not all(schema[name].is_categorical for schema in schemas for name in names if name in schema):
            return None
        spanned = self.spanned(names)
        key = (FoldedTables, names, spanned, self.is_weighted)
        return self.of(pair.once(key, lambda: FoldedTables(names, pair, spanned, self.is_weighted)))

    def in_memory(self, pair: Pair) -> TablesInMemory:
        """The comparison of files in memory."""
        return TablesInMemory(self._names(pair), pair, self.bands, self.is_weighted)

    @property
    def is_weighted(self) -> bool:
        """Whether weights are summed instead of counting records."""
        return bool(getattr(self, "weighted", False))

    def _names(self, pair: Pair) -> Names:
        return coded_names(pair, self.columns)


def coded_names(pair: Pair, columns: Names | None) -> Names:
    """The named attributes that have categories or can be cut into bands; by default all with categories."""
    schema = pair.original.schema
    names = tuple(columns or (name for name in pair.analysed() if schema[name].is_categorical))
    names = tuple(name for name in names if schema[name].is_categorical or schema[name].is_numeric)
    if not names:
        raise NotDefined("no categorical attribute to compare; numbers are compared only if they are named")
    if not pair.n or not pair.t:
        raise NotDefined("no record to compare")
    return names


class TableLoss(CategoryLoss):
    """Base of the losses of tables that several attributes span."""

    order: int = param(2, "Number of attributes per table.", ge=1, le=3)
    weighted: bool = param(False, "Whether sampling weights are summed instead of counting records.")

    def spanned(self, names: Names) -> tuple[Names, ...]:
        """All combinations of as many attributes as there are dimensions."""
        found = tuple(combinations(names, self.order))
        if not found:
            raise NotDefined(f"a table of {self.order} attributes needs at least as many, but there are {len(names)}")
        return found

    @abstractmethod
    def of_table(self, tables: TableComparison, names: Names) -> float | None:
        """The loss of one table; None where it is not defined."""

    def of(self, tables: TableComparison) -> Measurement:
        """Average over tables."""
        spanned = self.spanned(tables.names)
        small = tables.small(spanned)
        found = {names: value for names in small if (value := self.of_table(tables, names)) is not None}
        if not found:
            raise NotDefined("no table to compare: each is too large, or has only empty cells")
        by_column = {
            name: sum(own) / len(own)
            for name in tables.names
            if (own := [value for names, value in found.items() if name in names])
        }
        return Measurement(
            sum(found.values()) / len(found),
            by_column=by_column,
            facts={"tables": len(found), "skipped": len(spanned) - len(found)},
        )


class TransitionLoss(CategoryLoss):
    """Base of the losses of single attributes that depend on what became of each category."""

    @abstractmethod
    def of_attribute(self, tables: TableComparison, name: str) -> float | None:
        """The loss of one attribute; None where it has nothing to lose."""

    def of(self, tables: TableComparison) -> Measurement:
        """Average over attributes."""
        small = tables.countable()
        found = {name: value for name in small if (value := self.of_attribute(tables, name)) is not None}
        if not found:
            raise NotDefined("no attribute to compare has more than one category")
        facts = {"skipped": len(tables.names) - len(small)} if len(small) < len(tables.names) else {}
        return Measurement(sum(found.values()) / len(found), by_column=found, facts=facts)
