# Two commands are all a newcomer types: `make demo` and `make test`.
# Every target makes what it needs: a virtual environment in .venv and Mercer installed into it.

PYTHON ?= python3
VENV   ?= .venv
ARGS   ?=
WORKERS ?= auto
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install -qq --disable-pip-version-check

# Mercer is rebuilt when the contents of its sources change; dates of files do not matter.
FINGERPRINT := $(shell find src csrc pyproject.toml CMakeLists.txt README.md LICENSE -type f \
                 -not -name '*.pyc' -not -name '*.so' 2>/dev/null | LC_ALL=C sort | xargs cksum | cksum | cut -d' ' -f1)
MERCER      := $(VENV)/mercer-$(FINGERPRINT).stamp

.DEFAULT_GOAL := help
.PHONY: help demo test test-long test-levels check format bench docs validity sanitize fuzz mutants wheel lock sbom matrix clean

help:
	@echo 'make demo      learn from a real file: model, certificate, report (demo-output/; ARGS="--tour" shows more, ARGS="--lab" opens the lab)'
	@echo 'make test      run the test suite                (ARGS="-k gaussian" picks tests)'
	@echo 'make test-long  run the long contract checks and the examples that draw the texts'
	@echo 'make test-levels  run the tests of the compiled core at every lower instruction level (avx2, base)'
	@echo 'make check     lint, format check, types, coverage tracker'
	@echo 'make validity  run the long statistical tests'
	@echo 'make sanitize  build the compiled core with sanitizers and run its tests (ARGS="-x")'
	@echo 'make fuzz      damage files, model files and calls of the compiled core for an hour (ARGS="--seconds 60")'
	@echo 'make mutants   change the code in small ways and see which changes a test notices (docs/mutants.md)'
	@echo 'make bench     time Mercer beside its peers      (ARGS="--quick" for the small cases)'
	@echo 'make docs      build the HTML pages              (docs/_build/html)'
	@echo 'make wheel     build a wheel and an archive of the sources, the same bytes each time (dist/)'
	@echo 'make matrix    run the fast part of the suite beside old and new versions of what Mercer needs (docs/versions.md)'
	@echo 'make sbom      list what the environment holds   (dist/mercer.cdx.json, CycloneDX)'
	@echo 'make lock      pin the build tools with hashes   (requirements/build.txt)'
	@echo 'make format    let ruff rewrite the sources'
	@echo 'make clean     remove everything that was made'

demo: $(MERCER)
	@$(BIN)/python -m mercer.demo $(ARGS)

# One process per core, each with a half of the tests, of which one that is done takes over some;
# WORKERS=0 runs everything in one process.
test: $(MERCER)
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-long: $(MERCER)
	@$(BIN)/python -m pytest -m slow -n $(WORKERS) --dist worksteal tests/contracts/test_sklearn_checks.py tests/house/test_examples.py $(ARGS)

# The compiled core as on an older processor: at every level but the one that `make test` has used.
test-levels: $(MERCER)
	@for level in $$($(BIN)/python -c 'from mercer import _native; print(*_native.levels()[1:])'); do \
	  echo "MERCER_LEVEL=$$level"; \
	  MERCER_LEVEL=$$level $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile $(LEVEL_TESTS) $(ARGS) || exit 1; \
	done

validity: $(MERCER)
	@$(BIN)/python -m pytest -m slow -n $(WORKERS) --dist worksteal --junitxml validity.xml $(ARGS)

# Memory and undefined behaviour first, data races second: the two cannot share a build. The tests
# through Python start the sanitizer's library beforehand; Python's own leaks are not our business.
# BLAS and OpenMP have one thread: they were built without the sanitizer, which cannot see how their threads wait for each other.
SANITIZED = LD_PRELOAD="$$($(CXX) -print-file-name=lib$(1).so) $$($(CXX) -print-file-name=libstdc++.so)" \
            ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=0:exitcode=66 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 \
            $(VENV)-$(1)/bin/python -m pytest $(COMPILED_TESTS) $(ARGS)
# Tests that go into every compiled module: the solver, sequences, paths of costs, shared distances, graphs and walks.
COMPILED_TESTS = tests/solvers tests/gram/test_shared.py tests/kernels/test_sequences_binding.py tests/selection/test_paths.py \
                 tests/learners/spectral/test_neighbours.py tests/learners/spectral/test_components.py tests/learners/spectral/test_shortest_paths.py tests/kernels/test_composed.py
# What of the rest rests on its last digits.
LEVEL_TESTS = $(COMPILED_TESTS) tests/kernels/test_own_products.py tests/io/export/test_skops.py tests/contracts/test_same_bits.py
sanitize:
	@$(MAKE) --no-print-directory $(VENV)-asan/core SANITIZERS=address,undefined
	@$(call SANITIZED,asan)
	@$(MAKE) --no-print-directory $(VENV)-tsan/core SANITIZERS=thread
	@$(call SANITIZED,tsan) -k 'threads or share or max_iter or time_limit or callback or neighbours or paths or symmetric or sequences'

