# Every command a person or the build server needs. `make help` lists them.
# Needs only make and Python 3.11+; PYTHON=python3.12 picks another interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input
UV ?= uv
NPM ?= npm
LOCK := $(UV) pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 \
	--generate-hashes --no-header --no-emit-index-url --no-emit-find-links
BROWSER_FILES := static/vendor/manifest.json
PYTEST_ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test check bench lock audit browser-files chromium

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.stamp-project $(BROWSER_FILES) ## make the environment .venv and the browser files
	@:

run: setup ## start the server and its worker on data in ./var
	@export ARENA_DATA_DIR="$${ARENA_DATA_DIR:-$(CURDIR)/var}"; \
	printf 'For other commands on this arena, in a second terminal: export ARENA_DATA_DIR="%s"\n' \
		"$$ARENA_DATA_DIR"; \
	exec $(BIN)/arena serve

test: setup chromium ## run the whole suite: unit, both databases, web, browser
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

check: setup ## lint, format, types, import contracts, migration drift
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest --quiet tests/db/test_drift.py

bench: setup ## run the benchmarks; results go to bench/results
	@$(BIN)/python -m bench

lock: ## renew requirements/*.txt and package-lock.json (needs uv and npm)
	$(LOCK) pyproject.toml --output-file requirements/run.txt
	$(LOCK) pyproject.toml --group dev --constraint requirements/run.txt \
		--output-file requirements/dev.txt
	$(LOCK) --group node --output-file requirements/node.txt
	$(LOCK) --group audit --output-file requirements/audit.txt
	$(NPM) install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts

# Exit code 1: holes are known; 3: it could not run, which is no good news. Make shows the code.
audit: $(VENV)/bin/python ## look up known holes in the locked packages (needs the network)
	@$(BIN)/python tools/audit.py

browser-files: $(BROWSER_FILES) ## fetch htmx and Pico into static/vendor
	@:

# Debian's Chromium serves the browser tests; elsewhere the person installs one.
chromium:
	@command -v chromium >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo 'installing Chromium for the browser tests'; \
		(apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq --no-install-recommends chromium) >/dev/null </dev/null; \
	fi; \
	command -v chromium >/dev/null || { \
		echo 'the browser tests need Chromium: install it as the command "chromium"' >&2; exit 1; }

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'Python 3.11 or newer is needed: make setup PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.stamp-packages: requirements/dev.txt | $(VENV)/bin/python
	@echo 'installing Python packages into $(VENV)'
	@$(PIP) install --no-deps --no-compile --require-hashes --requirement requirements/dev.txt
	@touch $@

$(VENV)/.stamp-project: pyproject.toml $(VENV)/.stamp-packages
	@$(PIP) install --no-deps --no-index --no-build-isolation --editable .
	@touch $@

$(BROWSER_FILES): package.json package-lock.json requirements/node.txt tools/build_static.py \
		| $(VENV)/bin/python
	@echo 'fetching browser files into static/vendor'
	@$(BIN)/python tools/build_static.py
