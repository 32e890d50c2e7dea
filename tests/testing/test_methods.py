"""The contract suite finds what it is there to find: each check fails for a method that is wrong in its way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import pytest

from ammg import registry
from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.finding import Finding
from ammg.data.published import Published
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.methods.method import Links, Method, Plan
from ammg.params import param
from ammg.summaries.summary import Source, whole
from ammg.testing import methods as checks


@contextmanager
def unregistered() -> Iterator[None]:
    """Methods made here are no units of anybody's registry."""
    before = set(registry.units("methods"))
    yield
    for name in set(registry.units("methods")) - before:
        registry.forget("methods", name)


class Everything(Finding):
    def merge(self, later: Everything) -> Everything:
        return self

    def published(self) -> tuple[Published, ...]:
        return (Published(("income",)),)


with unregistered():

    class ValueFlipping(Method):
        """Change the sign of some numbers."""

        accepts: ClassVar[Kind] = Kind.NUMERIC

        share: float = param(0.1, "Share of the values that change sign.", gt=0, le=1, search=(0.01, 0.5))

        def plan(self, source: Source, draws: Draws) -> Plan:
            return Plan(source.schema.select(self.chosen(source.schema)))

        def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
            masked = {name: self.changed(block, name, draws) for name in plan.schema.names}
            return block.with_columns(masked)

        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            values = block.numbers(name)
            return np.where(draws.uniform(block.ids, name) < self.share, -values, values)

    class Writes(ValueFlipping):
        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            values = block.numbers(name)
            values.setflags(write=True) if values.base is None else None
            values[:1] = 0.0
            return values

    class Rolls(ValueFlipping):
        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            return block.numbers(name) + np.random.default_rng().normal(size=len(block))

    class Forgets(ValueFlipping):
        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            return -np.abs(super().changed(block, name, draws))

    class Reorders(ValueFlipping):
        def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
            return super().mask(block, plan, draws).take(np.arange(len(block))[::-1])

    class NeedsThree(ValueFlipping):
        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            return block.numbers(name) - block.numbers(name)[2]

    class FillsIn(ValueFlipping):
        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            return np.nan_to_num(block.numbers(name))

    class Crashes(ValueFlipping):
        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            values = super().changed(block, name, draws)
            if np.isnan(values).all() and len(values):
                raise IndexError("no value")
            return values

    class Divides(ValueFlipping):
        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            values = block.numbers(name)
            spread = np.nanmax(values) - np.nanmin(values) if len(values) else 1.0
            return np.where(spread == 0, np.nan, values)

    class LosesWeight(ValueFlipping):
        def needs(self, schema: Schema) -> tuple[str, ...]:
            return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

        def plan(self, source: Source, draws: Draws) -> Plan:
            return Plan(source.schema.select(self.needs(source.schema)))

        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            return 0.0 * block.numbers(name)

    class FailsAtTheEnd(ValueFlipping):
        def plan(self, source: Source, draws: Draws) -> Plan:
            if self.share == 1:
                raise ZeroDivisionError
            return super().plan(source, draws)

    class LooksAside(ValueFlipping):
        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            return block.numbers(name) + len(block.columns)

    class LeavesBehind(ValueFlipping):
        links: ClassVar[Links] = Links.SUPPRESSED

    class LooksAround(ValueFlipping):
        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            return block.numbers(name) + len(block)

    class CannotTravel(ValueFlipping):
        def plan(self, source: Source, draws: Draws) -> Plan:
            return Plan(source.schema.select(self.chosen(source.schema)), state=lambda: None)

    class SaysInteger(ValueFlipping):
        def plan(self, source: Source, draws: Draws) -> Plan:
            schema = source.schema.select(self.chosen(source.schema))
            changed = [a.replace(kind=Kind.NOMINAL, categories=("x",)) for a in schema]
            return Plan(Schema(tuple(changed)))

        def changed(self, block: Block, name: str, draws: Draws) -> Any:
            return block.numbers(name)

    class LooksAhead(ValueFlipping):
        def plan(self, source: Source, draws: Draws) -> Plan:
            whole(source).block(self.chosen(source.schema))
            return super().plan(source, draws)

    class SaysAfterwards(ValueFlipping):
        def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
            return super().mask(block, plan, draws).with_findings(Everything())


WRONG = {
    Writes: checks.check_input_stays_as_it_was,
    Rolls: checks.check_same_secret_same_result,
    Forgets: checks.check_another_secret_another_result,
    Reorders: checks.check_records_stay_in_order,
    NeedsThree: checks.check_small_files,
    FillsIn: checks.check_missing_values,
    Crashes: checks.check_nothing_but_missing_values,
    LosesWeight: checks.check_weights,
    Divides: checks.check_constant_columns,
    FailsAtTheEnd: checks.check_both_ends_of_every_range,
    LooksAside: checks.check_columns_do_not_depend_on_each_other,
    LeavesBehind: checks.check_linked_attributes_follow,
    LooksAround: checks.check_blocks_of_any_size,
    CannotTravel: checks.check_it_can_be_shipped,
    LooksAhead: checks.check_plan_sees_no_more_than_the_method_says,
    SaysAfterwards: checks.check_findings_are_declared_and_add_up,
    SaysInteger: checks.check_schema_says_what_the_table_holds,
}


def test_a_method_from_the_guide_keeps_the_contract() -> None:
    checks.check_method(ValueFlipping())


@pytest.mark.parametrize("wrong", WRONG, ids=lambda unit: unit.__name__)
def test_a_method_that_is_wrong_is_found(wrong: type[Method]) -> None:
    with pytest.raises(Exception) as found:
        WRONG[wrong](wrong())
    assert not isinstance(found.value, pytest.fail.Exception)


def test_every_check_but_the_pipelines_own_has_a_method_that_fails_it() -> None:
    of_the_pipeline = {checks.check_condition_limits_the_step, checks.check_post_editing_keeps_the_rules}
    assert set(checks.METHOD_CHECKS) - set(WRONG.values()) == of_the_pipeline
