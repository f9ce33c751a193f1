"""Somebody else's page, name, path or flood is refused; our own tab is answered."""

import http.client
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from helpers_lab import running_lab
from mercer.lab.address import Limits
from mercer.lab.views.margins import Picture

SMALL = {"points": [[0, 0, 1], [1, 1, -1], [0, 1, 1], [1, 0, -1]]}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    (folder / "a.csv").write_text("x,y\n1,2\n")
    (folder.parent / "secret.csv").write_text("x\n1\n")
    with running_lab(folder=folder, limits=Limits(body=200_000, upload=300_000)) as running:
        yield running


def test_our_own_page_is_answered(lab):
    assert lab.send("GET", "/").status == 200
    assert lab.ask("margins", "fit", SMALL).status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost.evil.example"]
)
def test_foreign_origins_are_refused(lab, origin):
    assert lab.ask("margins", "fit", SMALL, headers={"Origin": origin}).status == 403


def test_a_question_without_origin_is_refused(lab):
    assert lab.ask("margins", "fit", SMALL, without=["Origin"]).status == 403


def test_other_sites_are_refused_even_for_reading(lab):
    for site in ("cross-site", "same-site"):
        told = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
        assert lab.send("GET", "/static/lab.js", headers=told, without=["Origin"]).status == 403
    opened = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert lab.send("GET", "/", headers=opened, without=["Origin"]).status == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::1", "evil:80"])
def test_rebinding_is_refused_by_name(lab, host):
    """A site whose name was made to point here has the right origin and the wrong name."""
    told = {"Host": host, "Origin": f"http://{host}"}
    assert lab.ask("margins", "fit", SMALL, headers=told).status in (400, 403)


@pytest.mark.parametrize("name", ["localhost:8888", "127.0.0.1:99", "[::1]:7", "LOCALHOST:8888"])
def test_forwarded_ports_are_this_computer(lab, name):
    assert lab.send("GET", "/", headers={"Host": name, "Origin": f"http://{name}"}).status == 200


def test_nothing_without_the_token(lab):
    for cookie in ("", f"{lab.address.cookie}=wrong", "mercer_lab_1=" + lab.address.token):
        assert lab.send("GET", "/", headers={"Cookie": cookie}).status == 401
        assert lab.send("GET", "/static/lab.js", headers={"Cookie": cookie}).status == 401
        assert lab.ask("margins", "fit", SMALL, headers={"Cookie": cookie}).status == 401


def test_the_token_becomes_a_strict_cookie(lab):
    answer = lab.send("GET", f"/?token={lab.address.token}", without=["Cookie"])
    assert answer.status == 200
    kept = answer.headers["set-cookie"].lower()
    assert "httponly" in kept
    assert "samesite=strict" in kept
    # it opens the page, not the questions
    asked = lab.send("POST", f"/api/margins/fit?token={lab.address.token}", SMALL,
                     without=["Cookie"])  # fmt: skip
    assert asked.status == 401


def test_answers_allow_nothing_from_elsewhere(lab):
    for path in ("/", "/static/lab.js", "/api/views"):
        heads = {k.lower(): v for k, v in lab.send("GET", path).headers.items()}
        policy = heads["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert heads["x-content-type-options"] == "nosniff"
        assert heads["referrer-policy"] == "no-referrer"
        assert not [name for name in heads if name.startswith("access-control")]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py",
        "/static//etc/passwd", "/static/%2fetc%2fpasswd", "/../../etc/passwd",
    ],
)  # fmt: skip
def test_traversal_finds_nothing(lab, path):
    answer = lab.send("GET", path)
    assert answer.status in (400, 404, 405)
    assert b"import" not in answer.body
    assert b"root:" not in answer.body


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(lab, method):
    assert lab.send(method, "/api/margins/fit").status == 405


def test_nothing_changes_by_get(lab):
    assert lab.send("GET", "/api/margins/fit").status in (404, 405)


def test_a_huge_body_is_refused_by_what_it_says(lab):
    answer = lab.send("POST", "/api/margins/fit", None, headers={"Content-Length": str(10**9)})
    assert answer.status == 413


