"""Participants round one table: one tablet goes round, and the page says whose turn it is."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from game.core.game_queries import replay_game
from game.core.kind import find_kind
from game.core.playing import hold_dice
from game.core.refusals import Refused
from game.models import Game
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import configure_trial
from game.trials.joining.links import make_link_path
from game.trials.joining.progress import find_table
from game.trials.joining.writing import start_trial_game
from game.trials.models import Participant, Trial
from solver.rules import YATZY
from tests.known import known
from tests.play import Browser
from tests.trials import CONSENT, joined, new_trial, person, place_game, take_part

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]


def here(browser: Browser) -> str:
    page = browser.get("/take-part/").text
    return page.split("You take part as ")[1].split(".")[0]


def passed(browser: Browser) -> Game:
    answer = browser.post("/take-part/pass")
    return Game.objects.get(pk=answer.headers["Location"].split("/")[2])


def thrown(browser: Browser, game: Game) -> int:
    played = replay_game(game)
    facts = {"seq": len(played.actions), "entries": played.entries, "faces": "1 2 3 4 6"}
    return int(browser.post(f"/games/{game.pk}/throw", facts).status_code)


def filled(browser: Browser, game: Game, box: str = "chance") -> int:
    thrown(browser, game)
    seq = len(replay_game(game).actions)
    return int(browser.post(f"/games/{game.pk}/score", {"seq": seq, "category": box}).status_code)


def rounds(browser: Browser, turns: int, *boxes: str) -> list[str]:
    """Play so many turns for each box; return whose turns they were, as the pages say."""
    whose = []
    for box in boxes:
        for _ in range(turns):
            game = passed(browser)
            whose.append(here(browser))
            assert game.trial_game.participant.label == whose[-1]
            assert filled(browser, game, box) == 302
    return whose


def labels_at(trial: Trial, number: int) -> list[str]:
    return known(find_table(person(trial, number))).labels


def give_game_over(participant: Participant, number: int, at: datetime) -> None:
    ended: dict[str, Any] = {"started_at": at, "finished_at": at, "final_score": 200, "bonus": 0}
    nonce = f"over-{participant.number}-{number}"
    place_game(participant, number, real_dice=True, nonce=nonce, **ended)


@pytest.fixture
def trial() -> Trial:
    return new_trial(dice="real", round_table=True)


@pytest.fixture
def tablet(trial: Trial) -> Browser:
    browser = Browser()
    for number in (1, 2, 3):
        take_part(browser, person(trial, number))
    return browser


def test_the_dice_go_round_and_the_browser_plays_as_whose_turn_it_is(
    trial: Trial, tablet: Browser
) -> None:
    page = tablet.get("/take-part/").text
    assert "On this device: P01, P02, P03." in page
    assert "Pass to P01" in page
    assert rounds(tablet, 3, "chance", "ones") == ["P01", "P02", "P03"] * 2
    assert [len(replay_game(game).actions) for game in Game.objects.all()] == [4, 4, 4]
    tablet.post("/take-part/pass")
    assert "Pass to" not in tablet.get("/take-part/").text


def test_who_is_not_next_is_told_and_can_do_nothing(trial: Trial, tablet: Browser) -> None:
    first = passed(tablet)
    filled(tablet, first)
    page = tablet.get(f"/games/{first.pk}/").text
    assert "Pass the dice to P02." in page
    assert 'formaction="/take-part/pass"' in page
    assert "Pass to P02" in page
    assert thrown(tablet, first) == 409
    with pytest.raises(Refused, match="P02's turn"):
        hold_dice(game_id=first.pk, player=first.player, seq=2, slots=0)


def test_a_turn_under_way_is_ended_before_it_is_anybody_elses(
    trial: Trial, tablet: Browser
) -> None:
    tablet.post("/take-part/pass")
    tablet.post("/take-part/leave")
    second = passed(tablet)
    assert second.trial_game.participant.label == "P02"
    filled(tablet, second)
    third = passed(tablet)
    thrown(tablet, third)
    tablet.get(make_link_path(person(trial, 1)))
    tablet.post("/take-part/page", {"state": "shown"})
    assert passed(tablet) == third
    filled(tablet, third)
    assert passed(tablet).trial_game.participant.label == "P01"


def test_who_leaves_for_a_rest_holds_nobody_up_and_the_last_leaves_the_browser_to_nobody(
    trial: Trial, tablet: Browser
) -> None:
    passed(tablet)
    assert here(tablet) == "P01"
    tablet.post("/take-part/leave")
    assert here(tablet) == "P02"
    assert "P01" not in labels_at(trial, 2)
    filled(tablet, passed(tablet))
    assert passed(tablet).trial_game.participant.label == "P03"
    tablet.post("/take-part/withdraw", {"confirm": "on"})  # who withdraws leaves it as well
    assert (here(tablet), person(trial, 3).table) == ("P02", "")
    tablet.post("/take-part/leave")
    assert tablet.get("/take-part/").status_code == 403


def test_late_comers_take_turns_and_play_nothing_in_a_row(trial: Trial) -> None:
    browser = Browser()
    take_part(browser, person(trial, 1))
    rounds(browser, 1, "chance", "ones", "twos")
    take_part(browser, person(trial, 2))
    assert rounds(browser, 2, "threes", "fours") == ["P01", "P02"] * 2


def test_who_has_played_everything_or_is_screened_out_is_passed_over(
    trial: Trial, tablet: Browser
) -> None:
    done = passed(tablet).trial_game.participant
    Game.objects.filter(trial_game__participant=done).delete()
    for number in (1, 2):
        give_game_over(done, number, trial.created_at)
    assert labels_at(trial, 2) == ["P02", "P03"]
    assert "Pass to P02" in tablet.get("/take-part/").text
    trial.participants.filter(number=3).update(screened_out_at=trial.created_at)
    assert labels_at(trial, 2) == ["P02"]


def test_after_their_last_game_they_are_asked_and_told_the_rest_before_they_pass() -> None:
    browser = Browser()
    trial = new_trial(dice="real", round_table=True, games_each=1)
    for number in (1, 2):
        take_part(browser, person(trial, number))
    turns = [box.id for box in YATZY.categories for _ in (1, 2)]
    rounds(browser, 1, *turns[:-1])
    game = Game.objects.get(finished_at__isnull=False)
    over = browser.get(f"/games/{game.pk}/").text
    assert "That was the last game" in over
    assert "Pass to" not in over
    page = browser.get("/take-part/").text
    assert 'name="strategy"' in page
    assert page.index('name="strategy"') < page.index("Pass to P02")


def test_after_a_game_the_next_one_is_for_who_has_waited_longest(
    trial: Trial, tablet: Browser
) -> None:
    for number in (1, 2, 3):
        one = person(trial, number)
        give_game_over(one, 1, trial.created_at + timedelta(minutes=10 - number))
        agreed = trial.created_at - timedelta(days=10 - number)
        Participant.objects.filter(pk=one.pk).update(consented_at=agreed)
    assert passed(tablet).trial_game.participant.label == "P03"


def test_two_tablets_are_two_tables_and_who_goes_on_elsewhere_sits_there(
    trial: Trial, tablet: Browser
) -> None:
    own = Browser()
    own.get(make_link_path(person(trial, 2)))
    assert labels_at(trial, 2) == ["P01", "P02", "P03"]
    assert rounds(own, 1, "chance", "ones") == ["P02"] * 2
    assert (labels_at(trial, 2), labels_at(trial, 1)) == (["P02"], ["P01", "P03"])
    assert rounds(tablet, 2, "chance") == ["P01", "P03"]


def test_without_a_table_and_at_that_of_another_trial_nobody_sits_down(
    trial: Trial, tablet: Browser
) -> None:
    other = new_trial(slug="other", round_table=True)
    assert tablet.get(make_link_path(person(other, 1))).status_code == 403
    usual, browser = new_trial(slug="usual"), Browser()
    take_part(browser, person(usual, 1))
    assert browser.get(make_link_path(person(usual, 2))).status_code == 403
    assert person(usual, 1).table == ""
    assert browser.post("/take-part/pass").headers["Location"] == "/take-part/"


def test_a_trial_that_is_no_table_any_more_has_no_turns(trial: Trial, tablet: Browser) -> None:
    configure_trial(trial=trial, consent=CONSENT, round_table=False)
    assert find_table(person(trial, 1)) is None
    for number in (2, 1):
        game = start_trial_game(participant=person(trial, number)).game
        assert find_kind(game).waits == ""


def test_who_is_still_asked_something_is_asked_when_it_is_their_turn(trial: Trial) -> None:
    browser = Browser()
    take_part(browser, person(trial, 1))
    browser.get(make_link_path(person(trial, 2)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    filled(browser, passed(browser))
    trial.consents.create(version=2, text="Another text.")
    assert browser.post("/take-part/pass").headers["Location"] == "/take-part/"
    assert here(browser) == "P02"


def test_who_has_no_arm_yet_is_told_of_it_when_it_is_their_turn() -> None:
    """The lot falls for the reader of the page, and never when somebody else passes on."""
    trial, browser = new_trial(arms=[ArmSettings("one")], round_table=True, dice="real"), Browser()
    for number in (1, 2):
        take_part(browser, person(trial, number))
    for label, number in (("P01", 1), ("P02", 2)):
        assert browser.post("/take-part/pass").headers["Location"] == "/take-part/"
        assert here(browser) == label
        assert person(trial, number).draw is None
        assert browser.post("/take-part/game").headers["Location"] == "/take-part/"
        assert person(trial, number).draw == number
        assert filled(browser, passed(browser)) == 302
    assert here(browser) == "P02"
    assert passed(browser).trial_game.participant.label == "P01"


@pytest.mark.parametrize("queries", [0, 1])
def test_the_table_costs_one_query_and_none_where_nobody_takes_turns(
    trial: Trial, tablet: Browser, queries: int
) -> None:
    one = person(trial if queries else new_trial(slug="usual"), 1)
    unseen = [joined(new_trial(slug="unseen", round_table=True), 1)]
    unseen += [joined(unseen[0].trial, 2)]  # who was not seen in a browser waits for nobody
    assert [find_table(other) for other in unseen] == [None] * 2
    with CaptureQueriesContext(connection) as asked:
        assert bool(find_table(one)) == bool(queries)
    assert len(asked) == queries
