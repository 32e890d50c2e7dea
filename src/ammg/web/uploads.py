"""Data sets on their way in: encrypted to disk chunk by chunk, never whole in memory and never in a temporary file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from email.message import Message
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from ammg.errors import InputError
from ammg.store.actor import Actor
from ammg.store.data_sets import Upload, begin_upload
from ammg.store.store import Store
from ammg.store.values import DataSet

_FORM = "multipart/form-data"
_BINARY = {"type": "string", "format": "binary"}
UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {"schema": _BINARY},
            _FORM: {"schema": {"type": "object", "properties": {"file": _BINARY}, "required": ["file"]}},
        },
    }
}
"""How the body is described."""


async def received(store: Store, actor: Actor, project_id: str, request: Request, name: str | None) -> DataSet:
    """The data set that a body holds: the bytes themselves with a name, or a form with one file."""
    kind, boundary = _content_type(request.headers.get("content-type", ""))
    announced = request.headers.get("content-length", "")
    size = int(announced) if announced.isdigit() else None

    async def begin(name: str) -> Upload:
        return await run_in_threadpool(begin_upload, store, actor, project_id, name, size)

    if kind == _FORM:
        if not boundary:
            raise InputError("The form has no boundary: send it as multipart/form-data.")
        return await _of_form(_FilePart(boundary), request.stream(), begin, name)
    if name is None:
        raise InputError("The file has no name: add ?name=… to the address, or send a form.")
    return await _kept(await begin(name), request.stream())


async def _kept(upload: Upload, chunks: AsyncIterator[bytes]) -> DataSet:
    with upload:
        async for chunk in chunks:
            if chunk:
                await run_in_threadpool(upload.write, chunk)
        return await run_in_threadpool(upload.finish)


async def _of_form(
    part: _FilePart, chunks: AsyncIterator[bytes], begin: Callable[[str], Awaitable[Upload]], name: str | None
) -> DataSet:
    async for chunk in chunks:
        first = part.fed(chunk)
        if part.file_name is not None:
            upload = await begin(name or part.file_name)
            return await _kept(upload, part.rest(first, chunks))
    raise InputError("The form has no file: add a part with a file name.")


class _FilePart:
    """The one file of a form, as its bytes come in."""

    def __init__(self, boundary: bytes) -> None:
        from python_multipart.multipart import MultipartParser

        self.file_name: str | None = None
        self._inside = self._is_over = False
        self._header: list[bytes] = [b"", b""]
        self._found: list[bytes] = []
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": lambda data, start, end: self._grow(0, data[start:end]),
                "on_header_value": lambda data, start, end: self._grow(1, data[start:end]),
                "on_header_end": self._end_header,
                "on_part_data": lambda data, start, end: self._found.append(data[start:end]) if self._inside else None,
                "on_part_end": self._end,
                "on_end": self._end_form,
            },
        )

    def fed(self, chunk: bytes) -> bytes:
        """What of the file is in the next bytes of the form."""
        from python_multipart.exceptions import FormParserError

        try:
            self._parser.write(chunk)
        except FormParserError:
            raise InputError("The form cannot be read: send it as multipart/form-data.") from None
        found = b"".join(self._found)
        self._found.clear()
        return found

    async def rest(self, first: bytes, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The file, to the end of the form."""
        yield first
        async for chunk in chunks:
            yield self.fed(chunk)
        if not self._is_over:
            raise InputError("The form ends before its file does: send it again.")

    def _begin(self) -> None:
        self._header = [b"", b""]

    def _grow(self, which: int, more: bytes) -> None:
        self._header[which] += more
        if len(self._header[which]) > 4096:
            raise InputError("A header of the form is too long.")

    def _end_header(self) -> None:
        field, value = self._header
        self._header = [b"", b""]
        if field.lower() != b"content-disposition":
            return
        name = _file_name(value)
        if name is None:
            return
        if self.file_name is not None:
            raise InputError("The form has more than one file: send one per request.")
        self.file_name, self._inside = name, True

    def _end(self) -> None:
        self._inside = False

    def _end_form(self) -> None:
        self._is_over = True


def _content_type(header: str) -> tuple[str, bytes]:
    message = Message()
    message["content-type"] = header[:500]
    boundary = message.get_param("boundary", "")
    return message.get_content_type(), str(boundary).encode("latin-1", "replace")[:200]


def _file_name(value: bytes) -> str | None:
    message = Message()
    message["content-disposition"] = value.decode("utf-8", "replace").replace("\\", "\\\\")
    name = message.get_filename()
    return None if name is None else str(name)
