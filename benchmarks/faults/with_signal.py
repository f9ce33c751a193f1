"""Run the command line and send it a signal after so many processor seconds.

``python with_signal.py MOMENT SIGNAL TIMES ARGUMENTS...``: the last line on standard output is
JSON with the processor seconds the command took in all and since the signal. A command that stands
still for `STANDSTILL` seconds by the clock is ended and says where each of its threads was.
"""

import faulthandler
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

STANDSTILL = 300


@dataclass
class Ended:
    """How a command ended that was sent a signal."""

    code: int
    out: str
    err: str
    seconds: float  # of the processor, in all
    after: float | None  # since the signal; None if the command had ended before

    @property
    def promised(self):
        """Whether a model was promised."""
        return "stopping with the best so far" in self.err

    @property
    def traceback(self):
        """Whether somebody was shown the inside of Mercer."""
        return "Traceback" in self.err

    @property
    def stuck(self):
        """Whether it had to be ended; the threads and where they were stand in ``err``."""
        return "Timeout (" in self.err


def run_with_signal(moment, arguments, *, number=signal.SIGINT, times=1):
    """One command in a process of its own."""
    command = [sys.executable, __file__, str(moment), str(int(number)), str(times)]
    done = subprocess.run(command + [str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode:
        return Ended(done.returncode, done.stdout, done.stderr, 0.0, None)
    out, _, last = done.stdout.rstrip("\n").rpartition("\n")
    told = json.loads(last)
    return Ended(told["code"], out, done.stderr, told["seconds"], told["after"])


def _main():
    from mercer.cli import installed

    moment, number, times = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    sys.argv = ["mercer", *sys.argv[4:]]
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    faulthandler.dump_traceback_later(STANDSTILL, exit=True)
    sent = []

    def send(*_):
        sent.append(time.process_time())
        if len(sent) < times:
            signal.setitimer(signal.ITIMER_PROF, 0.05)
        os.kill(os.getpid(), number)

    begun = time.process_time()
    signal.signal(signal.SIGPROF, send)
    signal.setitimer(signal.ITIMER_PROF, moment)
    code = 70
    try:
        installed()
    except SystemExit as end:
        code = end.code
    except BaseException:
        signal.setitimer(signal.ITIMER_PROF, 0)
        raise
    signal.setitimer(signal.ITIMER_PROF, 0)
    now = time.process_time()
    after = now - sent[0] if sent else None
    print("\n" + json.dumps({"code": code, "seconds": now - begun, "after": after}), flush=True)


if __name__ == "__main__":
    sys.path.remove(str(Path(__file__).parent))  # a script's folder comes first otherwise
    _main()
