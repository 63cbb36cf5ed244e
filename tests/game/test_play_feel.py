"""What makes a game a pleasure: who is welcomed, what is asked, what can be taken at one tap."""

import re
from dataclasses import replace
from functools import partial

import pytest

from game.coach.hints import hint, to_take
from game.coach.panel import GameStanding, standing
from game.core.fair import blocks
from game.core.game_queries import Played, Thrown, game_played
from game.core.playing import decision_record, game_hold, game_score
from game.core.refusals import AskFirst
from game.core.worth.tables import advisor
from game.models import Coach, Player
from game.pages.board.board import Sight, build
from game.pages.board.showing import board_game, board_played
from solver.advice import Advisor, position_of
from solver.rules import YATZY, Action, Block, Hold, Score, play, start
from solver.rules.dice import cup_of
from tests.known import known
from tests.play import HTMX, Browser, costly_box, play_through, score_all, start_solo

FIVE = cup_of(5)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


def test_somebody_new_is_told_in_three_lines_until_a_game_has_begun(browser: Browser) -> None:
    assert browser.get("/").text.count('id="welcome"') == 1
    game = browser.start()
    assert 'id="welcome"' not in browser.get("/").text
    browser.act(game, "abandon", seq=1)
    assert 'id="welcome"' not in browser.get("/").text


def test_the_three_lines_go_away_for_good_before_any_game(browser: Browser) -> None:
    browser.get("/")
    assert browser.post("/welcome/", headers=HTMX).content == b""
    assert 'id="welcome"' not in browser.get("/").text


def test_the_first_solo_game_has_the_coach_after_each_move(browser: Browser) -> None:
    assert '<option value="after" selected>' in browser.get("/").text
    game = browser.start()
    assert (game.coach, game.player.coach) == (Coach.AFTER, Coach.AFTER)


def test_what_was_chosen_instead_is_kept(browser: Browser) -> None:
    game = browser.start(coach="off")
    assert (game.coach, game.player.coach) == (Coach.OFF, Coach.OFF)
    browser.act(game, "abandon", seq=1)
    assert browser.start().coach == Coach.OFF


def test_a_first_game_that_is_the_days_is_silent_and_leaves_the_wish_alone(
    browser: Browser,
) -> None:
    game = browser.start(mode="daily")
    assert (game.coach, game.player.coach) == (Coach.OFF, Coach.AFTER)


def test_an_alert_says_how_serious_it_is_and_not_what_is_better(browser: Browser) -> None:
    game = browser.start(coach="alert")
    box = costly_box(game)
    asked = browser.act(game, "score", seq=1, category=box)
    board, html = asked.context["board"], asked.text
    assert "you have a better move" in html
    assert board.best is None
    assert "data-marked" not in html
    assert "data-best" not in html
    assert "costs" not in html
    assert game.decisions.count() == 1


def test_a_tap_on_an_alert_shows_what_is_better_and_counts_as_a_hint(browser: Browser) -> None:
    game = browser.start(coach="alert")
    assert 'id="hint"' not in browser.get(f"/games/{game.pk}/").text
    asked = browser.act(game, "score", seq=1, category=costly_box(game)).text
    assert 'id="hint"' in asked
    shown = browser.act(game, "hint")
    assert shown.context["board"].best is not None
    game.refresh_from_db()
    assert game.hints == 1


def test_after_an_alerted_move_the_better_one_is_behind_a_tap(browser: Browser) -> None:
    game = browser.start(coach="alert")
    done = browser.act(game, "score", seq=1, category=costly_box(game), confirmed="1")
    html = done.text
    veil = html[html.index('<details class="feedback__best">') :]
    assert "The best move was" in veil[: veil.index("</details>")]
    assert html.count("The best move was") == 1


