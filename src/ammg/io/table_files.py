"""Tables as files that people read: margins in the last row and the last column."""

from __future__ import annotations

import re
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.io.csv import as_text, warn_of_formulas
from ammg.optional import require
from ammg.tables.table import Table

SUPPRESSED = "–"
"""What a worksheet shows in the place of a figure that is left out; a text file shows nothing."""
_ROWS, _COLUMNS = 1_048_576, 16_384


def write_table(table: Table, target: str | Path) -> None:
    """Write a table to CSV (.csv, .tsv) or to an Excel worksheet (.xlsx), whole or not at all."""
    ending = Path(target).suffix.lower()
    if ending in (".csv", ".tsv"):
        wide = table.to_polars()
        warn_of_formulas(wide.columns, str(target))
        with atomic(target) as path:
            as_text(wide).write_csv(path, separator="\t" if ending == ".tsv" else ",", quote_style="non_numeric")
    elif ending == ".xlsx":
        _write_sheet(table, target)
    else:
        raise InputError(f"'{target}' is not a table file: choose a name that ends in .csv, .tsv or .xlsx.")


def _write_sheet(table: Table, target: str | Path) -> None:
    xlsxwriter = require("xlsxwriter", "Writing Excel files")
    layout = table.layout
    depth, heads = len(layout.rows), max(len(layout.columns), 1)
    shape = layout.shape
    height, width = prod(shape[:depth]), prod(shape[depth:])
    if height + heads > _ROWS or width + depth > _COLUMNS:
        raise InputError(
            f"Excel holds only {_ROWS:,} rows and {_COLUMNS:,} columns, too few for this table: write CSV."
        )
    with atomic(target) as path:
        texts = {"strings_to_numbers": False, "strings_to_formulas": False, "strings_to_urls": False}
        book = xlsxwriter.Workbook(str(path), texts)
        sheet = book.add_worksheet(re.sub(r"[\[\]:*?/\\']", "_", table.figure)[:31])
        formats = {bold: book.add_format({"bold": bold}) for bold in (False, True)}
        _write_heads(sheet, table, formats)
        _write_figures(sheet, table, formats)
        sheet.freeze_panes(heads, depth)
        book.close()


def _write_heads(sheet: Any, table: Table, formats: dict[bool, Any]) -> None:
    """Attribute names and labels: those of the rows down the left, those of the columns along the top."""
    layout = table.layout
    depth, heads = len(layout.rows), max(len(layout.columns), 1)
    for place, name in enumerate(layout.rows):
        sheet.write_string(heads - 1, place, name, formats[True])
    if not layout.columns:
        sheet.write_string(0, depth, table.figure, formats[True])
    sides = ((layout.rows, 0, heads, True), (layout.columns, depth, 0, False))
    for names, first, skipped, down in sides:
        shape = tuple(len(layout.labels[name]) + 1 for name in names)
        places = np.indices(shape).reshape(len(shape), -1) if names else np.zeros((0, 0), dtype=np.int64)
        for level, name in enumerate(names):
            lines = layout.lines(name)
            for number, line in enumerate(places[level].tolist()):
                row, column = (skipped + number, level) if down else (level, first + number)
                sheet.write_string(row, column, lines[line], formats[line == len(lines) - 1])


def _write_figures(sheet: Any, table: Table, formats: dict[bool, Any]) -> None:
    layout = table.layout
    depth, heads = len(layout.rows), max(len(layout.columns), 1)
    height = prod(layout.shape[:depth])
    grid, inner = table.values.reshape(height, -1), layout.is_inner().reshape(height, -1)
    for row, (figures, is_inner) in enumerate(zip(grid.tolist(), inner.tolist(), strict=True)):
        for column, (figure, plain) in enumerate(zip(figures, is_inner, strict=True)):
            style = formats[not plain]
            if np.isnan(figure):
                sheet.write_string(heads + row, depth + column, SUPPRESSED, style)
            else:
                sheet.write_number(heads + row, depth + column, figure, style)
