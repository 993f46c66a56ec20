# make demo: the broken candidate examined, a copy repaired, the copy examined again
# make test: all but the proofs, and those of the five founding failures;  make check: types, style
# make docs: the documentation as a site, in build/site
# make environments: the real libraries in pinned releases, for tests/proofs
# make proofs: all of them; ENVIRONMENT=four those of one environment, RULE=step-raises those in
# the files that name a rule;  make test-all: every test, as CI does
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/pytest --dist loadgroup --numprocesses "$$(getconf _NPROCESSORS_ONLN)"

.PHONY: axe docs pictures demo test test-all proofs check fuzz faults bench clean environments

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --editable . --group test --group check
	touch .venv/ready

demo: .venv/ready
	@fixtures/demo.sh $(BIN)/trl-doctor

test: .venv/ready
	$(PYTEST) -m "not proof or founding"

test-all: .venv/ready
	$(PYTEST)

proofs: .venv/ready
	@files="$$(grep --files-with-matches --fixed-strings -e "$(or $(RULE),interpreter)" \
	  tests/proofs/test_*.py)" || { echo "no proof names $(RULE)" >&2; exit 2; }; \
	set -x; $(PYTEST) -m proof $(if $(ENVIRONMENT),--environment $(ENVIRONMENT)) $$files

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

environments:
	@PYTHON=$(PYTHON) environments/make.sh

# make fuzz RUNS=100000 SEED=7: mutated targets, repairs planned for each
RUNS ?= 10000
SEED ?= 0
fuzz: .venv/ready
	$(BIN)/python tests/fuzz.py --runs $(RUNS) --seed $(SEED)

# errors at every system call of a repair, its undoing, its recovery, reports, kept folders, copies,
# the Hub's cache and an examination; then the table of what the faults of probes leave behind
faults: .venv/ready
	EVERY=1 $(BIN)/pytest tests/test_writing_faults.py tests/test_faults.py
	$(BIN)/python tests/left_behind.py

bench: .venv/ready
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
CHROMIUM := chromium --headless=new --no-sandbox --hide-scrollbars --window-size=1000,1120
pictures: .venv/ready
	mkdir -p build
	$(BIN)/trl-doctor check fixtures/broken-grpo.json --python environments/grpo-first \
	  --output html=build/report.html || [ $$? = 1 ]
	$(CHROMIUM) --blink-settings=preferredColorScheme=1 --screenshot=docs/report.png build/report.html
	$(CHROMIUM) --blink-settings=preferredColorScheme=0 --screenshot=docs/report-dark.png \
	  build/report.html

docs: .venv/ready
	$(BIN)/pip install --quiet --group docs
	$(BIN)/python docs/make_pages.py --site build/docs
	$(BIN)/mkdocs build --quiet --strict
	@echo "build/site/index.html"
