"""A summary adds up over chunks; a source can be summarised."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from ammg.data.block import Block
from ammg.data.schema import Schema

State = TypeVar("State")
Value = TypeVar("Value")


class Summary(ABC, Generic[State, Value]):
    """Partial results over chunks of 65,536 consecutive ids, merged from the left in the order of the chunks.

    A summary and its states are picklable, and `add` uses neither BLAS nor threads, so every engine gets the same bits.
    """

    columns: tuple[str, ...]
    """The columns that `add` needs."""

    @abstractmethod
    def add(self, block: Block) -> State:
        """The partial result of one chunk."""

    @abstractmethod
    def merge(self, left: State, right: State) -> State:
        """Merge two partial results."""

    @abstractmethod
    def finish(self, state: State | None) -> Value:
        """The final value; the state is None if there were no records."""


class Source(ABC):
    """Records bound to an engine; methods plan from folds over them."""

    schema: Schema
    """All attributes; those of the current step have their categories filled in."""

    next_id: int
    """The first id that no record has had, for records that a method adds."""

    @abstractmethod
    def count(self) -> int:
        """The number of records."""

    @abstractmethod
    def fold(self, summary: Summary[State, Value]) -> Value:
        """Compute a summary over all records."""


class FileSource(Source):
    """A source for methods that declare that they see the file."""

    @abstractmethod
    def block(self, columns: tuple[str, ...]) -> Block:
        """All records at once."""


class FoldedSource(Source):
    """A source without its records, for the plans of methods that see a record or a stratum."""

    def __init__(self, source: Source) -> None:
        self.schema, self.next_id = source.schema, source.next_id
        self._source = source

    def count(self) -> int:
        """The number of records."""
        return self._source.count()

    def fold(self, summary: Summary[State, Value]) -> Value:
        """Compute a summary over all records."""
        return self._source.fold(summary)


def whole(source: Source) -> FileSource:
    """The source with its records, for methods that see the file."""
    if not isinstance(source, FileSource):
        raise TypeError("a plan can read all records only if the method declares `sees = Sees.FILE`")
    return source
