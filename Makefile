# `make` prints what there is. Everything runs in .venv of this checkout, whatever is active outside.
# No target or variable below holds the checkout's path, so it may contain spaces.

# An active environment or a user's settings must not reach into .venv.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV CONDA_PREFIX PIP_TARGET PIP_PREFIX PIP_ROOT
export PIP_USER := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1

PYTHON ?=
PY := .venv/bin/python
PIP := $(PY) -m pip -qq --no-input
MINIGRAD := .venv/bin/minigrad
WORKERS ?= 2

# What setup has done, as files. A changed list of packages, or changed C++, does it again.
MADE := .venv/.made
VENV := $(MADE)/venv
PACKAGES := $(MADE)/packages
# The compiler is part of the name: one that is installed later builds what was left out before.
NATIVE := $(MADE)/native-with$(if $(shell command -v $${CXX:-c++} || command -v g++ || command -v clang++),,out)-compiler
SOURCES := CMakeLists.txt $(shell find csrc -type f)

# NumPy 1.26 has an environment of its own, with what the tests of the first chapters need.
PY126 := .venv-numpy126/bin/python
PACKAGES126 := .venv-numpy126/.made
TESTS126 := tests/01_scalar tests/02_array tests/03_ops tests/04_autograd tests/05_nn tests/06_conv \
    tests/07_transformer tests/models tests/reference tests/random tests/conformance

.DEFAULT_GOAL := help
.PHONY: help start setup build test bench cut check notebooks mutants oracle check-numpy126 lab lab-check lint clean force

help: ## what there is
	@echo "minigrad: build a deep-learning framework, chapter by chapter"
	@echo
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "next: make start"

start: setup ## set up what is missing, then a tour of about half a minute
	@$(MINIGRAD) tour

setup: $(PACKAGES) $(NATIVE) ## make .venv, install the packages, build the native module
	@$(if $(filter setup,$(MAKECMDGOALS)),echo "setup: ready; next: make start",:)

build: $(PACKAGES) ## build the native module again
	@rm -f $(NATIVE)
	@$(PY) -m minigrad.native > /dev/null 2>&1 || rm -f build/native/_native.*
	@$(MAKE) --no-print-directory $(NATIVE)

test: setup ## run everything with the reference
	@$(PY) -m pytest --impl reference -n $(WORKERS) $(ARGS)

bench: setup ## measure our kernels, and put the gemm ladder into the README (minutes)
	@$(MINIGRAD) bench kernels --readme $(ARGS)

cut: setup ## write chapters/ and solutions/ from the sources
	@$(MINIGRAD) cut

check: setup ## what must hold before a change goes in: drift, wrong answers, sizes, lint, types
	@$(MINIGRAD) check

notebooks: setup ## make the notebooks, and run those in solutions/
	@$(MINIGRAD) notebooks

mutants: setup ## run all mutants of the reference
	@$(MINIGRAD) mutants

oracle: setup ## compare with PyTorch (installs it)
	@$(PY) -c 'import expecttest, torch, transformers' 2>/dev/null || { echo "oracle: installing torch"; $(PIP) install -c constraints.txt expecttest torch transformers; }
	@$(PY) -m pytest --impl reference tests/oracle $(ARGS)

check-numpy126: $(PACKAGES126) ## chapters 01-07 and the Tensor API on NumPy 1.26
	@$(PY126) -m pytest --impl reference -n $(WORKERS) $(TESTS126) $(ARGS)

lab: setup ## open chapter 01 in JupyterLab
	@$(PY) -m jupyterlab $(if $(filter 0,$(shell id -u)),--allow-root) chapters/01_scalar/01_scalar.ipynb

lab-check: setup ## open chapter 01 in a real browser and look
	@$(PY) -c 'import playwright' 2>/dev/null || { echo "lab-check: installing playwright"; $(PIP) install -c constraints.txt playwright; }
	@$(PY) tests/course/lab_check.py

