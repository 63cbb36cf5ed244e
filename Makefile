# make play      install, solve the table if it is missing, serve the game
# make test      every test
# make test-postgres
#                the tests of what is stored and pushed once more, on a PostgreSQL and a Redis
#                that are started for them, the site being two processes
# make check     tests, linters, types, migrations; CI runs this and make test-postgres
# make format    rewrite the code as the linters want it
# make bench     the figures of the README, measured on this machine
# make learn-report
#                what each choice of a policy gradient matters, as var/learn/report.md: hours of a
#                core, gone on with where it was left (LEARN='--games 5000 --seeds 1' is smaller)
# make load      people by the hundred on a server of its own: PEOPLE=200 SECONDS=60 THINK=3
#                ARRIVE=12 (seconds in which they come) PROCESSES=1, with DATABASE_URL and REDIS_URL
#                where they are set; or WATCHERS=600 of one game, and how late they see its moves
# make faults    what can go wrong with a server, done to real ones while people play: a table of what
#                they saw and what was lost (ONLY=disk,PostgreSQL: some of them)
# make mutants IN=game/services TESTS=tests/game/test_services.py
#                break lines one at a time, and see whether the tests notice

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8000
TESTS ?= tests
PEOPLE ?= 200
SECONDS ?= 60
THINK ?= 3
PROCESSES ?= 1
WATCHERS ?= 0
BIN := .venv/bin
# By the file, so that what a file has made for its tests is made once. Compiled Python is kept:
# the tests start many processes.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
# The solver knows of no database, and most pages look the same on any.
STORED := tests/game $(patsubst %,tests/browser/test_%.py,two_processes live duels trials)
READY := .venv/.installed

.PHONY: install play browser test test-postgres check lint format bench learn-report load faults mutants clean

install: $(READY)

# A Python without ensurepip (Debian's, for one) makes no venv; virtualenv does.
$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || \
		{ rm -rf .venv; $(PYTHON) -m pip install --quiet virtualenv && $(PYTHON) -m virtualenv --quiet .venv; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

play: install
	$(BIN)/python manage.py play --port $(PORT)

browser: install
	$(BIN)/python -m tests.browser.chromium

test: browser
	$(PYTEST)

test-postgres: browser
	$(BIN)/python -m tests.services env $(PYTEST) $(STORED)

check: lint test

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	git ls-files -z 'templates/*.html' | xargs -0 $(BIN)/djade --check --target-version 5.2
	$(BIN)/python manage.py check
	$(BIN)/python manage.py makemigrations --check --dry-run

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	git ls-files -z 'templates/*.html' | xargs -0 $(BIN)/djade --target-version 5.2

bench: install
	$(BIN)/python -m solver bench

learn-report: install
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m solver learn ablate all --out var/learn $(LEARN)

load: install
	$(BIN)/python -m tests.load --people $(PEOPLE) --seconds $(SECONDS) --think $(THINK) --processes $(PROCESSES) \
		--watchers $(WATCHERS) $(if $(ARRIVE),--arrive $(ARRIVE))

faults: install
	$(BIN)/python -m tests.faults --only "$(ONLY)"

mutants: install
	$(BIN)/python -m tests.mutants $(IN) --tests $(TESTS)

clean:
	rm -rf .venv build *.egg-info var/static
