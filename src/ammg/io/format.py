"""What a file format is."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from ammg import registry
from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.io.atomic import expanded
from ammg.params import Parameters


class Format(Parameters):
    """Reads and writes one kind of file or database; its fields are the options of both."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    read_only: ClassVar[tuple[str, ...]] = ()
    """Suffixes that are read and never written."""
    holds_codebook: ClassVar[bool] = False
    """Whether files hold their codebook, so that none is written beside them."""
    streams: ClassVar[bool] = False
    """Whether `write_frames` takes frames one by one, so that they need not be in memory together."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register every concrete format under its name."""
        super().__pydantic_init_subclass__(**kwargs)
        registry.register("formats", cls)

    @classmethod
    def claims(cls, target: str) -> bool:
        """Whether a file name (or URL) is of this format."""
        return target.lower().endswith(cls.suffixes)

    @classmethod
    def refuse_read_only(cls, target: str) -> None:
        """Some kinds of file can only be read."""
        if cls.read_only and target.lower().endswith(cls.read_only):
            other = next(suffix for suffix in cls.suffixes if suffix not in cls.read_only)
            raise InputError(f"'{target}': files of this kind can only be read; write {other} instead.")

    @classmethod
    def place(cls, target: str) -> Path:
        """The path from which the names of files beside a target are made."""
        return expanded(target)

    @abstractmethod
    def read(self, source: str) -> Microdata:
        """Read a whole file."""

    @abstractmethod
    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write a table; a failure leaves the target unchanged."""

    def describe(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write the codebook of a file that an engine has written: of `table` only the types count."""
        from ammg.io.codebook import Codebook, write_codebook

        write_codebook(target, Codebook.of(table, schema))

    def write_frames(self, frames: Iterator[pl.DataFrame], schema: Schema, target: str) -> None:
        """Write frames one after the other; there is at least one, and all have the same columns."""
        self.write(pl.concat(frames), schema, target)


def refuse_duplicates(source: str, names: Iterable[str]) -> None:
    """Two columns of one name cannot be told apart."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"'{source}' has two columns called '{name}': rename one.")
        seen.add(name)


def first_line(error: BaseException) -> str:
    """What another library says, without its explanations."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def existing(source: str) -> Path:
    """The path of a file that can be read, or an error that says why not."""
    path = expanded(source)
    try:
        there = path.exists()
    except OSError as error:  # a name that is too long, a folder that cannot be entered
        raise InputError(f"File '{source[:200]}' cannot be read: {str(error.strerror).lower()}.") from None
    if not there:
        raise InputError(f"File '{path.absolute()}' does not exist: check the name.")
    if path.is_dir():
        raise InputError(f"'{source}' is a folder: name a file.")
    if path.stat().st_size == 0:
        raise InputError(f"File '{source}' is empty: it needs a header and records.")
    if not os.access(path, os.R_OK):
        raise InputError(f"File '{source}' cannot be read: permission denied.")
    return path
