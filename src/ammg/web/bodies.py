"""What requests may hold, beyond their types."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, field_validator

LARGEST_NUMBER = 2**31 - 1


def storable(text: str) -> str:
    """Text that every database and every file can hold."""
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ValueError("The text has characters that cannot be stored: remove them.")
    return text


class Body(BaseModel):
    """The body of a request: unknown names are refused, and so is text that cannot be stored."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @field_validator("*", mode="after")
    @classmethod
    def _storable(cls, given: Any) -> Any:
        for text in (given,) if isinstance(given, str) else given if isinstance(given, list | tuple) else ():
            if isinstance(text, str):
                storable(text)
        return given


Text = AfterValidator(storable)
Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="As the list shows it.")]
Number = Annotated[int, Path(ge=1, le=LARGEST_NUMBER)]
After = Annotated[int, Query(ge=0, le=LARGEST_NUMBER, description="Only what came after this number.")]
