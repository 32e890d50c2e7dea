"""Every error a user can cause: one clear sentence with what is wrong, the value, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar


class AmmgError(Exception):
    """Root of all errors that AMMG raises on purpose; the command line turns them into exit code 2."""

    def __str__(self) -> str:
        # KeyError would show the representation of its message.
        return str(self.args[0]) if self.args else ""


class InputError(AmmgError, ValueError):
    """A value, a file or a parameter is not usable as given."""


class NotFinite(InputError):
    """A method made no finite number of a finite one."""


class ColumnError(AmmgError, KeyError):
    """A column that was named does not exist."""


class MissingPackageError(AmmgError, ImportError):
    """An optional package is needed and not installed."""


class NotDefined(AmmgError, ValueError):
    """A measure has no value for these data; the message is the reason shown in the table."""


class Cancelled(AmmgError):
    """A computation was stopped by the caller."""


class Refusal(AmmgError):
    """A request that the store turns down; `status` is what the web answers with."""

    status: ClassVar[int] = 400


class NotSignedIn(Refusal, PermissionError):
    """Nobody is known to be asking: no session, an expired one, a wrong password, a used link."""

    status = 401


class Denied(Refusal, PermissionError):
    """The person is known, and their role or the scope of their token does not allow it."""

    status = 403


class NotFound(Refusal, LookupError):
    """It does not exist, or the person may not know that it does."""

    status = 404


class Conflict(Refusal, ValueError):
    """It does not fit what is there: a name that is taken, a review that is over."""

    status = 409


class TooLarge(Refusal, ValueError):
    """More was sent than the limit allows."""

    status = 413


class TooMany(Refusal, PermissionError):
    """Too many attempts; `retry_after` is how many seconds to wait."""

    status = 429

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(Refusal, RuntimeError):
    """The database cannot be used at the moment."""

    status = 503


class NotStored(Refusal, RuntimeError):
    """The disk took no more."""

    status = 507


@dataclass(frozen=True)
class Problem:
    """What is wrong in a project file, and where."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class ProjectError(AmmgError, ValueError):
    """A project file has problems; all of them are reported together."""

    def __init__(self, where: str, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        super().__init__(f"{where} has {count}:\n" + "\n".join(f"  - {problem}" for problem in problems))


class ReleaseBlocked(AmmgError, ValueError):
    """A release would give away what masking was to hide; every reason is reported."""

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        listed = "\n".join(f"  - {reason}" for reason in reasons)
        super().__init__(
            f"The release is blocked:\n{listed}\n"
            "Fix these problems, or force the release with a reason; the reason is recorded."
        )


class DataWarning(UserWarning):
    """Something in the data that its owner should know, and that stops nothing."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return ' Did you mean …?' for a near miss, else the list of what there is (at most ten)."""
    names = list(known)
    lowered = {n.lower(): n for n in names}
    close = get_close_matches(str(name).lower(), lowered, n=1, cutoff=0.6)
    if close:
        return f" Did you mean '{lowered[close[0]]}'?"
    shown = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
    return f" There is: {shown}." if names else " There is none."