# Long runs; the inputs they keep are replayed by `make test`. The core's part needs clang with libFuzzer.
fuzz: $(MERCER)
	@$(BIN)/python -m benchmarks.faults inputs --seconds 3600 $(ARGS)
	@$(BIN)/python -m benchmarks.faults compiled --seconds 3600 $(ARGS)

# Small changes of the code that computes bounds, certificates and solutions; which of them a test notices.
mutants: $(MERCER)
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.mutation $(ARGS) --write docs/mutants.md

check: $(MERCER) $(VENV)/dev.stamp
	@echo 'ruff check';           $(BIN)/ruff check .
	@echo 'ruff format --check';  $(BIN)/ruff format --check .
	@echo 'mypy';                 $(BIN)/mypy
	@echo 'coverage tracker';     $(BIN)/python tools/check_coverage.py

format: $(VENV)/dev.stamp
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(MERCER) $(VENV)/bench.stamp $(VENV)/thundersvm.stamp
	@$(BIN)/python -m benchmarks $(ARGS)

docs: $(MERCER) $(VENV)/docs.stamp
	@$(BIN)/python tools/make_pages.py
	@$(BIN)/python -m sphinx -q -W --keep-going -j 2 -b html docs docs/_build/html
	@echo 'open docs/_build/html/index.html'

# Built with the pinned tools and dated as the last commit, so that the same sources give the same wheel and the
# same archive of sources, to the byte. From Python 3.12 on it is one for
# all later versions; auditwheel names the oldest system it runs on (elsewhere than on Linux it stays as it is).
wheel: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 315532800)
wheel: $(VENV)/python.stamp requirements/build.txt
	@$(PIP) --require-hashes -r requirements/build.txt
	@rm -rf build/wheel
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pip wheel -qq --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build/wheel .
	@mkdir -p dist
	@if [ "$$(uname -s)" = Linux ]; then PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair -w dist build/wheel/*.whl >build/wheel/audit.log 2>&1 || { cat build/wheel/audit.log; exit 1; }; else cp build/wheel/*.whl dist/; fi
	@$(BIN)/python -c 'from scikit_build_core.build import build_sdist; build_sdist("dist")' >build/wheel/sdist.log 2>&1 || { cat build/wheel/sdist.log; exit 1; }
	@ls dist/*.whl dist/*.tar.gz

# Interpreters are looked for as python3.11, python3.12, ...; one that is missing is said.
matrix: $(VENV)/python.stamp
	@$(BIN)/python tools/version_matrix.py --write docs/versions.md $(ARGS)

lock: $(VENV)/supply.stamp
	@$(BIN)/pip-compile -q --upgrade --generate-hashes --no-header --strip-extras --no-emit-index-url --no-emit-find-links \
	  -o requirements/build.txt requirements/build.in

sbom: $(MERCER) $(VENV)/supply.stamp
	@mkdir -p dist
	@$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --mc-type library --output-reproducible --of JSON \
	  -o dist/mercer.cdx.json $(BIN)/python
	@ls dist/mercer.cdx.json

clean:
	rm -rf $(VENV) $(VENV)-asan $(VENV)-tsan build dist demo-output docs/_build docs/generated \
	       .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests tools benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment ---------------------------------------------------------------------------

$(VENV)/python.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Mercer needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...' >&2; exit 1; }
	@echo 'making a virtual environment in $(VENV)'
	@$(PYTHON) -m venv $(VENV) || \
	  { echo 'could not make $(VENV): does this Python have the venv module (Debian: python3-venv)?' >&2; exit 1; }
	@touch $@

$(MERCER): $(VENV)/python.stamp
	@echo 'building and installing Mercer into $(VENV) (about a minute the first time)'
	@rm -f $(VENV)/mercer-*.stamp
	@$(PIP) '.[test]'
	@touch $@

$(VENV)-%/core:
	@echo 'building Mercer with the $(SANITIZERS) sanitizer into $(VENV)-$*'
	@$(PYTHON) -m venv $(VENV)-$*
	@$(VENV)-$*/bin/python -m pip install -qq --disable-pip-version-check \
	  -Cbuild-dir=build/$* -Ccmake.define.MERCER_SANITIZE=$(SANITIZERS) --force-reinstall '.[test]'

# This peer has no build for many machines; its absence is reported, not fatal.
$(VENV)/thundersvm.stamp: $(VENV)/bench.stamp
	@$(PIP) thundersvm-cpu 2>/dev/null || echo 'thundersvm-cpu cannot be had here; going on without it'
	@touch $@

# Further tools are installed beside Mercer, so that asking for them does not rebuild it.
$(VENV)/%.stamp: $(VENV)/python.stamp pyproject.toml tools/extra_requirements.py
	@echo 'installing what `$*` needs into $(VENV)'
	@$(PIP) $$($(BIN)/python tools/extra_requirements.py $*)
	@touch $@
