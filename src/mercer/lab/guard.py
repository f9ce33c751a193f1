"""Who may ask: this computer's own tab, with the token, under a name of this computer.

Every request passes here first. A page of another site cannot post (Origin, Sec-Fetch-Site), a site
that points its name to this computer is refused by that name (Host), nobody can frame the page, and
a body is counted while it arrives, because a Content-Length can lie.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mercer.lab.address import Address

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
UPLOAD = "/upload"


class Refused(Exception):
    """A request that is not answered, with its status and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Guard:
    """Wraps the application; refuses before anything of it runs."""

    def __init__(self, app: Any, address: Address) -> None:
        self.app = app
        self.address = address
        self.lab: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request and pass it on with headers added and its body counted."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        dressed = self._dressed(scope, send)
        try:
            headers = _headers(scope)
            self.check(scope, headers)
            limit = self.address.limits.upload if scope["path"] == UPLOAD else 0
            counted = _counted(receive, headers, limit or self.address.limits.body)
            await self.app(scope, counted, dressed)
        except Refused as no:
            await _refuse(dressed, no)

    def check(self, scope: Scope, headers: dict[str, str]) -> None:
        """Raise `Refused` unless this request comes from our own page.

        Raises
        ------
        Refused
            Saying what is wrong.
        """
        if scope["method"] not in ("GET", "HEAD", "POST"):
            raise Refused(405, "only GET and POST are answered")
        if _name(headers.get("host", "")) not in self.address.hosts:
            raise Refused(403, "this name is not one of this computer (see --allow-host)")
        self._check_site(scope, headers)
        if not self._knows_token(scope, headers):
            raise Refused(401, "open the address that `mercer lab` printed: it holds the token")

    def _check_site(self, scope: Scope, headers: dict[str, str]) -> None:
        """Whose page sent it. Following a link to the page itself changes nothing and is free."""
        opened = headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
        site = headers.get("sec-fetch-site")
        if site not in (None, "same-origin", "none") and not opened:
            raise Refused(403, "the request comes from a page of another site")
        origin = headers.get("origin")
        if origin is None and scope["method"] == "POST":
            raise Refused(403, "a question must say which page it comes from (Origin)")
        if origin is not None and not _same(origin, headers.get("host", "")):
            raise Refused(403, "the request comes from a page of another site")

    def _knows_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        told = [_cookie(headers.get("cookie", ""), self.address.cookie)]
        if scope["method"] == "GET" and scope["path"] == "/":
            told += parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        secret = self.address.token.encode()
        return any(hmac.compare_digest(one.encode(), secret) for one in told)

    def _dressed(self, scope: Scope, send: Send) -> Send:
        """Send with our headers; what the application has set itself stays."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                had = {name.decode().lower() for name, _ in message["headers"]}
                more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k not in had]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        return sending


def _headers(scope: Scope) -> dict[str, str]:
    """Names in lower case; a header that decides and comes twice is refused."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").lower()
        if name in found and name in ("host", "origin", "content-length", "sec-fetch-site"):
            raise Refused(400, f"two headers {name}")
        found[name] = value.decode("latin-1")
    return found


def _name(host: str) -> str:
    """The name in ``name:port`` or ``[::1]:port``, in lower case."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _same(origin: str, host: str) -> bool:
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _cookie(text: str, name: str) -> str:
    try:
        found = SimpleCookie(text).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _counted(receive: Receive, headers: dict[str, str], limit: int) -> Receive:
    """Receive, and stop when more arrives than is allowed."""
    told = headers.get("content-length", "0")
    if not told.isdigit() or int(told) > limit:
        raise Refused(413, f"more than {limit:,} bytes")
    seen = 0

    async def receiving() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise Refused(413, f"more than {limit:,} bytes")
        return message

    return receiving


async def _refuse(send: Send, no: Refused) -> None:
    body = f"Mercer's lab does not answer this: {no.reason}.\n".encode()
    kind = (b"content-type", b"text/plain; charset=utf-8")
    heads = [kind, (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": no.status, "headers": heads})
    await send({"type": "http.response.body", "body": body})
