# Every target sets up what it needs: Python 3.11 or newer is all that must be there.
PYTHON ?= python3
BIN := .venv/bin
# One worker per core; tests/conftest.py says what runs together and what first.
PARALLEL := -n auto --dist loadfile --no-loadscope-reorder
# Every program that a test starts would compile its sources anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo serve picture test proof check lint bench docs screenshots clean

help: ## Show the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

demo: .venv/core ## Survey to masked file: search, report, R-U map, project file (in demo/)
	$(BIN)/ammg demo demo

serve: .venv/web ## The web application on this machine (data in ammg-data/)
	$(BIN)/ammg serve

picture: demo ## The demo's report and picture, as the README shows them
	mkdir -p docs/pages/demo
	cp demo/masked.parquet.report.html docs/pages/demo/report.html
	cp demo/risk.svg docs/pages/demo/risk.svg

test: lint ## Run everything: lint, types, tests
	$(BIN)/mypy & types=$$!; $(BIN)/pytest $(PARALLEL); tests=$$?; wait $$types && exit $$tests

proof: .venv/dev ## Run what repeats one number over many secrets
	$(BIN)/pytest $(PARALLEL) -m proof

check: lint ## Lint and types
	$(BIN)/mypy

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

bench: .venv/dev ## Speed and memory, as ratios to a baseline of the same run
	$(BIN)/python -m benchmarks

docs: .venv/dev ## Build the documentation into site/
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --config-file docs/mkdocs.yml

screenshots: .venv/dev ## Pictures of every page, light and dark (in docs/pages/web/; needs chromium)
	$(BIN)/python docs/screenshots.py

clean: ## Remove the environment and everything made
	rm -rf .venv site demo

.venv/core: requirements.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

.venv/web: requirements-dev.txt .venv/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements-dev.txt --editable '.[web]'
	touch $@

.venv/dev: requirements-dev.txt .venv/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@