@pytest.mark.parametrize("path", ["/api/margins/fit", "/upload"])
def test_a_huge_body_is_refused_while_it_streams(lab, path):
    """Chunks without a length: a gigabyte is offered, little of it is taken."""
    connection = http.client.HTTPConnection("127.0.0.1", lab.address.port, timeout=60)
    connection.putrequest("POST", path, skip_host=True)
    for name, value in {
        "Host": lab.netloc, "Origin": f"http://{lab.netloc}", "Transfer-Encoding": "chunked",
        "Cookie": f"{lab.address.cookie}={lab.address.token}", "Content-Type": "application/json",
    }.items():  # fmt: skip
        connection.putheader(name, value)
    connection.endheaders()
    piece, sent = b"0" * 65536, 0
    try:
        for _ in range(16384):
            connection.send(b"%x\r\n%s\r\n" % (len(piece), piece))
            sent += len(piece)
            if sent > 2_000_000:
                time.sleep(0.01)  # let the refusal arrive
            if sent > 60_000_000:
                break
    except OSError:
        pass  # the lab has hung up
    try:
        assert connection.getresponse().status == 413
    except (http.client.HTTPException, OSError):
        assert sent < 60_000_000
    connection.close()
    assert not list(lab.lab.room.shelf().iterdir())


def test_headers_that_decide_come_once(lab):
    with socket.create_connection(("127.0.0.1", lab.address.port), 30) as wire:
        cookie = f"{lab.address.cookie}={lab.address.token}"
        wire.sendall(
            f"GET / HTTP/1.1\r\nHost: {lab.netloc}\r\nOrigin: http://{lab.netloc}\r\n"
            f"Origin: http://evil.example\r\nCookie: {cookie}\r\n\r\n".encode()
        )
        assert b" 400 " in wire.recv(4096).split(b"\r\n")[0]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[", b"[]", b'{"points": 1}', b'{"points": [[NaN, 0, 1], [0, 0, -1]]}',
        b'{"points": [[1e999, 0, 1], [0, 0, -1]]}', b'{"points": [["a", 0, 1]]}',
        b'{"points": [[0, 0, 1]], "C": -1}', b'{"points": [[true, 0, 1], [0, 1, -1]]}',
        b'{"__class__": 1}', b"[" * 100_000, b"\xff\xfe",
    ],
)  # fmt: skip
def test_malformed_questions_get_words(lab, body):
    answer = lab.send("POST", "/api/margins/fit", body)
    assert answer.status == 422, answer.body
    assert answer.json()["error"]


def test_a_form_of_another_site_cannot_ask(lab):
    """The one kind of body that a foreign form can send without being asked first."""
    answer = lab.send("POST", "/api/margins/fit", b"{}", headers={"Content-Type": "text/plain"})
    assert answer.status == 415


def test_two_hundred_questions_at_once(lab):
    def one(k):
        return lab.ask("margins", "fit", SMALL | {"C": 1.0 + k}, timeout=120).status

    with ThreadPoolExecutor(200) as pool:
        found = list(pool.map(one, range(200)))
    assert set(found) <= {200, 503}  # answered, or told to come back
    assert found.count(200) >= 60
    assert lab.ask("margins", "fit", SMALL).status == 200
    assert lab.lab.desk.waiting == 0


def test_closed_tabs_cost_nothing():
    """Questions that wait are dropped when nobody is there for the answer."""
    with running_lab(limits=Limits(workers=1)) as lab:
        begin = threading.Event()
        slow = threading.Thread(
            target=lab.lab.desk._pool.submit(begin.wait, 60).result, daemon=True
        )
        slow.start()
        ran = []
        view = lab.lab.views["margins"]
        fit = view.fit
        view.fit = lambda asked: ran.append(1) or fit(asked)
        view.fit.__annotations__ = {"asked": Picture}
        body = b'{"points": [[0, 0, 1], [1, 1, -1]]}'
        tabs = [socket.create_connection(("127.0.0.1", lab.address.port), 30) for _ in range(12)]
        for tab in tabs:
            tab.sendall(
                b"POST /api/margins/fit HTTP/1.1\r\nContent-Type: application/json\r\n"
                + f"Host: {lab.netloc}\r\nOrigin: http://{lab.netloc}\r\nCookie: "
                f"{lab.address.cookie}={lab.address.token}\r\nContent-Length: {len(body)}\r\n\r\n"
                .encode() + body
            )  # fmt: skip
        end = time.monotonic() + 30
        while lab.lab.desk.waiting < 11 and time.monotonic() < end:
            time.sleep(0.02)
        for tab in tabs:
            tab.close()
        time.sleep(0.3)
        begin.set()
        assert lab.ask("margins", "fit", SMALL).status == 200
        assert lab.lab.desk.dropped == 11
        assert len(ran) == 2  # the one that had begun, and ours
