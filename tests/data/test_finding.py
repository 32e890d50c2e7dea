"""Findings of the same class are merged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ammg.data.block import Block
from ammg.data.finding import NOTHING_FOUND, Finding, Findings
from ammg.data.schema import Schema


@dataclass(frozen=True)
class Kept(Finding):
    cells: int

    def merge(self, later: Kept) -> Kept:
        return Kept(self.cells + later.cells)

    def notes(self) -> tuple[str, ...]:
        return (f"{self.cells} cells were kept",)


@dataclass(frozen=True)
class Places(Finding):
    seen: tuple[str, ...]

    def merge(self, later: Places) -> Places:
        return Places((*self.seen, *later.seen))

    def notes(self) -> tuple[str, ...]:
        return ("; ".join(self.seen),)


def test_findings_of_one_class_are_merged_in_the_order_of_the_records() -> None:
    early, late = Findings.of([Kept(2), Places(("a",))]), Findings.of([Places(("b",)), Kept(3)])
    assert (early + late).found == (Kept(5), Places(("a", "b")))
    assert (early + late).notes == ("5 cells were kept", "a; b")


def test_nothing_found_adds_nothing() -> None:
    some = Findings.of([Kept(2)])
    assert (NOTHING_FOUND + some).found == (some + NOTHING_FOUND).found == some.found
    assert not NOTHING_FOUND
    assert NOTHING_FOUND.notes == NOTHING_FOUND.published == ()


def test_a_block_carries_what_was_found_out_about_it() -> None:
    block = Block(np.arange(2), {"x": np.zeros(2)}, Schema(())).with_findings(Kept(1)).with_findings(Kept(1))
    assert block.findings.found == (Kept(2),)
    assert block.with_columns({"x": np.ones(2)}).findings.found == (Kept(2),)
