# `make` lists the commands. On a new machine only Python (3.11 or newer) and make are needed.
PYTHON ?= python3
UV_VERSION = 0.13.9
BIN = .venv/bin

.DEFAULT_GOAL := help
.PHONY: help warehouse test test-duckdb2 lint format sources example lock clean

help: ## list the commands
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | sort | awk -F'\t' '{printf "make %-14s %s\n", $$1, $$2}'

.venv/.installed: requirements/duckdb-1.5.lock pyproject.toml
	@$(call install,.venv,requirements/duckdb-1.5.lock)

.venv-duckdb2/.installed: requirements/duckdb-2.0.lock pyproject.toml
	@$(call install,.venv-duckdb2,requirements/duckdb-2.0.lock)

# Two clients without anything of ours: what a reader of the file has.
.venv-client-%/.installed: requirements/client-%.lock
	@$(PYTHON) -m venv .venv-client-$* && $(call pip,.venv-client-$*) --require-hashes -r $< && touch $@

# A package index that answers badly once is asked again.
pip = sh -c 'for try in 1 2 3; do "$$0" -m pip install --quiet --disable-pip-version-check "$$@" && exit; done; exit 1' $(1)/bin/python

define install
echo "Installing into $(1) …" && $(PYTHON) -m venv $(1) \
&& $(call pip,$(1)) uv==$(UV_VERSION) \
&& $(1)/bin/uv pip install --quiet --python $(1)/bin/python --compile-bytecode --require-hashes -r $(2) \
&& $(1)/bin/uv pip install --quiet --python $(1)/bin/python --no-deps --no-build-isolation -e . \
&& touch $(1)/.installed
endef

.sample/README.md: .venv/.installed $(wildcard tests/synthetic/*.py)
	@$(BIN)/python -m tests.synthetic sample --out .sample

ifdef RELEASE
warehouse: .venv/.installed ## build warehouse.duckdb from RELEASE=folder, else from what it holds, else from the sample
	@$(BIN)/rlvram build "$(RELEASE)"
else ifneq ($(wildcard warehouse.duckdb),)
warehouse: .venv/.installed
	@$(BIN)/rlvram build
else
warehouse: .sample/README.md
	@$(BIN)/rlvram build .sample
endif

test: .venv/.installed .venv-client-duckdb15/.installed .venv-client-duckdb20/.installed lint ## run every test, and the linters
	$(BIN)/python -m pytest

test-duckdb2: .venv-duckdb2/.installed .venv-client-duckdb15/.installed .venv-client-duckdb20/.installed ## run every test on DuckDB 2.0.1
	.venv-duckdb2/bin/python -m pytest

lint: .venv/.installed ## check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/sqlfluff lint --disable-progress-bar models tests/assertions

format: .venv/.installed ## put style right
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

sources: .venv/.installed ## write what is generated from the registry and the marts' YAML
	$(BIN)/python -m rlvram.generate

example: .venv/.installed ## build warehouse.duckdb.example from the sample
	$(BIN)/python -m tests.synthetic example

lock: .venv/.installed ## resolve the locked dependencies anew
	for engine in 1.5 2.0; do $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header --extra dev pyproject.toml requirements/duckdb-$$engine.in \
	  --output-file requirements/duckdb-$$engine.lock; done
	for client in duckdb15 duckdb20; do $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header requirements/client-$$client.in --output-file requirements/client-$$client.lock; done

clean: ## remove what was built, but no warehouse
	rm -rf .venv .venv-* .sample target logs
