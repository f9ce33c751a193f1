"""The service: this computer by default, a token, limits, one model that is never replaced.

``GET /`` says what the model takes and promises, ``POST /predict`` answers rows as JSON or CSV.
Nothing else is there: no files, no state, no code from requests.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mercer.app.doubts import CERTIFICATE
from mercer.errors import UserError
from mercer.io.model_file import ModelFile, open_model
from mercer.serving.asked import Asked, rows_of_csv, rows_of_json
from mercer.serving.replies import describe_model, promised, reply

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MB = 2**20


@dataclass(frozen=True)
class Service:
    """Where to listen and how much to answer; port 0 takes any that is free."""

    model: str
    host: str = "127.0.0.1"
    port: int = 0
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    hosts: tuple[str, ...] = LOOPBACK
    batch: int = 10_000  # rows in one request
    body: int = 16 * MB  # bytes in one request
    at_once: int = 8  # requests that are worked on; more are told to come back
    patience: float = 30.0  # seconds for a request to arrive

    def server(self) -> Server:
        """The listening server; ``serve_forever`` answers."""
        return Server(self, open_model(self.model))


class Server(ThreadingHTTPServer):
    """One model and one place per request that is worked on."""

    daemon_threads = True

    def __init__(self, service: Service, stored: ModelFile) -> None:
        self.service = service
        self.stored = stored
        self._told: tuple[Any, dict[str, Any]] = (None, {})
        self.address_family = socket.AF_INET6 if ":" in service.host else socket.AF_INET
        self.places = threading.BoundedSemaphore(service.at_once)
        try:
            super().__init__((service.host, service.port), Handler)
        except OSError as problem:
            raise UserError(
                f"cannot listen at {service.host}, port {service.port}: {problem.strerror}.",
                "Leave out --port to take any that is free.",
            ) from None

    @property
    def url(self) -> str:
        """What to ask."""
        return f"http://{self.service.host}:{self.server_address[1]}/"

    def told(self) -> dict[str, Any]:
        """What is promised. The model stays the same; the certificate beside it is looked at again
        whenever somebody has written there.
        """
        beside = Path(self.service.model).parent / CERTIFICATE
        try:
            found = beside.stat()
            written: Any = (found.st_mtime_ns, found.st_size, found.st_ino)
        except OSError:
            written = "nothing"
        if self._told[0] != written:
            self._told = (written, promised(self.stored, self.service.model))
        return self._told[1]


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    server_version = "mercer"
    sys_version = ""
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        """Slow senders are not waited for."""
        self.request.settimeout(self.server.service.patience)
        super().setup()

    def do_GET(self) -> None:
        """What the model takes and promises."""
        self._answered(self._described)

    def do_POST(self) -> None:
        """Rows in, answers out."""
        self._answered(self._predicted)

    def _answered(self, work: Any) -> None:
        try:
            self._allowed()
            if not self.server.places.acquire(blocking=False):
                raise Asked(503, "too many requests at once; come back later.")
            try:
                self._send(200, work())
            finally:
                self.server.places.release()
        except Asked as problem:
            self._send(problem.status, {"error": problem.message})
        except UserError as problem:
            self._send(422, {"error": problem.message, "advice": problem.advice})
        except TimeoutError:
            self.close_connection = True
        except Exception:  # whatever it is, no detail of this computer leaves it
            self._send(500, {"error": "this is a mistake in Mercer."})

    def _allowed(self) -> None:
        """A name of this computer, the token, and nothing that a page of another site sends."""
        self.close_connection = True
        service = self.server.service
        name = (urlsplit(f"//{self.headers.get('Host', '')}").hostname or "").rstrip(".")
        if name not in service.hosts:
            raise Asked(403, "this name is not one of this computer (see --allow-host).")
        if self.headers.get("Origin") is not None:
            raise Asked(403, "pages of a browser are not answered.")
        told = self.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        if not hmac.compare_digest(told.encode(), service.token.encode()):
            raise Asked(401, "send the header 'Authorization: Bearer TOKEN'.")

    def _described(self) -> dict[str, Any]:
        if urlsplit(self.path).path not in ("/", "/schema"):
            raise Asked(404, "there are / and /predict.")
        return describe_model(self.server.stored, self.server.service.model)

    def _predicted(self) -> dict[str, Any]:
        if urlsplit(self.path).path != "/predict":
            raise Asked(404, "there are / and /predict.")
        service, stored = self.server.service, self.server.stored
        kind = self.headers.get_content_type()
        readers = {"application/json": rows_of_json, "text/csv": rows_of_csv}
        if kind not in readers:
            raise Asked(415, "rows are application/json or text/csv.")
        rows = readers[kind](self._body(), stored, service.batch)
        return reply(stored, self.server.told(), rows)

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit():
            raise Asked(411, "say how long the body is (Content-Length).")
        if int(length) > self.server.service.body:
            raise Asked(413, f"more than {self.server.service.body:,} bytes.")
        found = self.rfile.read(int(length))
        if len(found) < int(length):
            raise Asked(400, "the body is shorter than announced.")
        return found

    def _send(self, status: int, document: dict[str, Any]) -> None:
        body = json.dumps(document, allow_nan=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Rows are nobody's business: nothing is logged."""
