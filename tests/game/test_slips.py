"""A box is not filled by a slip: what is asked first, and what can be taken back."""

from html import unescape
from operator import itemgetter
from types import SimpleNamespace

import pytest

from game.core.game_queries import FIRST_GAMES, replay_game
from game.core.words import phrases
from game.core.words.speech import Speaker
from game.models import Game, Player
from solver.rules import YATZY
from tests.game.rulesets import finished_game
from tests.game.test_parties import cards, filled, party_of, played_out, thrown, turn_of
from tests.play import BOXES, Browser, score_all, score_next, stored
from tests.trials import new_trial, next_game, take_part

pytestmark = pytest.mark.django_db


def nothing(game: Game) -> str:
    state = replay_game(game).state
    return YATZY.categories[min(box for box, points in state.offers.items() if not points)].id


def speaker(**facts: object) -> Speaker:
    return Speaker(SimpleNamespace(**facts), {"points": phrases.format_points})


@pytest.mark.parametrize("htmx", [True, False])
def test_a_0_is_asked_about_in_every_game_and_one_press_confirms(
    browser: Browser, htmx: bool
) -> None:
    for _game in range(FIRST_GAMES):
        game = browser.start()
        score_all(replay_game(game), game.player)
    game = browser.start()
    box = nothing(game)
    asked = browser.act(game, "score", htmx=htmx, seq=1, category=box, confirmed="")
    assert asked.context["board"].confirm.id == box
    assert 'name="confirmed" value="1"' in asked.text
    assert len(stored(game)) == 1
    browser.act(game, "score", htmx=htmx, seq=1, category=box)
    assert stored(game)[1] == (1, None, box)


def test_an_early_box_is_asked_about_in_the_first_three_games(browser: Browser) -> None:
    for number in range(FIRST_GAMES):
        game = browser.start()
        asked = browser.act(game, "score", seq=1, category="chance", confirmed="")
        assert 'id="hint"' not in asked.text  # the coach did not ask
        assert "You have 2 more rolls." in unescape(asked.text).replace("\xa0", " "), number
        score_all(replay_game(game), game.player)
    game = browser.start()
    browser.act(game, "score", seq=1, category="chance", confirmed="")
    assert stored(game)[1] == (1, None, "chance")


def test_games_that_end_while_another_goes_on_make_nobody_experienced(browser: Browser) -> None:
    game = browser.start()
    for seed in range(FIRST_GAMES):
        finished_game(game.player, YATZY, seed)
    asked = browser.act(game, "score", seq=1, category="chance", confirmed="")
    assert asked.context["board"].confirm.id == "chance"


def test_after_the_last_roll_and_with_the_setting_off_nothing_is_asked(browser: Browser) -> None:
    game = browser.start()
    Player.objects.update(confirm_costly=False)
    browser.act(game, "score", seq=1, category=nothing(game), confirmed="")
    Player.objects.update(confirm_costly=True)
    for seq in (2, 3, 4):
        browser.act(game, "hold", seq=seq)
    box = max(replay_game(game).state.offers.items(), key=itemgetter(1))[0]
    browser.act(game, "score", seq=5, category=YATZY.categories[box].id, confirmed="")
    assert len(stored(game)) == 6


@pytest.mark.parametrize("level", ["alert", "before"])
def test_a_cost_at_the_limit_is_asked_about(level: str) -> None:
    facts = {"level": level, "severity": "Mistake", "threshold": 1.0}
    asked = [speaker(**facts, regret=regret).said("costly") for regret in (0.99, 1.0)]
    assert list(map(bool, asked)) == [False, True]


def test_a_0_is_asked_about_only_if_another_box_would_score() -> None:
    facts = {"careful": True, "points": 0, "left": 0, "games": None, "confirms": False}
    asked = [speaker(**facts, name="Yatzy", scores=scores).said("slip") for scores in (False, True)]
    assert list(map(bool, asked)) == [False, True]


def test_a_trials_procedure_stays_as_it_was_published(browser: Browser) -> None:
    take_part(browser, new_trial().participants.get(number=1))
    game = next_game(browser)
    browser.act(game, "score", seq=1, category=nothing(game), confirmed="")
    assert len(stored(game)) == 2


@pytest.mark.parametrize("htmx", [True, False])
def test_without_a_coach_a_box_is_taken_back_until_the_next_roll(
    browser: Browser, htmx: bool
) -> None:
    game = browser.start(coach="off")
    dice = replay_game(game).state.dice
    browser.act(game, "score", seq=1, category="chance")
    assert 'form="back"' in browser.get(f"/games/{game.pk}/").text
    browser.act(game, "back", htmx=htmx, seq=2)
    played = replay_game(game)
    assert (len(played.actions), played.state.dice) == (1, dice)
    browser.act(game, "score", seq=1, category="ones")
    browser.act(game, "hold", seq=2)
    assert browser.act(game, "back", seq=3).status_code == 409
    assert browser.act(game, "back", seq=2).status_code == 409
    assert len(stored(game)) == 3


def test_next_to_a_coach_and_once_a_game_is_over_it_stays(browser: Browser) -> None:
    game = browser.start(coach="after")
    browser.act(game, "score", seq=1, category="ones")
    assert 'form="back"' not in browser.get(f"/games/{game.pk}/").text
    assert browser.act(game, "back", seq=2).status_code == 409
    Game.objects.filter(pk=game.pk).update(coach="off")
    for box in BOXES[1:]:
        over = score_next(replay_game(game), game.player, box)
    assert browser.act(over.game, "back", seq=len(over.actions)).status_code == 409


def test_on_paper_the_last_box_is_corrected_until_the_next_roll(browser: Browser) -> None:
    ann, bo = cards(party := party_of(browser.start().player, "Ann", "Bo", coach="after"))
    filled(ann, "chance")
    assert turn_of(party) == "Bo"
    seq = len(stored(ann))
    assert "Correct the last box" in browser.get(f"/games/{ann.pk}/").text
    browser.act(ann, "back", seq=seq)
    assert turn_of(party) == "Ann"
    browser.act(ann, "score", seq=seq - 1, category="ones")
    thrown(bo)
    assert browser.act(ann, "back", seq=seq).status_code == 409
    assert [box for _seq, _hold, box in stored(ann) if box] == ["ones"]


def test_on_paper_the_box_that_ended_the_game_is_corrected_too(browser: Browser) -> None:
    party = party_of(browser.start().player, "Ann")
    played_out(party)
    (card,) = cards(party)
    before, seq = card.final_score, len(stored(card))
    assert "Correct the last box" in browser.get(f"/games/{card.pk}/").text
    browser.act(card, "back", seq=seq)
    card.refresh_from_db()
    assert (card.finished_at, card.final_score, card.regret) == (None, None, None)
    browser.act(card, "score", seq=seq - 1, category="yatzy")
    card.refresh_from_db()
    assert (card.finished_at is not None, card.final_score) == (True, before)
