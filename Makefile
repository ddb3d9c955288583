# Everything runs in .venv, which is made anew whenever pyproject.toml changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

PEERS := build/peers-venv
DEMO := build/demo
DEMO_ARENA := ARENA_HOME=$(DEMO) ARENA_AUTHOR="the sample bots" $(BIN)/arena
SAMPLES = $(filter-out %__pycache__ %.md,$(wildcard sample_bots/*))

.PHONY: help setup test lint demo leaderboards golden docs bench peers fairness soak fuzz chaos full clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/ready ## make the virtual environment with all that tests need

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

lint: setup ## format, lint, spelling and types: what a commit and CI check
	$(BIN)/pre-commit run --all-files
	$(BIN)/mypy engine arena sample_bots tests benchmarks

test: setup lint ## every check; two processes run the tests, where they cannot disturb each other
	$(BIN)/python -m pytest -n 2 -m "not host and not alone"
	$(BIN)/python -m pytest -m "host or alone"

full: ## all that takes long, one after the other: tests, soak, fairness, chaos, fuzz (hours)
	$(MAKE) test
	$(MAKE) soak
	$(MAKE) fairness
	$(MAKE) chaos
	$(MAKE) fuzz

chaos: setup ## disturb nights of real bots a thousand times, and compare how they end (twenty minutes or so)
	$(BIN)/python -m tests.night.chaos 1000

golden: setup ## write the golden playthroughs and pictures anew
	$(BIN)/python -m tests.engine.playthrough
	$(BIN)/python -m tests.engine.pictures

demo: setup ## hand in the sample bots, play a short night of each game, show the leaderboards
	@if [ -d $(DEMO) ]; then chmod -R u+w $(DEMO); rm -rf $(DEMO); fi
	$(DEMO_ARENA) submit --skip-missing $(SAMPLES)
	@for league in $$($(DEMO_ARENA) league list --playable); do \
		echo && echo "== $$league" && \
		$(DEMO_ARENA) night run $$league --encounters 5 && echo && \
		$(DEMO_ARENA) leaderboard $$league || exit 1; \
	done

leaderboards: demo ## publish the boards of the demo under leaderboards/
	$(DEMO_ARENA) publish --into leaderboards --made-by "make leaderboards"

docs: setup ## write the generated pages of docs/ anew
	$(BIN)/python -m arena.cli.reference docs

bench: setup peers ## measure everything next to its peers (an hour or two, on a quiet machine)
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python -m benchmarks

peers: $(PEERS)/ready ## install what the arena is measured against, apart from it

$(PEERS)/ready: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PEERS)/bin/python -m pip install --quiet --group peers
	if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix build/peers-npm dimensions-ai; fi
	touch $@

fairness: setup ## look for false verdicts on cores that are loaded twice over (ten minutes, the whole machine)
	$(BIN)/python -m benchmarks.fairness

soak: setup ## 5,000 matches among polite and hostile bots: nothing may grow
	SOAK_MATCHES=5000 $(BIN)/python -m pytest -s tests/workers/test_soak.py

FUZZ_SECONDS ?= 1800
fuzz: setup ## fuzz every reader of strangers' bytes, and keep what reaches new code
	mkdir -p build
	for target in protocol replay manifest; do \
		$(BIN)/python -m tests.fuzz $$target -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=2048 \
			-artifact_prefix=build/ || exit 1; \
	done

clean: ## remove what setup, tests and the demo made
	@if [ -d build ]; then chmod -R u+w build; fi
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
