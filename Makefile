# Every target sets itself up; none needs anything but Python 3.11+, git and make.
FITS := import ensurepip, sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c '$(FITS)' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin

.PHONY: setup demo test check lint e2e bench stress clean

setup: .venv/ready

.venv/ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "holdshort needs Python 3.11 or newer, with venv" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -OO -m compileall -q lib
	@touch $@

demo: setup
	@$(BIN)/python -m tests.demo

test: setup
	$(BIN)/pytest -n auto

check: lint test

lint: setup
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	$(BIN)/lint-imports

e2e: setup
	$(BIN)/pytest -n 4 tests/e2e

bench: setup
	$(BIN)/python -m tests.bench

# The long form of tests/fire: hours of one core.
stress: setup
	$(BIN)/python -m tests.fire.race 10000 64 plain
	$(BIN)/python -m tests.fire.race 1000 64 dead-lock-file mixed worktrees slow-disk
	$(BIN)/python -m tests.fire.kills
	$(BIN)/python -m tests.fire.fuzz 1000000
	$(BIN)/python -m tests.fire.hangs

clean:
	rm -rf .venv .e2e