lint: setup ## style and types
	@failed=; \
	$(PY) -m ruff check --quiet . || failed=1; \
	$(PY) -m ruff format --check --quiet . || failed=1; \
	find csrc tests -name '*.h' -o -name '*.cpp' -o -name '*.cu' | xargs .venv/bin/clang-format --dry-run --Werror || failed=1; \
	$(PY) -m mypy --no-error-summary || failed=1; \
	test -z "$$failed" && echo "lint: ok"

clean: ## remove what was built (your chapters, your progress and .venv stay)
	@rm -rf build dist $(MADE)/native-* .pytest_cache .mypy_cache .ruff_cache
	@find minigrad tests -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment that was moved, or whose Python is gone, is made anew.
ifneq ($(shell test "$$(cat $(VENV) 2>/dev/null)" = "$$(pwd)" && env -u PYTHONHOME -u PYTHONPATH $(PY) -c '' 2>/dev/null && echo usable),usable)
$(VENV): force
endif
force:

# Made from the base interpreter, never from an environment that may itself be the one removed here.
$(VENV):
	@for python in $(if $(PYTHON),"$(PYTHON)",python3 python3.14 python3.13 python3.12 python3.11); do \
	    base=$$("$$python" -c 'import sys; sys.version_info >= (3, 11) and print(sys._base_executable)' 2>/dev/null); \
	    test -z "$$base" || break; \
	done; \
	test -n "$$base" || { echo "setup: no Python 3.11 or newer was found; name one: make setup PYTHON=/path/to/python3"; exit 1; }; \
	"$$base" -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "setup: $$base cannot make environments; install its venv module (Debian, Ubuntu: sudo apt install python3-venv)"; exit 1; }; \
	echo "setup: .venv with $$("$$base" -V)"; \
	rm -rf .venv && "$$base" -m venv .venv && mkdir -p $(MADE) && pwd > $@

$(PACKAGES): $(VENV) pyproject.toml constraints.txt
	@echo "setup: packages (a minute or two the first time)"
	@$(PY) -c "$$LIST_PACKAGES" build-system build course test lint > $(MADE)/requirements.txt
	@$(PIP) install -c constraints.txt -r $(MADE)/requirements.txt
	@touch $@

# The last Python that NumPy 1.26 was built for is 3.12.
$(PACKAGES126): $(VENV) pyproject.toml constraints.txt
	@for python in $(if $(PYTHON),"$(PYTHON)",$(PY) python3.12 python3.11); do \
	    base=$$("$$python" -c 'import sys; sys.version_info[:2] in ((3, 11), (3, 12)) and print(sys._base_executable)' 2>/dev/null); \
	    test -z "$$base" || break; \
	done; \
	test -n "$$base" || { echo "check-numpy126: NumPy 1.26 needs Python 3.11 or 3.12; name one: make check-numpy126 PYTHON=/path/to/python3.12"; exit 1; }; \
	echo "check-numpy126: .venv-numpy126 with $$("$$base" -V)"; \
	rm -rf .venv-numpy126 && "$$base" -m venv .venv-numpy126
	@sed 's/^numpy==.*/numpy==1.26.4/' constraints.txt > .venv-numpy126/constraints.txt
	@$(PY) -c "$$LIST_PACKAGES" test > .venv-numpy126/requirements.txt
	@$(PY126) -m pip -qq --no-input install -c .venv-numpy126/constraints.txt -r .venv-numpy126/requirements.txt
	@touch $@

# Without the project itself: a changed list of packages builds nothing, changed C++ installs nothing.
define LIST_PACKAGES
import sys, tomllib
with open("pyproject.toml", "rb") as file:
    table = tomllib.load(file)
lists = table["project"]["optional-dependencies"] | {"build-system": table["build-system"]["requires"]}
print(*table["project"]["dependencies"], sep="\n")
for name in sys.argv[1:]:
    print(*lists[name], sep="\n")
endef
export LIST_PACKAGES

$(NATIVE): $(PACKAGES) $(SOURCES)
	@echo "setup: minigrad and its native module"
	@$(PIP) install -c constraints.txt --no-build-isolation --no-deps -e .
	@$(PY) -m minigrad.native > /dev/null || echo "Part I of the course works without it."
	@touch $@
