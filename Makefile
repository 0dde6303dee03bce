# make verify: everything from nothing to a report in build/reports.  make test: the tests.
# make documents: what the pages show, executed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The processes that tests start find compiled sources, also where the environment forbids these.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto

.PHONY: verify test documents soak check site smoke bench clean

# The report is written whatever was found; what make ends with is the first code that is not 0.
verify: $(READY)
	@code=0; $(BIN)/arith verify --grid headline || code=$$?; \
	case $$code in 0|1|3) \
	  report=0; $(BIN)/arith report --grid headline --folder build/reports || report=$$?; \
	  [ $$code -ne 0 ] || code=$$report ;; esac; \
	exit $$code

test: $(READY)
	$(PYTEST) -m "not documents"

# What the pages show: notebooks and commands are executed, the site is built and read, and the page
# of arith explore is used in a browser.
documents: $(READY)
	$(PYTEST) -m documents

# The random tests with many examples, drawn anew, and every fault (long).
soak: $(READY)
	ARITH_EXAMPLES=1000 $(PYTEST) -m soak

# Style and types.
check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The pages as a site in site/, to be opened at site/index.html; a warning is an error.
site: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

smoke: $(READY)
	$(BIN)/arith verify --grid smoke

# Speed, in ratios measured in one run (half an hour; nothing else should run).
bench: $(READY)
	$(BIN)/python -m benchmarks

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("arith needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf $(VENV) build site *.egg-info
