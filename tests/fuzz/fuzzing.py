"""Cases from a number: the same seed always makes the same hostile input."""

from __future__ import annotations

import random
import traceback
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from ammg.errors import AmmgError, DataWarning

Case = Callable[[random.Random], object]


def survivors(case: Case, seeds: Iterable[int]) -> list[str]:
    """What went wrong otherwise than by one clear sentence: the seed and the last lines of the traceback."""
    found = []
    for seed in seeds:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", DataWarning)
                warnings.filterwarnings("ignore", "Query string argument")  # SQLite has no passwords
                case(random.Random(f"{case.__name__} {seed}"))
        except AmmgError as error:
            if not str(error).strip():
                found.append(f"seed {seed}: an error without a sentence")
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            where = traceback.extract_tb(error.__traceback__)[-1]
            ours = [step for step in traceback.extract_tb(error.__traceback__) if "/ammg/" in step.filename][-1:]
            place = "".join(f" in {step.filename.rpartition('/')[2]}:{step.lineno}" for step in [*ours, where])
            found.append(f"seed {seed}: {type(error).__name__}: {str(error)[:200]}{place}")
    return found


def damaged(content: bytes, rng: random.Random) -> bytes:
    """A file with a few wounds: bits turned, bytes cut, repeated, zeroed or put in."""
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        if not data:
            break
        at = rng.randrange(len(data))
        size = rng.choice([1, 2, 4, 16, 200])
        wound = rng.randrange(6)
        if wound == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif wound == 1:
            data[at : at + size] = rng.randbytes(len(data[at : at + size]))
        elif wound == 2:
            del data[at : at + size]
        elif wound == 3:
            data[at:at] = rng.choice([rng.randbytes(size), b"\xff" * size, b"\0" * size, b'"', b",", b"\r", b"\n\n"])
        elif wound == 4:
            data[at : at + size] = bytes(len(data[at : at + size]))
        else:
            data = data[:at] if rng.random() < 0.5 else data + data[at:]
    return bytes(data)


NASTY: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**63,
    -(2**70),
    10**399,
    1.5,
    1e308,
    -1e-320,
    float("inf"),
    float("nan"),
    "",
    " ",
    "~",
    "/",
    "\0",
    "\x1b[31m",
    "é\u202e",
    "${HOME}",
    "%s",
    "a" * 5_000,
    "'; DROP TABLE x; --",
    "1 = 1",
    "Age > ",
    "Age > 'x'",
    "Age + State > 3",
    "[]",
    [],
    {},
    [[]],
    [None],
    {"": ""},
    {1: 2},
    {"a": {"b": {"c": []}}},
    [1, "a", None, {}],
    b"\xff\0",
)
