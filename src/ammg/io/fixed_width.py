"""Fixed-width text with a layout file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.io.codebook import Codebook, codebook_path, with_codebook
from ammg.io.csv import as_text, found_encoding
from ammg.io.format import Format, existing, refuse_duplicates
from ammg.io.inference import inferred
from ammg.io.types import flattened
from ammg.kernels.threads import in_threads
from ammg.params import param
from ammg.progress import part


@dataclass(frozen=True)
class Place:
    """Where a column stands: its first character, counted from 1, its width, and decimals that are not written."""

    name: str
    start: int
    width: int
    decimals: int = 0


class FixedWidth(Format):
    """Text files whose columns stand at fixed places, named by a layout.

    The layout is a CSV file with the columns name, start (from 1) and width or end, and decimals where a decimal
    point is left out; or a codebook with `start` and `width`, such as is written beside the file. Blank fields are
    missing, so empty text is too, and text loses blanks at its ends.
    """

    suffixes = (".fwf", ".dat", ".asc")

    layout: str | None = param(
        None, "Layout file; by default <name>.layout.csv or <name>.codebook.yaml beside the file."
    )
    encoding: str | None = param(None, "Encoding of the file; UTF-8, UTF-16 and Windows-1252 are detected by default.")
    missing: tuple[str, ...] = param((), "Texts that stand for a missing value, besides blanks.")

    def read(self, source: str) -> Microdata:
        """Cut every line at the places of the layout."""
        path = existing(source)
        layout = Path(self.layout).expanduser() if self.layout else _beside(path)
        codebook = Codebook.load(layout) if layout.suffix in {".yaml", ".yml"} else Codebook.beside(path)
        places = _from_codebook(codebook, layout) if layout.suffix in {".yaml", ".yml"} else _from_csv(layout)
        lines = _lines(path, source, self.encoding)
        _refuse_short(lines, places, source, layout)
        described = codebook.dtypes()

        def read(place: Place) -> pl.Series:
            return self._column(lines, place, place.name in described)

        with part(0, 1, "reading"):
            columns = in_threads(read, places, len(lines) * len(places), brief=False)
        return codebook.apply(pl.DataFrame(columns))

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write UTF-8, numbers to the right and text to the left, and the codebook with the places beside it."""
        texts = _texts(table)
        places = _places(texts)
        codebook = Codebook.of(table, schema, encoding="utf-8")
        variables = {p.name: {**codebook.variables[p.name], "start": p.start, "width": p.width} for p in places}
        numeric = [dtype.is_numeric() for dtype in table.dtypes]
        fields = [
            pl.col(place.name).fill_null("").str.pad_start(place.width)
            if right
            else pl.col(place.name).fill_null("").str.pad_end(place.width)
            for place, right in zip(places, numeric, strict=True)
        ]
        with with_codebook(target, replace(codebook, variables=variables)) as path:
            lines = texts.select(pl.concat_str(fields).alias("line"))
            lines.write_csv(path, include_header=False, quote_style="never")

    def _column(self, lines: pl.Series, place: Place, described: bool) -> pl.Series:
        texts = lines.str.slice(place.start - 1, place.width).str.strip_chars(" ").alias(place.name)
        texts = texts.set(texts.is_in(["", *self.missing]), None)
        values = texts if described else inferred(texts, None)
        if place.decimals and values.dtype.is_integer():
            values = values / 10**place.decimals
        return values


def _beside(path: Path) -> Path:
    for candidate in (path.with_name(f"{path.stem}.layout.csv"), codebook_path(path)):
        if candidate.is_file():
            return candidate
    raise InputError(
        f"File '{path}' needs a layout: write '{path.stem}.layout.csv' beside it (name,start,width), or give layout=."
    )


def _from_csv(layout: Path) -> list[Place]:
    try:
        table = pl.read_csv(existing(str(layout)))
    except pl.exceptions.PolarsError as error:
        raise InputError(f"Layout '{layout}' cannot be read as CSV: {str(error).splitlines()[0]}") from None
    names = set(table.columns)
    if not {"name", "start"} <= names or not names & {"width", "end"}:
        raise InputError(f"Layout '{layout}' needs the columns name, start and width (or end).")
    rows = table.with_columns(pl.col("name").cast(pl.String)).to_dicts()
    return _checked(
        [
            Place(
                row["name"],
                row["start"],
                row["width"] if row.get("width") is not None else row["end"] - row["start"] + 1,
                row.get("decimals") or 0,
            )
            for row in rows
        ],
        layout,
    )


def _from_codebook(codebook: Codebook, layout: Path) -> list[Place]:
    try:
        places = [Place(name, v["start"], v["width"], v.get("decimals", 0)) for name, v in codebook.variables.items()]
    except KeyError as error:
        raise InputError(f"Codebook '{layout}' has a variable without {error}: a layout needs it.") from None
    return _checked(places, layout)


def _checked(places: list[Place], layout: Path) -> list[Place]:
    refuse_duplicates(str(layout), [place.name for place in places])
    for place in places:
        numbers: tuple[Any, ...] = (place.start, place.width, place.decimals)
        if not all(isinstance(number, int) for number in numbers) or place.start < 1 or place.width < 1:
            raise InputError(f"Column '{place.name}' of layout '{layout}' needs a start and a width of at least 1.")
    return places


def _lines(path: Path, source: str, given: str | None) -> pl.Series:
    encoding = found_encoding(path, given)
    try:
        text = path.read_text(encoding=encoding)
    except UnicodeError:
        raise InputError(f"File '{source}' is not {encoding}: give its encoding, such as encoding='latin-1'.") from None
    return pl.Series([text.removesuffix("\n")]).str.split("\n").explode()


def _refuse_short(lines: pl.Series, places: list[Place], source: str, layout: Path) -> None:
    needed = max(place.start + place.width - 1 for place in places)
    short = (lines.str.len_chars() < needed).arg_true()
    if len(short):
        line = int(short[0])
        raise InputError(
            f"Line {line + 1} of '{source}' has {len(lines[line])} characters, but layout '{layout.name}' "
            f"needs {needed}: correct the layout or pad the line."
        )


def _texts(table: pl.DataFrame) -> pl.DataFrame:
    texts = as_text(flattened(table)).select(pl.all().cast(pl.String))
    for column in texts:
        if column.str.contains(r"[\r\n]").any():
            raise InputError(
                f"Column '{column.name}' has a line break, which fixed-width text cannot store: write CSV."
            )
    return texts


def _places(texts: pl.DataFrame) -> list[Place]:
    """As wide as the widest value, with a blank between columns."""
    places = []
    start = 1
    for column in texts:
        longest: Any = column.str.len_chars().max()
        width = max(longest or 0, 1)
        places.append(Place(column.name, start, width + 1))
        start += width + 1
    return places
