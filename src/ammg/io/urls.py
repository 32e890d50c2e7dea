"""Database URLs without their passwords: what may be shown, what may be written down, and what connects."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

from ammg.errors import InputError

HIDDEN = "***"

_USER = re.compile(r"(?P<before>\w[\w+.-]*://[^:/?@\s]*:)(?P<password>(?:(?!\?\w+=)\S)*)(?=@)")
_OPTION = re.compile(
    r"(?P<before>[?&](?:password|passwd|pwd|sslpassword|token)=)(?P<password>[^&\s'\"]*)", re.IGNORECASE
)
_VARIABLE = re.compile(r"\$\{(\w+)\}")


def hidden(text: str) -> str:
    """A text with the passwords of all URLs in it replaced; a variable that stands for a password may be shown."""
    return _replaced(text, HIDDEN)


def with_variable(url: str, variable: str) -> str:
    """A URL that takes its password from an environment variable, if it has one: what may be written to a file."""
    return _replaced(url, f"${{{variable}}}") if "://" in url else url


def filled_in(url: str) -> str:
    """A URL with the values of the environment variables it names, such as ${PGPASSWORD}."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise InputError(f"Environment variable '{match[1]}', which {hidden(url)} uses, is not set: set it.")
        return quote(os.environ[match[1]], safe="")

    return _VARIABLE.sub(value, url)


def _replaced(text: str, by: str) -> str:
    def shown(match: re.Match[str]) -> str:
        password = match["password"]
        return match[0] if not password or _VARIABLE.fullmatch(password) else match["before"] + by

    return _OPTION.sub(shown, _USER.sub(shown, text)) if "://" in text else text
