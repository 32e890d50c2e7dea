"""Recoding of rare categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ammg.data.attribute import Attribute, Kind
from ammg.data.block import Block
from ammg.data.published import Recoding
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Method, Plan
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.counts import Counts
from ammg.summaries.summary import Source


class RareCategoryRecoding(Method):
    """Keep the most frequent categories and merge the others into one.

    Rare categories, which make people stand out, disappear; common ones stay unchanged. Frequencies are sums of the
    sampling weights if there are any, and a household attribute counts once per household. Ties go to the category that
    comes first in the dictionary. An intruder merges the known categories the same way; common categories that are rare
    in combination can still identify people. Source: Hundepool et al. (2012), section 3.3.1 (global recoding).
    """

    accepts: ClassVar[Kind] = Kind.CATEGORICAL
    recodes: ClassVar[bool] = True
    perturbs: ClassVar[bool] = False

    keep: int = param(
        5,
        "Number of categories to keep, those of the most people (weighted); the merged category is added.",
        ge=1,
        search=(12, 1),
    )
    merged: str = param("other", "Name of the merged category.")

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Count classes, and treat them as classes."""
        return Usage(
            "Counts of the categories that were kept are exact.",
            "Tables and models of classes; shares of classes are those of the original file.",
            f"Do not interpret '{self.merged}' as one group: it combines all rare categories.",
            f"print(file[{quoted(columns[0])}].value_counts())" if columns else "",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Count the categories, weighted where there is a weight."""
        attributes, tables, published = [], {}, []
        for name in self.chosen(source.schema):
            before = source.schema[name]
            attribute, table = self._recode(source, before)
            attributes.append(attribute)
            tables[name] = table
            codes = tuple(table[:-1].tolist())
            published.append(Recoding((name,), attribute.categories or (), before.categories or (), codes))
        return Plan(Schema(tuple(attributes)), tables, tuple(published))

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns and the weight."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Look each code up; missing stays missing."""
        return block.with_columns({name: table[block[name]] for name, table in plan.state.items()})

    def _recode(
        self, source: Source, attribute: Attribute
    ) -> tuple[Attribute, np.ndarray[tuple[int, ...], np.dtype[np.int32]]]:
        categories = attribute.categories or ()
        if len(categories) <= self.keep + 1:
            return attribute, np.array([*range(len(categories)), -1], dtype=np.int32)
        if self.merged in categories:
            raise InputError(
                f"'{attribute.name}' already has a category '{self.merged}': choose another name for the "
                "merged category."
            )
        counts = source.fold(Counts(attribute.name, len(categories), source.schema.weight)).counts
        kept = np.sort(np.argsort(-counts, kind="stable")[: self.keep])
        table = np.full(len(categories) + 1, self.keep, dtype=np.int32)
        table[kept] = np.arange(self.keep)
        table[-1] = -1
        names = (*(str(categories[code]) for code in kept), self.merged)
        after = attribute.replace(kind=Kind.NOMINAL, categories=names, scores=None, hierarchy=None)
        return after, table
