"""The pages before a session: signing in, and the one-time link by which an account is made.

They are plain HTML on the API, so that without a session no socket is opened and nothing of NiceGUI runs.
"""

from __future__ import annotations

from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ammg.errors import NotSignedIn
from ammg.store.login import authenticate
from ammg.web.access import COOKIE, Kept
from ammg.web.assets import address

WELCOME, LOGIN = "/welcome", "/login"
_POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; "
    "img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
}
_FRAME = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="{icon}"><link rel="stylesheet" href="{style}"></head>
<body class="door">
<main>
<p class="door-brand">AMMG</p>
<h1>{title}</h1>
{body}
<p id="answer" role="alert"></p>
</main>
<script src="{script}"></script>
</body>
</html>
"""
_WELCOME = """<p>This link works once. Choose a user name and a password of at least {length} characters. If the link is
for a new password, your user name stays as it is.</p>
<form id="form">
<label>User name <input id="name" autocomplete="username" autofocus></label>
<label>Full name <input id="full_name" autocomplete="name"></label>
<label>Password <input id="password" type="password" autocomplete="new-password" required></label>
<label>Password again <input id="again" type="password" autocomplete="new-password" required></label>
<button>Create the account</button>
</form>
<p id="next" hidden><a href="/login">Sign in</a></p>"""
_LOGIN = """<form id="form">
<label>User name <input id="name" autocomplete="username" required autofocus></label>
<label>Password <input id="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>
<p class="door-help">No account, or the password is lost? Ask an administrator for a link.</p>"""


def install(app: FastAPI) -> None:
    """Serve the pages. A token stands behind the # of its link: browsers send it to nobody."""

    async def welcome(store: Kept) -> HTMLResponse:
        length = store.settings.password_length
        return _page("Welcome to AMMG", _WELCOME.format(length=length), "welcome.js")

    def login(request: Request, store: Kept) -> Response:
        try:
            authenticate(store, request.cookies.get(COOKIE, ""))
        except NotSignedIn:
            return _page("Sign in", _LOGIN, "login.js")
        return RedirectResponse("/", 303)

    app.add_api_route(WELCOME, welcome, include_in_schema=False)
    app.add_api_route(LOGIN, login, include_in_schema=False)


def _page(title: str, body: str, script: str) -> HTMLResponse:
    places = {"icon": address("icon.svg"), "style": address("ammg.css"), "script": address(script)}
    return HTMLResponse(_FRAME.format(title=title, body=body, **places), headers=_POLICY)
