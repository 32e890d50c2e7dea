"""The tables of a project by both routes of AMMG's figure 1.1, beside the true ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ammg.data.microdata import Microdata
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.io.table_files import write_table
from ammg.pipeline.evaluation import evaluate
from ammg.pipeline.masked import Masked
from ammg.progress import Report, part, reporting
from ammg.projects.project import Project
from ammg.projects.table_request import Route, TableRequest
from ammg.tables.comparison import TableComparison, compare
from ammg.tables.intruder import Bounds, bound_cells
from ammg.tables.table import Table
from ammg.tables.tabulate import tabulate


@dataclass(frozen=True, eq=False)
class TableOutcome:
    """One table as it would be shown by each route, with its losses; the true one stays with the owner."""

    request: TableRequest
    true: Table
    shown: Mapping[Route, Table]
    """`tables`: tabulated and then protected (g' on T); `microdata`: masked and then tabulated (f' on MM)."""
    losses: Mapping[Route, TableComparison]
    bounds: Bounds | None
    """What an intruder works out about sensitive cells of the protected table; None where there is none."""
    written: str | None = None

    @property
    def route(self) -> Route:
        """The route of the table that is written."""
        return self.request.route or ("tables" if "tables" in self.shown else "microdata")

    @property
    def is_safe(self) -> bool:
        """Whether no sensitive cell of the table to write can be bounded."""
        return self.route == "microdata" or self.bounds is None or not self.bounds.bounded

    def to_dict(self) -> dict[str, Any]:
        """As plain values, without the true table."""
        told = None
        if self.bounds is not None:
            told = {"sensitive": self.bounds.sensitive, "bounded": self.bounds.bounded, "exact": self.bounds.exact}
        return {
            "table": repr(self.true),
            "route": self.route,
            "written": self.written,
            "intruder": told,
            "routes": {
                route: {"loss": dict(self.losses[route].facts), "cells": table.to_polars().to_dicts()}
                for route, table in self.shown.items()
            },
        }


def tabulate_project(
    project: Project,
    data: Microdata | None = None,
    *,
    requests: Sequence[TableRequest] = (),
    secret: Secret | None = None,
    progress: Report | None = None,
) -> tuple[TableOutcome, ...]:
    """Make the tables that are asked for, or those of the project, and write those that are safe.

    Without `secret` the one of the project's secret file is used, else a new one; the keys of cells come from it too.
    """
    wanted = tuple(requests) or project.tables
    if not wanted:
        raise InputError("The project has no tables: add e.g. tables: [{rows: region, columns: sex}].")
    original = project.read() if data is None else data
    given = secret or project.secret()
    if given is None and (keyed := [r.protection.name for r in wanted if r.protection and r.protection.keyed]):
        raise InputError(
            f"{keyed[0]} protects only if all tables of a file are made with the same secret: name it in "
            "secret_file, or pass it."
        )
    key = given or Secret.of(None)
    masked = project.pipeline().run(original, key, progress=progress) if project.methods else None
    outcomes = []
    with reporting(progress):
        for number, request in enumerate(wanted):
            with part(number, len(wanted), "tables"):
                outcomes.append(_outcome(request, original, masked, key))
    if masked is not None and any(outcome.request.target and outcome.route == "microdata" for outcome in outcomes):
        _refuse_unsafe(project, masked)
    return tuple(_written(project, outcome) for outcome in outcomes)


def _outcome(request: TableRequest, original: Microdata, masked: Masked | None, secret: Secret) -> TableOutcome:
    true = _made(request, original, secret)
    shown: dict[Route, Table] = {}
    bounds = None
    if (protection := request.protection) is not None:
        shown["tables"] = protection.protect(true, secret)
        bounds = bound_cells(true, shown["tables"], request.rules, request.p)
    if masked is not None:
        names = (*request.rows, *request.columns, *([request.value] if request.value else []))
        if gone := [name for name in names if name not in masked.schema]:
            raise InputError(f"'{gone[0]}' is not in the masked file, so it cannot be tabulated.")
        shown["microdata"] = _made(request, masked.pair.masked, None)
    if not shown or (request.route is not None and request.route not in shown):
        raise InputError("The project has neither methods to mask the records nor `protect` to make the table safe.")
    losses = {route: compare(true, table) for route, table in shown.items()}
    return TableOutcome(request, true, shown, losses, bounds)


def _made(request: TableRequest, data: Microdata, secret: Secret | None) -> Table:
    return tabulate(data, request.rows, request.columns, request.value, request.weight, secret=secret)


def _refuse_unsafe(project: Project, masked: Masked) -> None:
    """A table may be released if its masked file passes the release checks and meets all limits."""
    masked.release()
    if project.limits:
        found = evaluate(masked, [], project.scenario, limits=project.limits, before=False)
        if found.broken:
            raise InputError(
                "Tables of a masked file that does not meet all limits are not written: "
                f"{' '.join(found.broken.values())}"
            )


def _written(project: Project, outcome: TableOutcome) -> TableOutcome:
    """The outcome with its file, if it names one and is safe."""
    if outcome.request.target is None or not outcome.is_safe:
        return outcome
    place = project.path(outcome.request.target)
    if Path(place).exists() and Path(place).resolve() in {
        Path(p).resolve() for p in project.sources() if "://" not in p
    }:
        raise InputError(f"'{place}' is a source of the project: write the table to another file.")
    write_table(outcome.shown[outcome.route], place)
    return TableOutcome(
        outcome.request, outcome.true, outcome.shown, outcome.losses, outcome.bounds, written=str(place)
    )
