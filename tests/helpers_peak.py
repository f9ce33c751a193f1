"""Peak memory of work, each piece in a process of its own that is forked from this one.

A forked child starts with the memory of its parent; the kernel is told to forget the peak so far
(``clear_refs``), and what the peak is above the memory at the start is what the work has taken.
"""

import json
import os
import resource
import signal
import sys
import time
import traceback
import warnings

SECONDS = 100  # of the processor


def _status(name):
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


def measured(work, seconds=SECONDS):
    """What ``work()`` returned or raised, its peak in bytes and its processor seconds."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _in_the_child(work, reading, writing, seconds)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if not told:
        return {"problem": f"ended by signal {status & 127}", "peak": 0, "seconds": seconds}
    return json.loads(told)


def _in_the_child(work, reading, writing, seconds):
    told = {"problem": None, "answer": None}
    try:
        os.close(reading)
        warnings.simplefilter("ignore")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)

        def late(*_):
            raise TimeoutError(f"more than {seconds} processor seconds")

        signal.signal(signal.SIGPROF, late)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        hard = int(time.process_time() + 1.5 * seconds) + 1  # compiled code hears no handler
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
        before, begun = _status("VmRSS"), time.process_time()
        try:
            told["answer"] = work()
        except Exception as problem:
            told["problem"] = f"{type(problem).__name__}: {problem}"[:300]
            told["where"] = traceback.format_exc()[-1500:]
        told["seconds"] = time.process_time() - begun
        told["peak"] = max(0, _status("VmHWM") - before)
        with os.fdopen(writing, "w") as pipe:
            pipe.write(json.dumps(told))
    finally:
        sys.stdout.flush()
        os._exit(0)
