"""Participants round one table: one tablet goes round, and the page says whose turn it is."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from game.core.game_queries import replay_game
from game.core.kind import find_kind
from game.core.playing import hold_dice
from game.core.refusals import Refused
from game.models import Game
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import STUDY, configure_trial
from game.trials.joining.links import make_link_path
from game.trials.joining.progress import find_table
from game.trials.joining.writing import start_trial_game
from game.trials.models import Participant, Trial
from solver.rules import YATZY
from tests.known import known
from tests.play import Browser
from tests.trials import CONSENT, joined, new_trial, place_game

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]
WHO = ("--researcher=Ada", "--contact=ada@example.org", "--ethics=7")


def seat(trial: Trial, number: int) -> Participant:
    return trial.participants.select_related("trial").get(number=number)


def sits_down(browser: Browser, participant: Participant) -> None:
    assert browser.get(make_link_path(participant)).status_code == 302
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    browser.post("/take-part/answers", {"experience": "child"})


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


@pytest.fixture
def trial() -> Trial:
    return new_trial(dice="real", round_table=True)


@pytest.fixture
def tablet(trial: Trial) -> Browser:
    browser = Browser()
    for number in (1, 2, 3):
        sits_down(browser, seat(trial, number))
    return browser


def test_the_dice_go_round_and_the_browser_plays_as_whose_turn_it_is(
    trial: Trial, tablet: Browser
) -> None:
    order = []
    for box in ("chance", "ones"):
        for _ in range(3):
            game = passed(tablet)
            order.append(here(tablet))
            assert game.trial_game.participant.label == order[-1]
            assert filled(tablet, game, box) == 302
    assert order == ["P01", "P02", "P03"] * 2
    assert [len(replay_game(game).actions) for game in Game.objects.all()] == [4, 4, 4]


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
    tablet.get(make_link_path(seat(trial, 1)))
    tablet.post("/take-part/page", {"state": "shown"})
    assert passed(tablet) == third
    filled(tablet, third)
    assert passed(tablet).trial_game.participant.label == "P01"


def test_who_leaves_for_a_rest_holds_nobody_up(trial: Trial, tablet: Browser) -> None:
    passed(tablet)
    assert here(tablet) == "P01"
    answer = tablet.post("/take-part/leave", follow=True)
    assert "You have left this device" in answer.text
    assert here(tablet) == "P02"
    assert "P01" not in known(find_table(seat(trial, 2))).labels
    filled(tablet, passed(tablet))
    assert passed(tablet).trial_game.participant.label == "P03"


def test_who_withdraws_leaves_the_browser_to_the_others(trial: Trial, tablet: Browser) -> None:
    passed(tablet)
    tablet.post("/take-part/withdraw", {"confirm": "on"})
    assert here(tablet) == "P02"
    assert seat(trial, 1).table == ""


def test_the_last_one_leaves_the_browser_to_nobody(trial: Trial, tablet: Browser) -> None:
    for _ in range(3):
        tablet.post("/take-part/leave")
    assert tablet.get("/take-part/").status_code == 403


def test_late_comers_take_turns_and_play_nothing_in_a_row(trial: Trial) -> None:
    browser = Browser()
    sits_down(browser, seat(trial, 1))
    for box in ("chance", "ones", "twos"):
        filled(browser, passed(browser), box)
    sits_down(browser, seat(trial, 2))
    whose = []
    for box in ("threes", "fours"):
        for _ in range(2):
            whose.append(passed(browser).trial_game.participant.label)
            filled(browser, passed(browser), box)
    assert whose == ["P01", "P02", "P01", "P02"]


def test_who_has_played_everything_is_passed_over(trial: Trial, tablet: Browser) -> None:
    game = passed(tablet)
    done = game.trial_game.participant
    for number in (1, 2):
        Game.objects.filter(trial_game__participant=done, trial_game__number=number).delete()
        place_game(
            done, number, real_dice=True, started_at=trial.created_at, finished_at=trial.created_at,
            final_score=200, bonus=0, nonce=f"over-{number}",
        )  # fmt: skip
    assert known(find_table(seat(trial, 2))).labels == ["P02", "P03"]
    assert "Pass to P02" in tablet.get("/take-part/").text


def test_after_their_last_game_they_are_asked_and_told_the_rest_before_they_pass() -> None:
    browser = Browser()
    trial = new_trial(dice="real", round_table=True, games_each=1)
    for number in (1, 2):
        sits_down(browser, seat(trial, number))
    turns = [box.id for box in YATZY.categories for _ in (1, 2)]
    for box in turns[:-1]:
        game = passed(browser)
        assert filled(browser, game, box) == 302
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
        at = trial.created_at + timedelta(minutes=10 - number)
        one = seat(trial, number)
        place_game(
            one, 1, real_dice=True, started_at=at, finished_at=at, final_score=200, bonus=0,
            nonce=f"over-{number}",
        )  # fmt: skip
        agreed = trial.created_at - timedelta(days=10 - number)
        Participant.objects.filter(pk=one.pk).update(consented_at=agreed)
    assert passed(tablet).trial_game.participant.label == "P03"


def test_six_tablets_are_six_tables(trial: Trial) -> None:
    browsers = [Browser(), Browser()]
    for number, browser in enumerate(browsers, start=1):
        sits_down(browser, seat(trial, number))
    for browser in browsers:
        game = passed(browser)
        for box in ("chance", "ones"):
            assert filled(browser, game, box) == 302
    assert known(find_table(seat(trial, 1))).labels == ["P01"]


def test_whoever_goes_on_elsewhere_sits_there(trial: Trial, tablet: Browser) -> None:
    own = Browser()
    own.get(make_link_path(seat(trial, 2)))
    own.post("/take-part/game")
    assert known(find_table(seat(trial, 2))).labels == ["P02"]
    assert known(find_table(seat(trial, 1))).labels == ["P01", "P03"]


def test_who_comes_elsewhere_is_not_handed_the_table_that_they_left(
    trial: Trial, tablet: Browser
) -> None:
    own = Browser()
    own.get(make_link_path(seat(trial, 2)))
    assert passed(own).trial_game.participant.label == "P02"


def test_without_a_table_two_do_not_share_a_browser() -> None:
    trial, browser = new_trial(), Browser()
    sits_down(browser, seat(trial, 1))
    assert browser.get(make_link_path(seat(trial, 2))).status_code == 403
    assert seat(trial, 1).table == ""
    assert browser.post("/take-part/pass").headers["Location"] == "/take-part/"


def test_who_is_screened_out_is_passed_over(trial: Trial, tablet: Browser) -> None:
    trial.participants.filter(number=1).update(screened_out_at=trial.created_at)
    assert known(find_table(seat(trial, 2))).labels == ["P02", "P03"]


def test_before_the_first_page_of_their_own_nobody_sits_anywhere(trial: Trial) -> None:
    """Two who agreed and have not been seen in a browser do not wait for each other."""
    for number in (1, 2):
        assert find_table(joined(trial, number)) is None


def test_a_trial_that_is_no_table_any_more_has_no_turns(trial: Trial, tablet: Browser) -> None:
    configure_trial(trial=trial, consent=CONSENT, round_table=False)
    assert find_table(seat(trial, 1)) is None
    for number in (2, 1):
        game = start_trial_game(participant=seat(trial, number)).game
        assert find_kind(game).waits == ""


def test_of_another_trial_nobody_sits_down(trial: Trial, tablet: Browser) -> None:
    other = new_trial(slug="other", round_table=True)
    assert tablet.get(make_link_path(seat(other, 1))).status_code == 403


def test_who_is_still_asked_something_is_asked_when_it_is_their_turn(trial: Trial) -> None:
    browser = Browser()
    sits_down(browser, seat(trial, 1))
    browser.get(make_link_path(seat(trial, 2)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    filled(browser, passed(browser))
    trial.consents.create(version=2, text="Another text.")
    assert browser.post("/take-part/pass").headers["Location"] == "/take-part/"
    assert here(browser) == "P02"


def test_who_has_no_arm_yet_is_told_of_it_when_it_is_their_turn() -> None:
    """The lot falls for the reader of the page, and never when somebody else passes on."""
    trial, browser = new_trial(arms=[ArmSettings("one")], round_table=True, dice="real"), Browser()
    for number in (1, 2):
        sits_down(browser, seat(trial, number))
    for label, number in (("P01", 1), ("P02", 2)):
        assert browser.post("/take-part/pass").headers["Location"] == "/take-part/"
        assert here(browser) == label
        assert seat(trial, number).draw is None
        assert browser.post("/take-part/game").headers["Location"] == "/take-part/"
        assert seat(trial, number).draw == number
        assert filled(browser, passed(browser)) == 302
    assert here(browser) == "P02"
    assert passed(browser).trial_game.participant.label == "P01"


def test_the_table_is_on_everybodys_page(trial: Trial, tablet: Browser) -> None:
    page = tablet.get("/take-part/").text
    assert "On this device: P01, P02, P03." in page
    assert "Pass to P01" in page
    tablet.post("/take-part/pass")
    assert "Pass to" not in tablet.get("/take-part/").text


def test_where_nobody_takes_turns_nothing_is_asked_of_the_database() -> None:
    trial = new_trial()
    one = seat(trial, 1)
    with CaptureQueriesContext(connection) as asked:
        assert find_table(one) is None
    assert not asked


def test_the_table_costs_one_query(trial: Trial, tablet: Browser) -> None:
    one = seat(trial, 1)
    with CaptureQueriesContext(connection) as asked:
        assert known(find_table(one)).labels == ["P01", "P02", "P03"]
    assert len(asked) == 1


def test_a_referee_corrects_a_throw_and_what_was_typed_first_stays(
    trial: Trial, tablet: Browser
) -> None:
    game = passed(tablet)
    thrown(tablet, game)
    facts = {"seq": 1, "entries": 1, "faces": "1 2 3 4 5", "correction": "1"}
    tablet.post(f"/games/{game.pk}/throw", facts)
    rows = game.throws.order_by("number").values_list("number", "faces")
    assert list(rows) == [(0, "12346"), (1, "12345")]


# The preset


def test_the_preset_is_the_published_study() -> None:
    assert STUDY.settings["places"] == 6
    assert STUDY.settings["games_each"] == 50
    assert STUDY.settings["ruleset"] == YATZY.id


def test_the_command_repeats_the_study(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("trial_create", "again", "--preset=study", "--open", *WHO)
    trial = Trial.objects.get()
    assert (trial.places, trial.games_each, trial.dice) == (6, 50, "real")
    assert (trial.round_table, trial.shared_dice, trial.ruleset) == (True, False, "yatzy")
    assert "6 x 50 games of Scandinavian Yatzy" in capsys.readouterr().out


def test_what_is_said_counts_more_than_the_preset() -> None:
    call_command("trial_create", "small", "--preset=study", "--participants=2", "--dice=virtual")
    trial = Trial.objects.get()
    assert (trial.places, trial.games_each, trial.dice) == (2, 50, "virtual")


def test_without_a_preset_everything_is_as_usual() -> None:
    call_command("trial_create", "plain")
    trial = Trial.objects.get()
    assert (trial.places, trial.games_each, trial.dice) == (6, 50, "virtual")
    assert not trial.round_table
    call_command("trial_create", "round", "--round-table")
    assert Trial.objects.get(slug="round").round_table
