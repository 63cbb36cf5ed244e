"""Trials with arms, by way of the pages and commands: made, watched, played, rehearsed."""

import hashlib
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from game.models import DrillAttempt, Game, Player
from game.trials.design.phases import ArmSettings, derive_list_seed
from game.trials.design.reading import make_trial_seal
from game.trials.design.writing import close_trial
from game.trials.exports.files import Export
from game.trials.joining.writing import start_trial_game
from game.trials.models import Participant, Trial, TrialGame
from game.trials.rehearsal import Pupil
from game.trials.results.results import calculate_results
from solver.advice import Advisor
from solver.arena.match import make_random_blocks
from solver.players.erring import make_bots
from solver.rules import YATZY, Hold, play, start_state
from tests.game.export_reference import every_fault
from tests.known import known
from tests.play import Browser, text
from tests.trials import drawn, finish, new_trial, next_game, researcher_user, take_part

pytestmark = pytest.mark.django_db
COACHED = ArmSettings("after", coach="after")


@pytest.fixture
def researcher(browser: Browser) -> Browser:
    browser.force_login(researcher_user("rosa"))
    return browser


def one_armed(arm: ArmSettings, **settings: Any) -> Participant:
    trial = new_trial(arms=[arm], **({"games_each": 1, "questionnaire": False} | settings))
    return trial.participants.get(number=1)


# Made and watched by staff


def test_the_page_counts_what_was_given_and_names_no_arm_before(researcher: Browser) -> None:
    trial = new_trial(arms=[ArmSettings("plain"), COACHED], places=4)

    def shown() -> list[str]:
        page = text(researcher.get("/trials/study/monitor/"))
        rows = re.findall(r'<tr id="participant-\d+".*?</tr>', page, re.DOTALL)
        return [", ".join(re.findall(r"\b(?:plain|after|Training)\b", row)) for row in rows]

    assert shown() == [""] * 4
    one = drawn(trial, 3)
    name = known(one.arm).name
    assert shown() == ["", "", name, ""]
    start_trial_game(participant=one)
    assert shown() == ["", "", f"{name}, Training", ""]


@pytest.mark.parametrize("version", [1, 2])
def test_the_seal_is_shown_at_once_and_its_seed_when_the_trial_is_closed(
    researcher: Browser, version: int
) -> None:
    trial = new_trial(arms=[ArmSettings("off"), COACHED])
    assert trial.seal_version == 2
    Trial.objects.update(seal_version=version)
    trial.refresh_from_db()
    seed, seal = derive_list_seed(trial.seed), make_trial_seal(trial)
    if version == 1:  # as trials of an earlier version showed it: it binds the names alone
        names_alone = f'["{seed}","between","off","after"]'
        assert seal == hashlib.sha256(names_alone.encode()).hexdigest()
    page = text(researcher.get("/trials/study/monitor/"))
    assert (seal in page, seed in page) == (True, False)
    trial.arms.filter(name="after").update(coach="live")
    assert (make_trial_seal(trial) == seal) == (version == 1)
    close_trial(trial=trial)
    assert seed in text(researcher.get("/trials/study/monitor/"))


# Played


def offered_points(browser: Browser, game: Game) -> list[str]:
    page = text(browser.get(f"/games/{game.pk}/"))
    return re.findall(r'<span class="box__points" aria-hidden="true">(.*?)</span>', page)


def test_a_card_hides_its_points_in_training_alone_and_can_be_played(browser: Browser) -> None:
    one = one_armed(ArmSettings("paper", offered_points=False), ruleset="yahtzee", games_before=1)
    take_part(browser, one)
    game = next_game(browser)
    assert all(offered_points(browser, game))
    finish(game)
    game = next_game(browser)
    assert offered_points(browser, game) == [""] * 13
    page = text(browser.get(f"/games/{game.pk}/"))
    assert "data-nothing" not in page
    assert "for these dice" not in page
    done = browser.act(game, "score", seq=1, category="chance")
    assert re.search(r'box--used.*?box__points" aria-hidden="true">\d+', text(done), re.DOTALL)


def test_hidden_points_are_not_told_by_the_player_s_own_questions_either(browser: Browser) -> None:
    one = one_armed(ArmSettings("paper", offered_points=False))
    take_part(browser, one)
    game = next_game(browser)
    one.refresh_from_db()
    Player.objects.filter(pk=known(one.player).pk).update(confirm_costly=True, confirm_boxes=True)
    for box in YATZY.categories:
        asked = text(browser.act(game, "score", seq=1, category=box.id, confirmed=""))
        assert "Fill " in asked
        assert not re.search(r"Score \d+ in|\d points?\?|Another open box", asked)
    assert game.decisions.count() == 1


