# Needs python3 (3.11 or newer), make and git; everything else is installed into .venv.

PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet

.PHONY: help demo walks test explore lint format bench picture wheel native clean
.DEFAULT_GOAL := help

help:
	@echo "make demo     set everything up and let LOLA walk over a platform, a hand on the wall"
	@echo "make walks    let it walk through all scenes, over boards and under pushes; a report (minutes)"
	@echo "make test     set everything up and run the tests (WORKERS=$(WORKERS))"
	@echo "make explore  run the tests with random examples on new ones"
	@echo "make lint     check style, format and types"
	@echo "make format   put the sources into the common format"
	@echo "make bench    measure against Pinocchio (minutes; wants a quiet machine)"
	@echo "make picture  draw the pictures of the README (wants Chromium)"
	@echo "make wheel    build a wheel with native code for common CPUs (two minutes)"
	@echo "make native   compile once what most runs need, for this clone (a minute; make demo does it)"
	@echo "make clean    remove .venv and all that tools have left"

demo: $(VENV)/installed | $(VENV)/native
	$(BIN)/footfall walk --output demo

walks: $(VENV)/installed-for-tests
	$(BIN)/python -m benchmarks.walking --output benchmarks/walking.md
	$(BIN)/python -m benchmarks.full_mode --output benchmarks/full_mode.md
	$(BIN)/python -m benchmarks.disturbances --output benchmarks/disturbances.md

# Workers take neighbouring tests, so that most kernels are compiled by one of them and found by the other.
test: $(VENV)/installed-for-tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations 12 --durations-min 5 tests

# New examples each time; what fails is written down as an @example of its test, see CONTRIBUTING.md.
explore: $(VENV)/installed-for-tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m hypothesis --hypothesis-profile explore tests

lint: $(VENV)/installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/installed-for-tests
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed-for-tests
	$(BIN)/python benchmarks/dynamics.py --output benchmarks/dynamics.md

picture: $(VENV)/installed-for-tests
	$(BIN)/python examples/draw_robot.py lola docs/pictures/lola.png
	$(BIN)/footfall quadruped trot --contact exact --no-plots --duration 3 --output demo
	$(BIN)/footfall screenshot demo/trot-exact.mcap docs/pictures/quadruped.png --time 2.22 --size 1000x640 --force
	$(BIN)/footfall plan platform --plot --picture 8 --output demo
	cp demo/platform-view.png docs/pictures/plan-view.png
	cp demo/platform.png docs/pictures/platform.png
	$(BIN)/footfall walk --output demo --no-plot --video docs/pictures/walk.webp

# Whoever installs it does not compile what is the same for all robots.
wheel: $(VENV)/installed
	$(BIN)/python release/native_code.py
	$(PIP) wheel --no-deps --wheel-dir dist .

# The same for a clone: the first step of a robot does not wait for it. What changes in the sources is compiled anew.
native: $(VENV)/installed
	$(BIN)/python release/native_code.py --here
	@touch $(VENV)/native

$(VENV)/native: | $(VENV)/installed
	@echo "making native code for this CPU, once (half a minute on two quiet cores)"
	-$(BIN)/python release/native_code.py --here
	@touch $@

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "footfall needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

# Real robots come with Pinocchio; where they have no wheels the demo takes one of ours.
$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[plots,robots]' || $(PIP) install --editable '.[plots]'
	@touch $@

$(VENV)/installed-for-tests: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[test]'
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build dist demo src/footfall/compiler/shipped .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