def test_the_question_about_a_costly_move_names_the_better_one_and_offers_it(
    browser: Browser,
) -> None:
    game = browser.start(coach="before")
    asked = browser.act(game, "score", seq=1, category=costly_box(game))
    best = known(asked.context["board"].best)
    html = asked.text
    assert f"Best: {best.label}." in html
    assert 'id="choose" class="button button--primary"' in html
    assert 'id="confirm" class="button"' in html
    assert f'action="/games/{game.pk}/{"score" if best.scores else "hold"}"' in html
    what = "score" if best.scores else "hold"
    browser.act(game, what, seq=1, confirmed="1", category=best.category, slot=best.slots)
    assert known(game.decisions.get(seq=1).regret) < 1e-9


def test_a_best_move_that_keeps_all_five_is_taken_as_a_box(advisor: Advisor) -> None:
    fives: Block = ((((5,) * FIVE.dice,) * 3),) * len(YATZY.categories)
    state = play(start(YATZY), Hold(0), fives)
    options = hint(advisor, state, advisor.evaluate(position_of(state)), shown=20).options
    assert len(options[0].slots) == FIVE.dice
    assert to_take(options).category == "yatzy"


def test_before_every_box_is_asked_where_the_player_wants_that(player: Player) -> None:
    player.confirm_boxes = True
    player.save()
    game = start_solo(player).game
    fill = partial(game_score, game_id=game.pk, player=player, seq=1, category="chance")
    with pytest.raises(AskFirst, match="Chance for") as asked:
        fill()
    assert not asked.value.coach
    assert game.decisions.count() == 1
    fill(confirmed=True)
    assert game.decisions.count() == 2


def test_the_ledger_holds_at_every_moment_of_a_game(player: Player) -> None:
    coach = known(advisor(YATZY))
    played = start_solo(player)
    lost = 0.0
    actions: tuple[Action, ...] = (Hold(0b11), Hold(0b101), Score("ones"), Hold(0))
    for seq, action in enumerate(actions, start=1):
        played = decision_record(game_id=played.game.pk, player=player, seq=seq, action=action)
        lost = sum(known(one) for one in regrets(played))
        found, again = stands(coach, played), stands(coach, game_played(played.game))
        assert found == again
        assert known(found).lost == pytest.approx(lost)
        luck = known(found).luck
        assert known(found).expected == pytest.approx(coach.value_start + luck - lost)
    assert lost > 0


def stands(coach: Advisor, played: Played) -> GameStanding | None:
    at_hand = coach.evaluate(position_of(played.state)) if played.state.dice else None
    return standing(coach, played, at_hand)


def regrets(played: Played) -> list[float | None]:
    return [one.regret for one in played.game.decisions.filter(roll__gt=0)]


def test_a_finished_game_stands_where_its_score_is(player: Player) -> None:
    played = score_all(start_solo(player), player)
    game = played.game
    found = known(standing(known(advisor(YATZY)), game_played(game), None))
    assert found.expected == game.final_score
    assert found.luck == pytest.approx(known(game.luck))
    assert found.lost == pytest.approx(known(game.regret))


def test_a_game_with_an_unjudged_decision_has_no_standing(player: Player) -> None:
    played = start_solo(player)
    game_hold(game_id=played.game.pk, player=player, seq=1, slots=1)
    played.game.decisions.filter(seq=1).update(best=None, value=None, regret=None)
    assert stands(known(advisor(YATZY)), game_played(played.game)) is None


def test_nothing_is_said_of_the_standing_where_the_coach_is_silent(browser: Browser) -> None:
    for mode, level in (("daily", "live"), ("solo", "off")):
        game = browser.start(mode=mode, coach=level)
        html = browser.get(f"/games/{game.pk}/").text
        assert "Expected final score" not in html


def test_the_throws_of_a_turn_are_remembered_until_its_box(player: Player) -> None:
    played = start_solo(player)
    first = played.state.dice
    for seq, slots in ((1, 0b11), (2, 0b100)):
        before = played.state.dice
        played = game_hold(game_id=played.game.pk, player=player, seq=seq, slots=slots)
    assert played.thrown == (Thrown(first, (0, 1)), Thrown(before, (2,)))
    assert game_played(played.game).thrown == played.thrown
    played = game_score(game_id=played.game.pk, player=player, seq=3, category="chance")
    assert played.thrown == game_played(played.game).thrown == ()


