"""Results computed from the original alone, kept because a search measures hundreds of releases of one file."""

from __future__ import annotations

import math
import pickle
from collections import OrderedDict
from collections.abc import Callable, Hashable
from hashlib import blake2b
from io import BytesIO
from threading import Lock
from typing import TypeVar
from weakref import WeakKeyDictionary

import polars as pl

from ammg.data.columns.store import Kept
from ammg.data.microdata import Microdata

Made = TypeVar("Made")

_SMALL = 100_000  # records; for larger files, no result of their own size is kept
_FILES = 4

_by_object: WeakKeyDictionary[Microdata, Kept] = WeakKeyDictionary()
_by_content: OrderedDict[bytes, Kept] = OrderedDict()
_lock = Lock()


def once_of(original: Microdata, what: Hashable, make: Callable[[], Made], *, bulky: bool = False) -> Made:
    """Compute something from the original once per process; `bulky` results are kept for small files only.

    Small files are recognised by their content, because processes that judge candidates get a copy with each of them.
    """
    is_small = original.streamed is None and len(original) <= _SMALL
    if bulky and not is_small:
        return make()
    return _kept(original, is_small).once(what, make)


def _kept(original: Microdata, is_small: bool) -> Kept:
    with _lock:
        if original in _by_object:
            return _by_object[original]
    print_ = _fingerprint(original) if is_small else None
    with _lock:
        if print_ is None:
            return _by_object.setdefault(original, Kept(math.inf))
        kept = _by_content.setdefault(print_, Kept(math.inf))
        _by_content.move_to_end(print_)
        while len(_by_content) > _FILES:
            _by_content.popitem(last=False)
        return _by_object.setdefault(original, kept)


def _fingerprint(original: Microdata) -> bytes | None:
    """A digest of values and attributes; None where a column cannot be hashed."""
    try:
        table = original.table.with_columns(pl.col(pl.Categorical).cast(pl.String))
        digest = blake2b(_pickled((original.schema, table.schema)))
        digest.update(table.hash_rows(seed=1).to_numpy().tobytes())
        return digest.digest()
    except (pl.exceptions.PolarsError, pickle.PicklingError, AttributeError):
        return None


def _pickled(value: object) -> bytes:
    """The same bytes for equal values, whether or not parts of them are the same object."""
    buffer = BytesIO()
    pickler = pickle.Pickler(buffer)
    pickler.fast = True
    pickler.dump(value)
    return buffer.getvalue()
