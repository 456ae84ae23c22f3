# Two commands matter: `make demo` and `make test`. Each sets up what it needs.
PYTHON ?= python3
PORT ?= 8501
SECONDS ?= 60
SINCE ?=
VENV := .venv
BIN := $(VENV)/bin
CORES := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
# On two cores a third process uses the time in which tests wait for browsers and workers.
PROCESSES ?= $(if $(filter 1 2 3,$(CORES)),3,4)
# Tests start many processes, each of which would otherwise compile the package once more.
TESTS := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: demo test quick check install bench fuzz screenshots messages docs wheel audit clean help

help:
	@echo "make demo         set up (no torch) and open the app on sample data (PORT=8501)"
	@echo "make test         set everything up and run all tests"
	@echo "make quick        run the tests without browser, server, worker or model (SINCE=main: only what changed)"
	@echo "make install      set everything up: the app, local models, and the tools for development"
	@echo "make check        formatting, lint and types"
	@echo "make bench        print the figures of benchmarks/"
	@echo "make fuzz         try odd inputs for SECONDS=60 each on all that reads a stranger's words (Linux)"
	@echo "make screenshots  write docs/screens/"
	@echo "make docs         build the documentation as a site, site/index.html"
	@echo "make wheel        build what pip installs, dist/*.whl"
	@echo "make audit        ask a public database for known weaknesses in the dependencies (needs a network)"
	@echo "make messages     collect the texts of the interface for translators"

demo: $(VENV)/.core
	$(BIN)/judgelab demo --port $(PORT)

test: $(VENV)/.dev
	$(TESTS) -n $(PROCESSES) --dist loadfile --no-loadscope-reorder

quick: $(VENV)/.dev
	$(TESTS) -n 2 --dist loadfile --quick $(if $(SINCE),--since $(SINCE))

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

install: $(VENV)/.dev

bench: $(VENV)/.dev
	@for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

# atheris has wheels for few machines, so that only this asks for it.
fuzz: $(VENV)/.dev
	$(PIP) atheris==3.0.0
	$(BIN)/python -m tests.fuzzing --seconds $(SECONDS)
	JUDGELAB_EXAMPLES_TIMES=10 $(BIN)/python -m pytest -n auto -m hypothesis

screenshots: $(VENV)/.dev
	$(BIN)/python docs/screens.py

messages: $(VENV)/.dev
	$(BIN)/python -m judgelab.languages.collect

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
	@echo "open site/index.html"

wheel: $(VENV)/.dev
	$(BIN)/python -m hatchling build -d dist

audit: $(VENV)/.dev
	.ci/audit

clean:
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "JudgeLab needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: requirements-core.txt pyproject.toml | $(VENV)/bin/python
	$(PIP) -r requirements-core.txt
	$(PIP) --no-deps --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements.txt requirements-core.txt pyproject.toml | $(VENV)/bin/python
	$(PIP) -r requirements-dev.txt
	$(PIP) --no-deps --editable .
	@touch $@ $(VENV)/.core
