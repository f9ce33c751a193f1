"""Clients that ask ``mercer serve`` and the lab without a pause: answers, errors, memory.

    python -m benchmarks.faults load [--seconds 3600] [--only serve lab] [--clients 4] [--rate N]

``--rate`` is how many predictions a second are asked for; without it nobody waits. Each runs as
its users start it, in a process of its own. What must hold: every answer is that of the first
request or says that it is none (come back later; stopped before the optimum), and memory at the
end is what it was once every client had been answered.
"""

import argparse
import contextlib
import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import mercer
from benchmarks.faults.records import keep

WARM = 0.2  # share of the samples of memory that come before it is compared
FLAT = 8.0  # megabytes that it may grow by: what the allocator keeps between requests
ROWS = 1000  # in one request to the service
TOKEN = "a token for the load test"
HELD = {"serve": "answers", "lab": "mesh"}  # where the predictions of a reply are


def started(arguments):
    """The command in a process of its own, and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "mercer", *map(str, arguments)], stderr=subprocess.PIPE, text=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    for line in process.stderr:
        if found := re.search(r"http://([^/ ]+):(\d+)(/\S*)", line):
            return process, found
    raise RuntimeError(f"{arguments[0]} ended with {process.wait()}")


@contextlib.contextmanager
def serve(folder):
    """The service of a small model, and the request that is sent."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(3)
    y = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
    lines = ["a,b,c,d", *(",".join(map(str, row)) for row in X.tolist())]
    table = "\n".join([lines[0] + ",y", *(f"{r},{v}" for r, v in zip(lines[1:], y, strict=True))])
    (folder / "data.csv").write_text(table + "\n")
    mercer.fit(folder / "data.csv", target="y", learner="kernel", kernel="gaussian",
               report="none", output=folder / "run")  # fmt: skip
    model = folder / "run" / "model.mercer"
    process, found = started(["serve", model, "--token", TOKEN])
    body = "\n".join([lines[0], *(lines[1 + k % 300] for k in range(ROWS))]) + "\n"
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "text/csv"}
    yield process, int(found[2]), "/predict", headers, body
    ended(process)


@contextlib.contextmanager
def lab(folder):
    """The page *Margins live*: a fit and its function on a mesh, as at every touch."""
    process, found = started(["lab", "--no-browser", "--folder", folder])
    host = f"{found[1]}:{found[2]}"
    connection = http.client.HTTPConnection("127.0.0.1", int(found[2]), timeout=60)
    connection.request("GET", found[3])
    answer = connection.getresponse()
    cookie = answer.getheader("Set-Cookie").split(";")[0]
    connection.close()
    points = np.random.default_rng(0).normal(size=(60, 2)).round(2)
    rows = [[a, b, 1 if a * b > 0 else -1] for a, b in points.tolist()]
    headers = {"Host": host, "Origin": f"http://{host}", "Cookie": cookie,
               "Content-Type": "application/json"}  # fmt: skip
    yield process, int(found[2]), "/api/margins/fit", headers, json.dumps({"points": rows})
    ended(process)


def ended(process):
    """As by Ctrl-C; whoever does not listen is ended."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stderr.close()


def asked(port, path, headers, body):
    """One request; its status and its answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def refused(status, found):
    """Whether a reply says that it is no answer: too busy, or stopped before its end."""
    return status in (503, 504) or "busy" in found.get("error", "") or (
        status == 200 and found.get("stopped") == "time_limit"
    )  # fmt: skip


def resident(process):
    """Megabytes that a process holds."""
    text = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def processor(process):
    """Seconds of the processor that a process has taken."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tried(case, seconds, clients, rate=None):
    """What became of the requests of so many seconds, and of the memory."""
    part, counts, refusals, problems = HELD[case], [0] * clients, [0] * clients, []
    with tempfile.TemporaryDirectory() as name, CASES[case](Path(name)) as told:
        process, *request = told
        status, first = asked(*request)
        assert status == 200, first
        end, samples, before, begun = time.time() + seconds, [], processor(process), time.time()
        pause = clients * len(first[part]) / rate if rate else 0.0  # from a request to the next

        def client(k):
            due = begun + k * pause / clients
            while time.time() < end:
                time.sleep(max(0.0, due - time.time()))
                due += pause
                try:
                    status, found = asked(*request)
                except (OSError, http.client.HTTPException, ValueError) as problem:
                    problems.append(repr(problem))
                    continue
                if refused(status, found):
                    refusals[k] += len(first[part])
                elif status != 200 or found[part] != first[part]:
                    problems.append(f"{status}: {str(found)[:200]}")
                else:
                    counts[k] += len(found[part])

        threads = [threading.Thread(target=client, args=(k,)) for k in range(clients)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            samples.append(resident(process))
            time.sleep(min(1.0, seconds / 50))
        spent, took = processor(process) - before, time.time() - begun
    fifth = max(1, len(samples) // 5)
    warm = statistics.median(samples[int(WARM * len(samples)) :][:fifth])
    grown = statistics.median(samples[-fifth:]) - warm
    n = sum(counts)
    return {"predictions": n, "seconds": round(took, 1), "a second": round(n / took),
            "a processor second": round(n / max(spent, 0.01)), "wrong": len(problems),
            "refused": sum(refusals), "problems": problems[:3],
            "MB": round(warm, 1), "MB grown": round(grown, 1),
            "clients": clients, "rate": rate, "in a request": len(first[part])}  # fmt: skip


CASES = {"serve": serve, "lab": lab}


def main(arguments):
    """Ask both, keep the record."""
    parser = argparse.ArgumentParser(prog="load")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--only", nargs="*", default=list(CASES))
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--rate", type=float)
    chosen = parser.parse_args(arguments)
    bad = False
    for case in chosen.only:
        found = tried(case, chosen.seconds, chosen.clients, chosen.rate)
        print(case, found, flush=True)
        keep("load", case, found)
        bad = bad or found["wrong"] > 0 or found["MB grown"] > FLAT
    return bad
