# make play      install what playing needs, solve the table if it is missing, serve the game
# make test      install the rest, run the tests that a change must pass; the last lines say how many
#                it left out, and why
# make test-all  every test, as it should run nightly: all rulesets, players, screens and languages
# make test-alone
#                the tests of the game on a site without trials and lab
# make test-postgres
#                the tests of what is stored and pushed once more, on a PostgreSQL and a Redis
#                that are started for them, the site being two processes (test-postgres-all: all
#                that know of a database)
# make test-dates
#                nightly: the tests of tests/game with the clock of five other days, by faketime of
#                Debian's package of that name (ON=tests/game/test_daily.py: some of them)
# make test-kernels
#                nightly: the tests of values and choices with the machine code that OpenBLAS, numpy and
#                numba have for other processors (KERNELS_ON=tests/solver/test_made_up_rulesets.py: some)
# make test-newest
#                the quick half of what Django carries, with the newest of everything and the
#                newest Django, on Python 3.13 where there is one
# make check     tests, linters, types, migrations; CI runs this, make test-postgres and make test-newest
# make format    rewrite the code as the linters want it
# make snapshots compare pages, exports, values and the coach with the snapshots of tests/snapshots/before/
#                (ONLY=solver,coach: some of them)
# make bench     the figures of speed in the documents, measured on this machine; they are stored in
#                docs/speed.json, from which README.md and docs/lab.md are written
# make pocket    the solver as WebAssembly, built anew into static/pocket from solver/pocket/kernel.c
#                by the compiler that solver/pocket/compiler.txt names
# make learn-report
#                what each choice of a policy gradient matters, as var/learn/report.md: hours of a
#                core, gone on with where it was left (LEARN='--games 5000 --seeds 1' is smaller)
# make load      people by the hundred on a server of its own: PEOPLE=200 SECONDS=60 THINK=3
#                ARRIVE=12 (seconds in which they come) PROCESSES=1, with DATABASE_URL and REDIS_URL
#                where they are set; or WATCHERS=600 of one game, and how late they see its moves
# make faults    what can go wrong with a server, done to real ones while people play: a table of what
#                they saw and what was lost (ONLY=disk,PostgreSQL: some of them)
# make release-check
#                what a release still lacks: translations that are missing or unsure
# make mutants   break the lines that differ from main, one at a time, and see whether the tests notice
#                (SINCE=HEAD~1: from another commit; IN=game/practice: all of that; TESTS: which)

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8000
SINCE ?= main
PEOPLE ?= 200
SECONDS ?= 60
THINK ?= 3
PROCESSES ?= 1
WATCHERS ?= 0
BIN := .venv/bin
# By the file, so that what a file has made for its tests is made once. Compiled Python is kept:
# the tests start many processes.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
# The solver knows of no database, and these tests would get the same answer from any: they check what is
# drawn, worded or calculated. A new file of tests runs on both databases.
ANY_DATABASE := api arm_pages arm_texts assignment blinding coach damaged_tables deploy dice_test_page doors drawing \
	duel_words ending equation explore faults hint_here kinds lab lab_play lab_rules label_keys leak_page \
	offline_coach playbook questions questions_editing questions_file reasons review rulesets slips \
	solve_here spoken story study tables thinking transcript translations trial_analysis trial_plan \
	trial_rules trials_of_more turns ways_listed worth_saying writers
STORED := $(filter-out $(ANY_DATABASE:%=tests/game/test_%.py),$(wildcard tests/game/test_*.py))
PUSHED := $(patsubst %,tests/browser/test_%.py,two_processes line duels trials)
# Services, pages and sockets, each at its quickest, and what is used without a promise.
QUICK := tests/test_private_parts.py $(patsubst %,tests/game/test_%.py,\
	game_machine api trials pages commands duel_pages listening layer live prepared accounts)
PLAYING := .venv/.playing
READY := .venv/.installed

.PHONY: install play browser test test-all test-alone test-dates test-kernels test-postgres test-postgres-all test-newest check lint format bench compiler pocket snapshots learn-report load faults release-check mutants clean

