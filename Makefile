# Everything runs in .venv, which is made anew whenever pyproject.toml changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help setup test lint demo golden docs clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/ready ## make the virtual environment with all that tests need

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

lint: setup ## ruff and mypy
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy engine arena sample_bots

test: setup lint ## every check
	$(BIN)/python -m pytest

golden: setup ## write the golden playthroughs anew
	$(BIN)/python -m tests.engine.playthrough

clean: ## remove what setup and tests made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
