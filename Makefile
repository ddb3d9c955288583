# Everything runs in .venv, which is created again whenever pyproject.toml changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

PEERS := build/peers-venv
DEMO := build/demo
DEMO_ARENA := ARENA_HOME=$(DEMO) ARENA_AUTHOR="the sample bots" $(BIN)/arena
SAMPLES = $(filter-out %__pycache__ %.md,$(wildcard sample_bots/*))

# With compiled modules pytest starts twice as fast, and so does every bot that imports the engine.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup test lint demo leaderboards golden tables docs bench peers fairness soak fuzz chaos full clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/ready ## create the virtual environment with everything that the tests need

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

lint: setup ## check format, lint, spelling and types, as a commit and CI do
	$(BIN)/pre-commit run --all-files
	$(BIN)/mypy engine arena sample_bots tests benchmarks

test: setup lint ## run every check; two processes run all tests except those that need the machine alone
	$(BIN)/python -m pytest -n 2 --dist worksteal --ignore tests/alone
	$(BIN)/python -m pytest tests/alone

full: ## run everything that takes long: test, soak, fairness, chaos, fuzz (hours)
	$(MAKE) test
	$(MAKE) soak
	$(MAKE) fairness
	$(MAKE) chaos
	$(MAKE) fuzz

chaos: setup ## disturb nights of real bots a thousand times, and compare their results (about twenty minutes)
	$(BIN)/python -m tests.night.chaos 1000

golden: setup ## write the golden playthroughs and pictures again
	$(BIN)/python -m tests.engine.playthrough
	$(BIN)/python -m tests.engine.pictures

tables: setup ## write arena/store/tables.py from the SQLModel classes beside it
	$(BIN)/python -m tests.store.core_tables

demo: setup ## submit the sample bots, play a short night of each game, show the leaderboards
	@rm -rf $(DEMO)
	$(DEMO_ARENA) submit --skip-missing $(SAMPLES)
	@for league in $$($(DEMO_ARENA) league list --playable); do \
		echo && echo "== $$league" && \
		$(DEMO_ARENA) night run $$league --encounters 5 && echo && \
		$(DEMO_ARENA) leaderboard $$league || exit 1; \
	done

leaderboards: demo ## publish the leaderboards of the demo in leaderboards/
	$(DEMO_ARENA) publish --into leaderboards --made-by "make leaderboards"

docs: setup ## write the generated pages of docs/ again
	$(BIN)/python -m arena.cli.reference docs

bench: setup peers ## measure everything next to similar tools (an hour or two, on an idle machine)
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python -m benchmarks

peers: $(PEERS)/ready ## install the tools that the arena is measured against, in a separate environment

$(PEERS)/ready: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PEERS)/bin/python -m pip install --quiet --group peers
	if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix build/peers-npm dimensions-ai; fi
	touch $@

fairness: setup ## look for false forfeits on overloaded cores (ten minutes, uses the whole machine)
	$(BIN)/python -m benchmarks.fairness

soak: setup ## play 5,000 matches of polite and hostile bots, and check that no resource leaks
	SOAK_MATCHES=5000 $(BIN)/python -m pytest -s tests/workers/test_soak.py

FUZZ_SECONDS ?= 1800
fuzz: setup ## fuzz every reader of untrusted bytes, and store the inputs that reach new code
	mkdir -p build
	for target in protocol replay manifest; do \
		$(BIN)/python -m tests.fuzz $$target -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=2048 \
			-artifact_prefix=build/ || exit 1; \
	done

clean: ## remove everything that setup, tests and the demo created
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
