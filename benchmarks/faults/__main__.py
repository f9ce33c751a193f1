"""``python -m benchmarks.faults KIND``."""

import importlib
import sys

KINDS = ("signals", "inputs", "compiled", "load", "soak", "tests", "broken", "table")

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in KINDS:
        sys.exit(f"name one of: {', '.join(KINDS)}")
    module = importlib.import_module(f"benchmarks.faults.{sys.argv[1]}")
    sys.exit(module.main(sys.argv[2:]))
