"""The content security policy of pages."""

from __future__ import annotations

_RULES = (
    "default-src 'none'",
    # Own files, and the scripts of the page itself by their nonce. NiceGUI needs 'unsafe-eval': it evaluates the
    # handlers that the server attaches to elements, and Vue compiles the slots of tables in the browser.
    "script-src 'self' 'nonce-{nonce}' 'unsafe-eval'",
    # Quasar, Vue and charts set style attributes, and NiceGUI's template begins with a style element.
    "style-src 'self' 'unsafe-inline'",
    # Icons of Quasar and pictures of charts are data addresses; downloads that a script makes are blobs.
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
)


def policy(nonce: str) -> str:
    """The policy of one answer."""
    return "; ".join(_RULES).format(nonce=nonce)