def test_the_page_says_whether_a_coach_comes_and_when_the_follow_up_begins(
    browser: Browser,
) -> None:
    one = one_armed(COACHED, games_before=1, games_follow_up=1, follow_up_days=10)
    take_part(browser, one)
    assert "coach" not in text(browser.get("/take-part/"))
    assert "your group in this trial" not in text(browser.get("/take-part/withdraw"))
    finish(next_game(browser))
    browser.post("/take-part/game")
    assert "your group in this trial" in text(browser.get("/take-part/withdraw"))
    assert "a coach next to your card" in text(browser.get("/take-part/"))
    finish(next_game(browser))
    page = text(browser.get("/take-part/"))
    last = Game.objects.get(trial_game__number=2)
    day = known(last.finished_at) + timedelta(days=10)
    assert f"{day:%b}\u00a0{day.year}" in page
    assert day.strftime('<time datetime="%Y-%m-%dT') in page
    assert 'id="next-game"' not in page
    assert browser.post("/take-part/game").status_code == 409
    for game in Game.objects.all():
        finish(game, days_ago=11)
    assert 'id="next-game"' in text(browser.get("/take-part/"))
    assert next_game(browser).trial_game.phase == "follow_up"
    browser.post("/take-part/withdraw", {"confirm": "on"})
    one.refresh_from_db()
    assert (known(one.arm).name, one.player) == ("after", None)  # the group is kept


@pytest.mark.usefixtures("yatzy_tables")
def test_the_drill_is_open_between_the_games_of_the_training_and_at_no_other_time(
    browser: Browser,
) -> None:
    arm = ArmSettings("drilled", drill=True)
    one = one_armed(arm, games_before=1, games_each=2, games_after=1)
    take_part(browser, one)

    def drill() -> int:
        return browser.get("/drill/").status_code

    assert drill() == 403  # a silent game comes next
    assert "Practise" not in text(browser.get("/take-part/"))
    game = next_game(browser)
    assert drill() == 403
    finish(game)
    assert drill() == 403  # which arm it is nobody knows yet
    browser.post("/take-part/game")
    assert drill() == 200  # the training begins
    assert "Practise" in text(browser.get("/take-part/"))
    page = text(browser.get("/drill/"))
    fields = dict(re.findall(r'name="(of|seq)" value="([^"]+)"', page))
    box = known(re.search(r'name="category" value="([^"]+)"', page))[1]
    answered = browser.post("/drill/", fields | {"category": box})
    again = answered.headers["Location"].strip("/").replace("/", "-")
    for address in (answered.headers["Location"], f"/drill/again/?of={again}&category={box}"):
        assert "/explore/" not in text(browser.get(address))
    assert browser.get("/drill/history/").status_code == 403
    game = next_game(browser)
    assert drill() == 403
    finish(game)
    assert drill() == 200
    finish(next_game(browser))
    assert drill() == 403  # the silent game after it comes next
    finish(next_game(browser))
    assert drill() == 403  # somebody else may come to this browser
    close_trial(trial=one.trial)
    assert drill() == 200
    assert DrillAttempt.objects.count() == 1


# Rehearsed, exported


@pytest.mark.usefixtures("yatzy_tables")
def test_games_by_other_rules_are_exported_and_not_mixed_into_the_results(
    browser: Browser, tmp_path: Path
) -> None:
    trial = new_trial(arms=[ArmSettings("yahtzee", ruleset="yahtzee")], games_each=1)
    take_part(browser, trial.participants.get(number=1))
    game = next_game(browser)
    assert game.ruleset == "yahtzee"
    Export(trial).write(tmp_path)
    assert every_fault(trial, tmp_path) == []
    finish(game)
    told = " ".join(calculate_results(trial).sentences["caveats"])
    assert "Finished games of arms with other rules or dice (1)" in told


def test_a_taught_bot_does_the_best_in_so_many_more_of_its_decisions(advisor: Advisor) -> None:
    """It corrects its given share of the decisions that its luck would have got wrong."""
    state = play(start_state(YATZY), Hold(0), make_random_blocks(1, 1, YATZY)[0])
    coached, silent = (Game(coach=coach) for coach in ("after", "off"))
    for number, game in enumerate((coached, silent), start=1):
        TrialGame(game=game, number=number)

    def wrong(effect: float, game: Game, *, taught: bool) -> int:
        (bot,) = make_bots(1, 3)
        pupil = Pupil(bot, effect, taught=taught)
        best = Pupil(make_bots(1, 3)[0], 1.0, taught=True).choose(advisor, state, game)
        return sum(pupil.choose(advisor, state, game) != best for _ in range(1000))

    before, after = wrong(0.5, silent, taught=False), wrong(0.5, silent, taught=True)
    error = (3 * before / 4) ** 0.5
    assert before > 250
    assert abs(after - before / 2) < 4 * error
    assert wrong(1.0, coached, taught=False) == 0
    assert abs(wrong(0.0, coached, taught=False) - before) < 4 * (2 * before) ** 0.5
