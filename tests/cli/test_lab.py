"""``mercer lab`` as a user starts it: an address with a token, an answer, an end by Ctrl-C."""

import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from helpers_cli import mercer

pytest.importorskip("uvicorn", reason="the lab is an extra: pip install 'mercer[lab]'")


def test_it_opens_answers_and_closes(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    command = [sys.executable, "-m", "mercer", "lab", "a.csv", "--no-browser"]
    lab = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        line = lab.stderr.readline()
        address = line.split()[-1]
        assert address.startswith("http://127.0.0.1:"), line
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"Mercer" in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address.partition("?")[0], timeout=60)
    finally:
        lab.send_signal(signal.SIGINT)
        told = lab.communicate(timeout=60)[1]
    assert lab.returncode in (0, 130)
    assert "Traceback" not in told


def test_a_file_that_is_not_there():
    ran = mercer("lab", "nothing.csv", "--no-browser")
    assert ran.code == 3
    assert "nothing.csv" in ran.err


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    ran = mercer("lab", "--no-browser")
    assert ran.code == 2
    assert "mercer[lab]" in ran.err


def test_a_port_that_is_taken():
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = mercer("lab", "--no-browser", "--port", taken.getsockname()[1])
    assert ran.code == 2
    assert "port" in ran.err
