"""python -m benchmarks.lab [--browser]: milliseconds per change, bytes of the page, first paint.

A change of C or of a point is timed as the page sees it: the question posted to a running lab, the
answer read. Shown are the median and the best by the clock, and the time of the processor, which
does not depend on what else the machine does; the promise is about the clock of an idle machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import threading
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

from mercer.lab.address import Address
from mercer.lab.serve import listen, make_server

RESULTS = Path(__file__).resolve().parent / "results"
STATIC = Path(__import__("mercer").__file__).parent / "lab" / "static"
PROMISED = {500: 100.0, 2000: 300.0}
KERNELS = ("gaussian", "linear", "cubic")


def ask(address: Address, call: str, body: dict) -> tuple[dict, tuple[float, float]]:
    """The answer, and milliseconds by the clock and by the processor (client and server)."""
    origin = f"http://127.0.0.1:{address.port}"
    headers = {"Origin": origin, "Content-Type": "application/json",
               "Cookie": f"{address.cookie}={address.token}"}  # fmt: skip
    raw = json.dumps(body).encode()
    request = urllib.request.Request(f"{origin}/api/margins/{call}", raw, headers)
    begun = time.perf_counter(), time.process_time()
    with urllib.request.urlopen(request, timeout=60) as answer:
        found = json.load(answer)
    ended = time.perf_counter(), time.process_time()
    return found, (1e3 * (ended[0] - begun[0]), 1e3 * (ended[1] - begun[1]))


def latency(address: Address, n: int, kernel: str, repeats: int) -> dict:
    points = ask(address, "draw", {"n": n})[0]["points"]
    times: dict[str, list[tuple[float, float]]] = {"C": [], "point": []}
    for k in range(repeats + 1):
        body = {"points": points, "kernel": kernel}
        times["C"].append(ask(address, "fit", body | {"C": 1.0 + 0.1 * k})[1])
        points[k][0] += 0.2
        times["point"].append(ask(address, "fit", body)[1])
    found: dict = {"n": n, "kernel": kernel, "promised_ms": PROMISED[n]}
    for what, pairs in times.items():
        clock, processor = zip(*pairs[1:], strict=True)
        found |= {
            f"{what}_median_ms": round(statistics.median(clock), 1),
            f"{what}_best_ms": round(min(clock), 1),
            f"{what}_processor_ms": round(statistics.median(processor), 1),
        }
    return found


def first_paint(address: Address) -> float | None:
    """Milliseconds until something is drawn, in headless Chromium; None without one."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        return None
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    tab = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        paints = []
        for _ in range(3):
            tab.get(address.url())
            time.sleep(1.5)
            paints.append(
                tab.execute_script(
                    "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
                )
            )
        return min(p for p in paints if p is not None)
    finally:
        tab.quit()


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.lab", description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--browser", action="store_true", help="also time the first paint")
    options = parser.parse_args()
    address = Address()
    listening = listen(address)
    address = replace(address, port=listening.getsockname()[1])
    server = make_server(address)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    rows = [latency(address, n, k, options.repeats) for n in PROMISED for k in KERNELS]
    weight = sum(path.stat().st_size for path in STATIC.rglob("*") if path.is_file())
    found = {
        "cores": len(os.sched_getaffinity(0)),
        "load_average": os.getloadavg()[0],
        "page_bytes": weight,
        "first_paint_ms": first_paint(address) if options.browser else None,
        "changes": rows,
    }
    server.should_exit = True
    thread.join()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "latest.json").write_text(json.dumps(found, indent=1) + "\n")
    print(f"page: {weight / 1000:.0f} kB (promised: below 500)")
    if found["first_paint_ms"] is not None:
        print(f"first paint: {found['first_paint_ms']:.0f} ms (promised: below 1000)")
    for row in rows:
        told = ", ".join(
            f"{what} {row[f'{what}_median_ms']} ms (best {row[f'{what}_best_ms']}, "
            f"processor {row[f'{what}_processor_ms']})"
            for what in ("C", "point")
        )
        print(f"n = {row['n']:>5} {row['kernel']:>9}: {told}; promised {row['promised_ms']:.0f}")


if __name__ == "__main__":
    main()
