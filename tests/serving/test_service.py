"""The service: who is answered, what is refused, and that it answers as the command line does."""

import http.client
import json
import threading

import numpy as np
import pytest

from helpers_cli import mercer as command
from mercer.serving.replies import _plain
from mercer.serving.service import Service

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    x, ward = RNG.normal(size=80).round(3), RNG.choice(["north", "south"], 80)
    lines = [f"{i % 28 + 1:02d}/03/2021,{a},{w},{'yes' if a > 0 else 'no'}"
             for i, (a, w) in enumerate(zip(x, ward, strict=True))]  # fmt: skip
    (folder / "t.csv").write_text("\n".join(["seen,x,ward,y", *lines]) + "\n")
    assert command("fit", folder / "t.csv", "-t", "y", "-k", "gaussian", "-o", folder / "out",
                   "--report", "none", "-q").code == 0  # fmt: skip
    service = Service(
        str(folder / "out" / "model.mercer"), token="a token for tests", batch=50, body=20_000
    )
    with service.server() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server, folder
        server.shutdown()
        thread.join()


def ask(served, method="POST", path="/predict", body=None, kind="application/json", **headers):
    server, _ = served
    given = {"Authorization": "Bearer a token for tests", "Content-Type": kind} | {
        key.replace("_", "-"): value for key, value in headers.items()
    }
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    if isinstance(body, dict | list):
        body = json.dumps(body)
    connection.request(method, path, body, {k: v for k, v in given.items() if v is not None})
    answer = connection.getresponse()
    found = answer.status, json.loads(answer.read())
    connection.close()
    return found


ROW = {"seen": "02/03/2021", "x": 0.5, "ward": "north"}


def test_the_model_says_what_it_takes_and_promises(served):
    status, found = ask(served, "GET", "/")
    assert status == 200
    assert [c["name"] for c in found["columns"]] == ["seen", "x", "ward"]
    assert found["columns"][0]["written"] == "%d/%m/%Y"
    assert found["guarantee"]["statement"].startswith("With 95 % confidence")


def test_json_csv_and_the_command_line_answer_alike(served):
    _, folder = served
    rows = [ROW | {"x": float(v), "ward": w} for v in (-1, -0.2, 0.3, 2) for w in ("north", "east")]
    text = "\n".join(["ward,x,seen", *(f"{r['ward']},{r['x']},{r['seen']}" for r in rows)]) + "\n"
    (folder / "new.csv").write_text(text)
    out = folder / "told.csv"
    assert (
        command("predict", folder / "out" / "model.mercer", folder / "new.csv", "-o", out).code == 0
    )
    expected = [line.split(",")[1] for line in out.read_text().splitlines()[1:]]
    for status, found in (
        ask(served, body={"rows": rows}),
        ask(served, body=rows),
        ask(served, body=text, kind="text/csv; charset=utf-8"),
    ):
        assert status == 200
        assert [one["predicted"] for one in found["answers"]] == expected
        assert sum(found["answers"][0]["probability"].values()) == pytest.approx(1.0)
        assert found["guarantee"]["value"] > 0
        assert any("'east'" in words for words in found["unfamiliar"])
    assert ask(served, body=ROW)[1]["answers"][0]["row"] == 1


@pytest.mark.parametrize(
    ("status", "words", "request_"),
    [
        (401, "Authorization", {"body": ROW, "Authorization": None}),
        (401, "Authorization", {"body": ROW, "Authorization": "Bearer wrong"}),
        (403, "not one of this computer", {"body": ROW, "Host": "evil.example"}),
        (403, "pages of a browser", {"body": ROW, "Origin": "http://localhost"}),
        (404, "there are / and /predict", {"path": "/etc/passwd", "body": ROW}),
        (404, "there are / and /predict", {"method": "GET", "path": "/model.mercer"}),
        (415, "application/json or text/csv", {"body": "x", "kind": "text/plain"}),
        (400, "not JSON", {"body": "{"}),
        (400, "no number of JSON", {"body": '[{"x": NaN}]'}),
        (400, "at least one row", {"body": []}),
        (422, "needs the column 'ward'", {"body": {"x": 1, "seen": "02/03/2021"}}),
        (422, "held numbers", {"body": ROW | {"x": "much"}}),
        (422, "no single value", {"body": ROW | {"x": [1]}}),
        (422, "no object", {"body": [ROW, 7]}),
        (422, "more than 308 digits", {"body": [ROW | {"x": 10**400}]}),
        (413, "at most 50", {"body": [ROW] * 51}),
        (413, "20,000 bytes", {"body": json.dumps([ROW]) + " " * 20_000}),
    ],
)
def test_what_is_refused(served, status, words, request_):
    found, document = ask(served, **request_)
    assert found == status
    assert words in document["error"] + document.get("advice", "")


def test_a_certificate_that_is_changed_meanwhile_is_told(served):
    """What is promised is not worked out for every request, but again when somebody wrote there."""
    _, folder = served
    beside = folder / "out" / "certificate.json"
    before = beside.read_text()
    assert ask(served, body=ROW)[1]["guarantee"]["doubts"] == []
    try:
        document = json.loads(before)
        document["certificate"]["value"] = 0.0001
        beside.write_text(json.dumps(document))
        assert "DOES NOT HOLD" in ask(served, body=ROW)[1]["guarantee"]["doubts"][0]
        beside.unlink()
        assert ask(served, body=ROW)[1]["guarantee"]["doubts"] == []
    finally:
        beside.write_text(before)


@pytest.mark.parametrize(
    ("values", "plain"),
    [
        (np.array([0.5, 2.0]), [0.5, 2.0]),
        (np.array([np.nan, np.inf]), [None, "Infinity"]),
        (np.array([True, False]), [True, False]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array([np.float64(np.nan), "b", None], dtype=object), [None, "b", None]),
        ([None, "x"], [None, "x"]),
    ],
)
def test_every_column_of_a_reply_is_plain_json(values, plain):
    assert json.loads(json.dumps(_plain(values), allow_nan=False)) == plain


def test_too_many_at_once_are_told_to_come_back(served):
    server, _ = served
    taken = 0
    while server.places.acquire(blocking=False):
        taken += 1
    try:
        assert ask(served, body=ROW)[0] == 503
    finally:
        for _ in range(taken):
            server.places.release()
    assert ask(served, body=ROW)[0] == 200


def test_a_short_token_is_refused(served):
    _, folder = served
    ran = command("serve", folder / "out" / "model.mercer", "--token", "short")
    assert ran.code == 2
    assert "too short" in ran.err
