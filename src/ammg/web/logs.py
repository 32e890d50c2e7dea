"""Logs for machines: one JSON object per line, without values of data, without secrets, without what people typed."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from ammg.errors import AmmgError

_log = logging.getLogger("ammg.web")
_PACKAGES = str(Path(__file__).parents[1].parent)


class JsonLines(logging.Formatter):
    """Records as JSON. Of an error only its class and places are written: its message may quote a value."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        facts = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": "unforeseen" if isinstance(record.msg, BaseException) else record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            facts.update(_places(record.exc_info[1]))
        return json.dumps(facts, ensure_ascii=True, default=str)


def configure(level: str = "info") -> None:
    """Send all logs of the server to standard error, as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("ammg", "uvicorn", "nicegui"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level.upper())
    # What pages refuse is shown on them; what NiceGUI warns of may quote an address that somebody typed.
    logging.getLogger("nicegui").setLevel("ERROR")
    logging.getLogger("nicegui").addFilter(lambda record: not isinstance(record.msg, AmmgError))
    # Addresses of sockets hold the number of a page: no log needs it.
    logging.getLogger("uvicorn.error").addFilter(lambda record: "WebSocket" not in str(record.msg))
    for name in ("uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logging.getLogger(name).handlers = []


def told(event: str, **facts: object) -> None:
    """Write an event with its facts."""
    _log.info(event, extra={"facts": facts})


def told_error(error: BaseException, **facts: object) -> None:
    """Write that something was not foreseen, and where."""
    _log.error("unforeseen", extra={"facts": {**facts, **_places(error)}})


def _places(error: BaseException) -> dict[str, object]:
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{frame.filename.removeprefix(_PACKAGES)}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": type(error).__name__, "places": where[-12:]}
