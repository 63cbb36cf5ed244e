# make play      install, solve the table if it is missing, serve the game
# make test      every test
# make check     what CI runs: tests, linters, types, migrations
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
READY := .venv/.installed

.PHONY: install play test check lint format bench learn-report load faults mutants clean

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

test: install
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m pytest --numprocesses auto --dist loadgroup

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
