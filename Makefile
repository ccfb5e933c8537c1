# Everything a developer runs. Linters look at named folders: a bot tried out in the root is not ours. GNU make 3.81 (macOS) is enough.
# `make help` lists the targets; each is explained by the comment after its name.

SHELL := /bin/sh
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PROTOS := $(wildcard proto/tichu/referee/v1/*.proto)
HOOK := sample_bots/python/hatch_build.py
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header
# Tests that start processes or time something run one after the other; side by side run the others, and those that
# wait for a bot most of the time.
TIMED := tests/integration tests/repo tests/unit/transport
WAITING := $(addprefix tests/integration/test_,bot_check.py bot_check_planted.py bot_new.py ci_page.py)
SEVERAL := $(BIN)/python -m pytest --numprocesses auto
ASIDE := $(SEVERAL) $(addprefix --ignore=,$(TIMED))
INTURN := $(BIN)/python -m pytest $(TIMED)
CODE := referee sample_bots/python tests tools
PAGES := $(wildcard *.md) docs sample_bots

.PHONY: help setup stubs demo bots test test-slow test-bots test-all sim check bench ladder-study gate-study lock clean .announce .node .same-python

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1 /p' Makefile | while read -r target text; do \
	  printf '  make %-12s %s\n' "$$target" "$$text"; done

setup: .same-python .venv/.ready ## make .venv with the locked tools and the package, editable

stubs: .venv/.locked ## generate referee/_gen and tichu_bot/_gen from proto/
	$(BIN)/python -m hatchling build --target wheel --hooks-only --directory .venv

demo: .announce setup ## play three rounds between the sample bots
	$(BIN)/referee play greedy random --rounds 3 --seed demo

bots: setup ## build the sample bots of the languages that are here, and say what the others need (ALL=1: fail without)
	@ALL=$(ALL) sh tools/bots.sh build

test: setup ## all tests that need nothing else, in about nine minutes on two cores
	$(ASIDE) -m "not slow and not node and not postgres and not bots"
	$(INTURN) -m "not slow and not node and not postgres and not bots"

test-slow: setup .node ## the tests that make test leaves out
	$(ASIDE) -m "(slow or node or postgres) and not bots"
	PATH="$(CURDIR)/$(BIN):$$PATH" $(SEVERAL) $(WAITING) -m "slow"
	PATH="$(CURDIR)/$(BIN):$$PATH" $(INTURN) $(addprefix --ignore=,$(WAITING)) -m "(slow or node or postgres) and not bots"

test-bots: setup ## build the sample bots of all six languages, run the tests of each, then let them play
	@ALL=1 sh tools/bots.sh build
	@ALL=1 sh tools/bots.sh test
	$(SEVERAL) tests/integration -m bots

test-all: setup .node test-bots ## every test; brings node into .venv where there is none from 20 on
	$(ASIDE) -m "not bots"
	PATH="$(CURDIR)/$(BIN):$$PATH" $(INTURN) -m "not bots"

# SEED, N, FIRST (number of the first match), POINTS=1 (to a score instead of one round), PROCESSES
# A value reaches the program as it was written, whatever quotes and dollars are in it.
quoted = '$(subst ','\'',$(or $(value $(1)),$(2)))'
SIM = --seed=$(call quoted,SEED,1) --first=$(call quoted,FIRST,0) --matches=$(call quoted,N,200) --processes=$(call quoted,PROCESSES,2)

sim: setup ## simulate N matches in which something goes wrong, from SEED; 1 if any was judged wrong
	@$(BIN)/python -m tests.simulation.service $(SIM) $(if $(filter-out 0,$(POINTS)),--points)

check: setup ## linters and types: ruff, mypy, import contract, buf, hadolint
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE) $(PAGES)
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports --no-logo
	$(BIN)/buf lint proto
	$(BIN)/buf format --diff --exit-code proto
	sh tools/proto_breaking.sh
	$(BIN)/hadolint Dockerfile

bench: setup ## measure rules, server and echo; prints ratios, asserts nothing
	$(BIN)/python -m tests.bench

ladder-study: setup ## measure luck and boards (BOARDS=2000; some 10 minutes on two cores) into docs/evidence/ladder.md
	$(BIN)/python -m tests.ladder_study --seed evidence --boards $(or $(BOARDS),2000) --page docs/evidence/ladder.md

gate-study: setup ## measure how often the gate is wrong and how many boards it takes (some 10 minutes) into docs/evidence/gate.md
	$(BIN)/python -m tests.gate_study --page docs/evidence/gate.md

lock: setup ## write requirements/*.txt anew (UPGRADE=--upgrade takes newer versions)
	$(LOCK) $(UPGRADE) pyproject.toml --output-file requirements/runtime.txt
	$(LOCK) $(UPGRADE) pyproject.toml --group dev --constraints requirements/runtime.txt \
	  --output-file requirements/dev.txt
	$(LOCK) $(UPGRADE) --group build --constraints requirements/dev.txt \
	  --output-file requirements/build.txt
	$(LOCK) $(UPGRADE) --group node --output-file requirements/node.txt

clean: ## remove .venv, what was generated, and caches
	rm -rf .venv dist build referee/_gen sample_bots/python/tichu_bot/_gen sample_bots/*/node_modules sample_bots/*/dist
	rm -rf sample_bots/*/bot sample_bots/*/target sample_bots/*/build
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.announce:
	@test -e .venv/.ready || echo "setting up .venv: takes a minute"

# With PYTHON named, a .venv of another one is no answer.
.same-python:
	@sh tools/same_python.sh

# The stamps make a second `make setup` a matter of milliseconds.
.venv/.made:
	@python=$$(sh tools/find_python.sh) && echo "$$python -m venv .venv" && "$$python" -m venv .venv
	@touch $@

.venv/.locked: .venv/.made requirements/dev.txt
	$(PIP) install --quiet --require-hashes --requirement requirements/dev.txt
	@touch $@

# Not isolated: what builds the package is what requirements/dev.txt locks.
.venv/.ready: .venv/.locked pyproject.toml $(HOOK) $(PROTOS)
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.node:
	@PATH="$(CURDIR)/$(BIN):$$PATH"; \
	node -e 'process.exitCode = parseInt(process.versions.node) < 20 ? 1 : 0' 2>/dev/null && npm --version >/dev/null || { \
	  echo "no node from 20 on: installing one into .venv"; \
	  $(PIP) install --quiet --require-hashes --requirement requirements/node.txt; }
