"""The lab behind a forwarded port (ssh -L) and behind a proxy that adds a prefix (Jupyter's).

The first passes bytes on to another port; the second takes /proxy/PORT off the path and leaves the
names of the browser in Host and Origin, as jupyter-server-proxy does.
"""

import contextlib
import http.client
import http.server
import socket
import threading

import pytest

from helpers_lab import browser, complaints, running_lab, wait_for

LINE = "return document.getElementById('decision-line')?.getAttribute('d') || ''"
HOPS = ("connection", "keep-alive", "transfer-encoding", "content-length")


@contextlib.contextmanager
def forwarded_port(port):
    """Another port of this computer whose bytes go to ``port``, as ``ssh -L`` does."""
    door = socket.create_server(("127.0.0.1", 0))

    def pass_on(one, other):
        with contextlib.suppress(OSError):
            while piece := one.recv(65536):
                other.sendall(piece)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def both_ways(near):
        with near, socket.create_connection(("127.0.0.1", port)) as far:
            back = threading.Thread(target=pass_on, args=(far, near), daemon=True)
            back.start()
            pass_on(near, far)
            back.join()

    def serve():
        with contextlib.suppress(OSError):
            while True:
                near = door.accept()[0]
                threading.Thread(target=both_ways, args=[near], daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"localhost:{door.getsockname()[1]}"
    finally:
        door.close()


@contextlib.contextmanager
def prefix_proxy(port):
    """A server that answers below /proxy/PORT/ with what the lab answers at /."""

    class Proxy(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = self.path.removeprefix(f"/proxy/{port}") or "/"
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            lab = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            told = {k: v for k, v in self.headers.items() if k.lower() not in HOPS}
            lab.request(self.command, path, body or None, told)
            answer = lab.getresponse()
            content = answer.read()
            lab.close()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOPS:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"localhost:{server.server_port}/proxy/{port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def doors():
    with (
        running_lab() as lab,
        forwarded_port(lab.address.port) as tunnel,
        prefix_proxy(lab.address.port) as proxy,
    ):
        yield lab, {"tunnel": tunnel, "proxy": proxy}


def status(lab, door, method="GET", path="/api/views", **headers):
    netloc, _, prefix = door.partition("/")
    told = {"Host": netloc, "Origin": f"http://{netloc}", "Content-Type": "application/json",
            "Cookie": f"{lab.address.cookie}={lab.address.token}", **headers}  # fmt: skip
    connection = http.client.HTTPConnection("127.0.0.1", int(netloc.split(":")[1]), timeout=60)
    body = b"{}" if method == "POST" else None
    connection.request(method, f"/{prefix}{path}" if prefix else path, body,
                       {k: v for k, v in told.items() if v is not None})  # fmt: skip
    found = connection.getresponse().status
    connection.close()
    return found


@pytest.mark.parametrize("name", ["tunnel", "proxy"])
def test_who_may_ask_is_decided_as_without_it(doors, name):
    lab, found = doors
    door = found[name]
    assert status(lab, door) == 200
    assert status(lab, door, "POST", "/api/data/files") == 200
    assert status(lab, door, "POST", "/api/data/files", Origin="http://evil.example") == 403
    assert status(lab, door, "POST", "/api/data/files", Origin=None) == 403
    assert status(lab, door, Host="evil.example", Origin="http://evil.example") == 403
    assert status(lab, door, Cookie=None) == 401


def test_the_page_works_through_both(doors):
    lab, found = doors
    with browser() as tab:
        for door in found.values():
            tab.get(f"http://{door}/?token={lab.address.token}")
            before = wait_for(lambda: tab.execute_script(LINE), what=f"a line at {door}")
            tab.execute_script(
                "const r = document.querySelector('input[type=range]');"
                "r.value = r.max; r.dispatchEvent(new Event('input'))"
            )
            wait_for(lambda old=before: tab.execute_script(LINE) != old, what="the line to move")
            assert tab.current_url.startswith(f"http://{door}/#margins")
            assert complaints(tab) == []
