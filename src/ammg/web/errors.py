"""Every error as an answer: a status and one sentence, with no detail of what was not foreseen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from ammg.errors import AmmgError, ProjectError, Refusal, TooMany
from ammg.io.urls import hidden

UNFORESEEN = "Unexpected error: the log of the server says where it happened."
_WORDS = {
    400: "The request cannot be read.",
    404: "There is nothing at this address.",
    405: "This address does not accept this method.",
}


class Fault(BaseModel):
    """What is wrong at one place of a request or a project file."""

    place: str
    message: str


class Answer(BaseModel):
    """Why a request was turned down."""

    detail: str = Field(description="One sentence.")
    problems: list[Fault] = Field(default=[], description="All problems, where there are several places.")


_MEANINGS = {
    400: "The request cannot be read.",
    401: "Nobody is signed in, or the session or token is no longer valid.",
    403: "Your role, or the scope of the token, does not allow it.",
    404: "It does not exist, or you may not see it.",
    409: "It conflicts with the current state.",
    413: "The body is larger than the limit.",
    422: "A value is wrong.",
    429: "Too many attempts; Retry-After says how many seconds to wait.",
    503: "The database or the disk cannot be used at the moment.",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What a route may answer besides its value, for OpenAPI."""
    return {status: {"model": Answer, "description": _MEANINGS[status]} for status in statuses}


def answered(
    status: int, detail: str, problems: list[dict[str, str]] | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """One sentence with a status."""
    return JSONResponse({"detail": detail, "problems": problems or []}, status, headers)


def unforeseen() -> JSONResponse:
    """The answer to a fault of the server."""
    return answered(500, UNFORESEEN)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    said = hidden(str(error))
    if isinstance(error, ProjectError):
        problems = [{"place": one.place, "message": hidden(one.message)} for one in error.problems]
        return answered(422, said.partition("\n")[0].removesuffix(":") + ".", problems)
    if isinstance(error, TooMany):
        return answered(error.status, said, headers={"Retry-After": str(error.retry_after)})
    status = error.status if isinstance(error, Refusal) else 422
    return answered(status, said, headers={"WWW-Authenticate": "Bearer"} if status == 401 else None)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    problems = [_told(fault) for fault in error.errors()]
    first = problems[0]
    more = f" There are {len(problems)} problems." if len(problems) > 1 else ""
    where = f"{first['place']}: " if first["place"] else ""
    return answered(422, f"{where}{first['message']}{more}", problems)


def _told(fault: Mapping[str, Any]) -> dict[str, str]:
    """A problem without the value that was sent: it may be a password or a person's."""
    place = ".".join(str(part) for part in fault["loc"][1:] if isinstance(part, str) or fault["type"] != "json_invalid")
    said = str(fault["msg"]).removeprefix("Value error, ").rstrip(".")
    if fault["type"] == "json_invalid":
        said, place = "The body is not JSON", ""
    return {"place": _cut(place), "message": f"{said[:1].upper()}{_cut(said[1:])}."}


def _cut(text: str) -> str:
    return text.encode(errors="replace").decode()[:200]


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return answered(error.status_code, _WORDS.get(error.status_code, str(error.detail)), headers=error.headers)


def install(app: FastAPI) -> None:
    """Answer every error of an application this way; what is not foreseen is caught by the guard."""
    handlers: dict[type[Exception], Callable[..., Any]] = {
        AmmgError: _refused,
        RequestValidationError: _invalid,
        HTTPException: _http,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
