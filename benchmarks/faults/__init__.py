"""Faults tried on purpose; docs/reliability.md is written from the records of what became of them.

python -m benchmarks.faults signals    SIGINT and SIGTERM at evenly spaced moments of eight runs
python -m benchmarks.faults inputs     changed files and model files, guided by coverage
python -m benchmarks.faults compiled   calls of the compiled core, by libFuzzer
python -m benchmarks.faults load       predictions through mercer serve and the lab
python -m benchmarks.faults soak       a thousand fits in one process, threads, forks
python -m benchmarks.faults tests      what the test suite tries
python -m benchmarks.faults broken     whether tests notice when a guard is taken out
python -m benchmarks.faults table      write docs/reliability.md from the records
"""
