# make demo: the broken candidate examined, a copy repaired, the copy examined again
# make test: all but the proofs, and those of the five founding failures;  make check: types, style
# make docs: the documentation as a site, in build/site
# make environments: the real libraries in pinned releases, for tests/proofs
# make proofs: all of them; ENVIRONMENT=four those of one environment, RULE=step-raises those in
# the files that name a rule;  make test-all: every test; with SHARE=6, as in CI, one in six proofs
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# compiled once: where PYTHONDONTWRITEBYTECODE is set, each process would compile the doctor anew
COMPILE := $(BIN)/python -m compileall -q trl_doctor rules
PYTEST := $(COMPILE) && \
  $(BIN)/pytest --dist loadgroup --numprocesses "$$(( $$(getconf _NPROCESSORS_ONLN) + 2 ))"

# make pythons: the tests under each Python that is supported, each in a folder of its own
PYTHONS ?= python3.11 python3.12 python3.13

.PHONY: axe bench check clean demo docs environments faults fuzz pictures proofs pythons test \
  test-all

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --editable . --group test --group check
	touch $(VENV)/ready

demo: $(VENV)/ready
	@fixtures/demo.sh $(BIN)/trl-doctor

test: $(VENV)/ready
	$(PYTEST) -m "not proof or founding"

pythons:
	@for python in $(PYTHONS); do \
	  version="$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])')" || exit 1; \
	  $(MAKE) test PYTHON="$$python" VENV="build/python-$$version" || exit 1; done

test-all: $(VENV)/ready
	$(PYTEST) --share $(or $(SHARE),1)

proofs: $(VENV)/ready
	@files="$$(grep --recursive --include 'test_*.py' --files-with-matches --fixed-strings \
	  -e "$(or $(RULE),interpreter)" tests/proofs)" || { echo "no proof names $(RULE)" >&2; exit 2; }; \
	set -x; $(PYTEST) -m proof $(if $(ENVIRONMENT),--environment $(ENVIRONMENT)) $$files

check: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

environments:
	@PYTHON=$(PYTHON) environments/make.sh

# make fuzz RUNS=100000 SEED=7: mutated targets, repairs planned for each
RUNS ?= 10000
SEED ?= 0
fuzz: $(VENV)/ready
	$(BIN)/python tests/fuzz.py --runs $(RUNS) --seed $(SEED)

# errors at every system call of a repair, its undoing, its recovery, reports, kept folders, copies,
# the Hub's cache and an examination; then the table of what the faults of probes leave behind
faults: $(VENV)/ready
	EVERY=1 $(BIN)/pytest tests/repair/test_writing_faults.py tests/test_faults.py
	$(BIN)/python tests/left_behind.py

bench: $(VENV)/ready
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/growth.py

clean:
	rm -rf .venv .demo build dist *.egg-info

# make axe: the built site in headless Chromium, held to axe-core's rules (needs npm and Chromium):
# all pages but those of the rules, which are alike: three of them
axe: docs
	npm install --silent --no-save --prefix build/axe axe-core puppeteer-core
	cd build/axe && cp ../../docs/axe.mjs . && node axe.mjs ../site/index.html ../site/*/index.html \
	  ../site/rules/tokenizer-pad-missing/index.html ../site/rules/ignore-unused/index.html

# make pictures: the pictures of the HTML report (needs Chromium and the environment grpo-first)
ENVIRONMENTS := $(or $(TRL_DOCTOR_ENVIRONMENTS),environments)
CHROMIUM := chromium --headless=new --no-sandbox --hide-scrollbars --window-size=1000,1120
pictures: $(VENV)/ready
	mkdir -p build
	$(BIN)/trl-doctor check fixtures/broken-grpo.json --python $(ENVIRONMENTS)/grpo-first \
	  --output html=build/report.html || [ $$? = 1 ]
	sed -i 's#$(CURDIR)/##g' build/report.html
	$(CHROMIUM) --blink-settings=preferredColorScheme=1 --screenshot=docs/report.png build/report.html
	$(CHROMIUM) --blink-settings=preferredColorScheme=0 --screenshot=docs/report-dark.png \
	  build/report.html

docs: $(VENV)/ready
	$(BIN)/pip install --quiet --group docs
	$(BIN)/python docs/make_pages.py --site build/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "build/site/index.html"
