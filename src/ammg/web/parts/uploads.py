"""Uploading: the browser sends the file to the API, which encrypts it to disk chunk by chunk."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import events, ui

_SEND = """event => {
  const file = event.target.files[0];
  if (!file) return;
  if (file.size > LARGEST) {
    emit({kind: "failed", name: file.name, reason: "size"});
    event.target.value = "";
    return;
  }
  const request = window.ammgUpload = new XMLHttpRequest();
  const end = () => {
    const worked = request.status >= 200 && request.status < 300;
    emit({kind: worked ? "sent" : "failed", name: file.name, status: request.status, answer: request.responseText});
    event.target.value = "";
  };
  let last = 0;
  request.upload.onprogress = part => {
    if (Date.now() - last < 200) return;
    last = Date.now();
    emit({kind: "part", name: file.name, done: part.loaded, total: part.total});
  };
  request.onload = request.onerror = request.onabort = end;
  request.open("POST", "ADDRESS?name=" + encodeURIComponent(file.name));
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.send(file);
  emit({kind: "part", name: file.name, done: 0, total: file.size});
}"""


def uploader(
    address: str,
    label: str,
    on_sent: Callable[[dict[str, Any]], Awaitable[None]],
    on_failed: Callable[[dict[str, Any]], None],
    largest: int,
) -> None:
    """A place for a file, by keyboard, click or drop, with how far it is; callbacks get name, status and answer."""

    async def heard(event: events.GenericEventArguments) -> None:
        said = event.args
        progress.visible = said["kind"] == "part"
        if said["kind"] == "part":
            bar.value = round(said["done"] / max(said["total"], 1), 3)
            words.text = f"Sending {said['name']}: {bar.value:.0%}"
        elif said["kind"] == "sent":
            await on_sent(said)
        else:
            on_failed(said)

    with ui.element("label").classes("ammg-drop"):
        ui.label(label)
        field = ui.element("input").props('type="file"')
        script = _SEND.replace("ADDRESS", address).replace("LARGEST", str(largest))
        field.on("change", heard, js_handler=f"({script})")
    with ui.row().classes("w-full items-center no-wrap").props('role="status"') as progress:
        words = ui.label().classes("ammg-quiet")
        bar = ui.linear_progress(show_value=False).props('instant-feedback aria-label="Upload"').classes("grow")
        ui.button("Cancel").props("flat dense no-caps").on("click", js_handler="() => window.ammgUpload?.abort()")
    progress.visible = False