install: $(READY)
	@$(BIN)/python -m game.management.catalogues

$(PLAYING): pyproject.toml constraints.txt install.py
	$(PYTHON) install.py play
	@touch $@

$(READY): pyproject.toml constraints.txt install.py
	$(PYTHON) install.py dev
	@touch $(PLAYING) $@

play: $(PLAYING)
	$(BIN)/python manage.py play --port $(PORT)

browser: install
	$(BIN)/python -m tests.browser.chromium

test: browser
	$(PYTEST)

test-all: browser compiler
	$(PYTEST) --nightly

test-alone: browser
	$(PYTEST) --ds=tests.without_trials tests/game

test-postgres: browser
	$(BIN)/python -m tests.services env $(PYTEST) $(STORED) $(PUSHED)

test-postgres-all: browser
	$(BIN)/python -m tests.services env $(PYTEST) --nightly tests/game $(PUSHED)

DAYS := 2026-12-31_23:40:00 2027-01-01_00:10:00 2027-03-28_01:30:00 2028-02-29_23:20:00 2030-06-02_12:00:00
# The system dates files itself, and faketime needs files of its own where a test has a full disk.
ON := $(filter-out %/test_copies.py %/test_doctor.py,$(wildcard tests/game/test_*.py))

VALUED := $(patsubst %,tests/solver/test_%.py,advice compiled_network distribution evaluation exact_values faces grading kernels large \
	made_up_rulesets maxi_solved outlook playbook players pocket positions readings same_value \
	saved_throws solver why winning) \
	tests/solver/learning

test-kernels: install
	settings=$$($(BIN)/python -m tests.solver.kernels settings) || exit 1; \
	for setting in $$settings; do \
		echo "The kernels of $$setting"; \
		env $$setting $(PYTEST) $(or $(KERNELS_ON),$(VALUED)) || exit 1; \
	done

test-dates: install
	for day in $(DAYS); do \
		echo "The clock of $$day"; \
		TZ=UTC FAKETIME_DONT_FAKE_MONOTONIC=1 faketime "$$(echo $$day | tr _ ' ')" env $(PYTEST) $(ON) || exit 1; \
	done

test-newest:
	$(PYTHON) install.py newest
	PYTHONDONTWRITEBYTECODE= .venv-newest/bin/python -m pytest --numprocesses auto --dist loadfile $(QUICK)

check: lint test

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	git ls-files -z '*templates/*.html' | xargs -0 $(BIN)/djade --check --target-version 5.2
	$(BIN)/python manage.py check
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python -m tests.budgets

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	git ls-files -z '*templates/*.html' | xargs -0 $(BIN)/djade --target-version 5.2

bench: install
	$(BIN)/python -m tests.speed

compiler: install
	$(PYTHON) -m pip --python $(BIN)/python install --quiet -r solver/pocket/compiler.txt

pocket: compiler
	$(BIN)/python -m solver.pocket.build

snapshots: install
	$(BIN)/python -m tests.snapshots take var/snapshots $(if $(ONLY),--only $(ONLY))
	$(BIN)/python -m tests.snapshots compare tests/snapshots/before var/snapshots $(if $(ONLY),--only $(ONLY))

learn-report: install
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m solver learn ablate all --out var/learn $(LEARN)

load: install
	$(BIN)/python -m tests.load --people $(PEOPLE) --seconds $(SECONDS) --think $(THINK) --processes $(PROCESSES) \
		--watchers $(WATCHERS) $(if $(ARRIVE),--arrive $(ARRIVE))

faults: install
	$(BIN)/python -m tests.faults --only "$(ONLY)"

release-check: install
	$(BIN)/python manage.py translations

mutants: install
	$(BIN)/python -m tests.mutants $(IN) --since $(SINCE) $(if $(TESTS),--tests $(TESTS))

clean:
	rm -rf .venv .venv-newest .uv build *.egg-info var/static