def test_the_track_shows_every_throw_of_the_turn_behind_on_the_table_and_to_come(
    player: Player,
) -> None:
    played = start_solo(player)
    for seq in (1, 2, 3):
        board = board_played(played, viewer=player)
        assert (board.now, [*board.coming]) == (seq, [*range(seq + 1, YATZY.throws + 1)])
        assert len(board.thrown) == seq - 1
        if seq < YATZY.throws:
            played = game_hold(game_id=played.game.pk, player=player, seq=seq, slots=1)
    played = game_score(game_id=played.game.pk, player=player, seq=3, category="chance")
    board = board_played(played, viewer=player)
    assert (board.now, [*board.coming], board.thrown) == (0, [1, 2, 3], ())


def test_whoever_watches_sees_which_dice_were_kept(player: Player) -> None:
    game = start_solo(player).game
    game_hold(game_id=game.pk, player=player, seq=1, slots=0b10001)
    game_hold(game_id=game.pk, player=player, seq=2, slots=0b00110)
    board = board_game(game, viewer=None)
    assert [die.slot for die in board.dice if die.held] == [1, 2]
    own = board_played(game_played(game), viewer=player)
    assert not any(die.held for die in own.dice)  # no throw is left to hold them for


def test_a_watched_game_says_held(browser: Browser, player: Player) -> None:
    game = start_solo(player).game
    game_hold(game_id=game.pk, player=player, seq=1, slots=0b1)
    html = browser.get(f"/watch/{game.share_token}/").text
    assert html.count("data-kept") == 2  # the die, and its throw before
    assert '<li aria-current="step">Roll 2</li>' in html
    assert html.count('class="thrown__coming"') == 1
    assert ">Held<" in html


@pytest.mark.parametrize("mode", ["rematch"])
def test_same_dice_opens_a_game_and_does_not_throw(browser: Browser, mode: str) -> None:
    game = play_through(browser, browser.start())
    again = browser.start(mode=mode, of=game.pk)
    assert again.decisions.count() == 0
    html = browser.get(f"/games/{again.pk}/").text
    assert 'id="roll"' in html
    browser.act(again, "hold", seq=0)
    block = blocks.block(game.seed, game.rules)
    assert game_played(again).state.dice == block[0][0]


def test_languages_are_named_in_their_own_words(browser: Browser) -> None:
    html = browser.get("/settings/", headers={"accept-language": "fi"}).text
    for name in ("English", "Svenska", "Dansk", "Suomi"):
        assert f">{name}</option>" in html


def test_sounds_are_off_until_they_are_wished_for(browser: Browser) -> None:
    game = browser.start()
    html = browser.get(f"/games/{game.pk}/").text
    assert "data-sound" not in html
    assert "feel" not in html
    Player.objects.update(sound=True, vibration=True)
    html = browser.get(f"/games/{game.pk}/").text
    assert "data-sound" in html
    assert "data-vibration" in html
    assert "js/feel" in html


def test_who_wants_it_brief_is_told_the_dice_and_not_the_verdict(
    browser: Browser, yatzy_tables: None
) -> None:
    game = browser.start(coach="after")
    told = browser.act(game, "hold", seq=1, slot=[0]).text
    verdict = known(re.search(r'data-verdict="(\w+)"', told))[1]
    named = "Best." if verdict == "best" else "Best: "
    said = known(re.search(r'data-say="([^"]*)"', told))[1]
    assert "The dice show" in said
    assert named in said
    Player.objects.update(brief=True)
    said = known(re.search(r'data-say="([^"]*)"', browser.get(f"/games/{game.pk}/").text))[1]
    assert "The dice show" in said
    assert named not in said


@pytest.mark.parametrize(
    ("dice", "alike"), [((4, 4, 4, 4, 4), True), ((4, 4, 4, 4, 5), False), ((), False)]
)
def test_five_alike_are_a_moment_when_they_are_thrown(dice: tuple[int, ...], alike: bool) -> None:
    state = replace(start(YATZY), dice=dice, throws_left=2)
    assert build(Sight(state, owner=True)).alike is alike
