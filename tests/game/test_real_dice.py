"""Dice that are thrown on a table: typed in, checked, corrected, and judged like any others."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from game.core.game_queries import Played, replay_game
from game.core.playing import fill_box, hold_dice
from game.core.refusals import IllegalMove, NotUnderstood, Refused, StaleAction
from game.core.throwing import enter_roll
from game.models import Game, Player, Throw
from game.pages.board.verification import find_faults
from game.trials.design.writing import configure_trial
from game.trials.joining.links import make_link_path
from game.trials.joining.writing import start_trial_game
from game.trials.models import Participant, Trial
from game.trials.results.results import calculate_results
from solver.advice import Advisor
from tests.game.trial_games import play_game
from tests.known import known
from tests.play import BOXES, Browser, start_solo
from tests.trials import CONSENT, joined, new_trial

pytestmark = pytest.mark.django_db


@pytest.fixture
def participant(db: None) -> Participant:
    return joined(new_trial(dice="real", games_each=1))


@pytest.fixture
def played(participant: Participant) -> Played:
    return start_trial_game(participant=participant)


def typed(played: Played, faces: Sequence[int] | str, **more: Any) -> Played:
    given: dict[str, Any] = {
        "game_id": played.game.pk,
        "player": played.game.player,
        "seq": len(played.actions),
        "entries": played.entries,
        "faces": [int(face) for face in faces],
    }
    return enter_roll(**given | more)


def held(played: Played, *slots: int) -> Played:
    return hold_dice(
        game_id=played.game.pk,
        player=played.game.player,
        seq=len(played.actions),
        slots=sum(1 << slot for slot in slots),
    )


def scored(played: Played, box: str) -> Played:
    return fill_box(
        game_id=played.game.pk, player=played.game.player, seq=len(played.actions), category=box
    )


def test_nothing_can_be_decided_before_the_throw_is_typed_in(played: Played) -> None:
    with pytest.raises(IllegalMove, match="Roll the dice first"):
        scored(played, "chance")
    played = held(typed(played, "55166"), 0)
    with pytest.raises(IllegalMove, match="type them in first"):
        scored(played, "chance")
    with pytest.raises(IllegalMove, match="type them in first"):
        held(played, 1)
    played = replay_game(played.game)
    assert played.state.waiting
    assert typed(played, "1234").state.dice == (5, 1, 2, 3, 4)


def test_dice_that_are_held_are_not_typed_and_the_others_keep_their_places(played: Played) -> None:
    played = held(typed(played, "55166"), 0, 3)
    with pytest.raises(IllegalMove, match="Please type the 3 dice that you rolled"):
        typed(played, "51234")
    assert played.game.throws.count() == 1
    played = typed(played, "532")
    assert played.state.dice == (5, 5, 3, 6, 2)
    with pytest.raises(IllegalMove, match="Please type the die that you rolled"):
        typed(held(played, 0, 1, 2, 4), "")


@pytest.mark.parametrize("wrong", ["", "1234", "123456", "12347", "01234"])
def test_what_is_no_throw_is_refused_and_stores_nothing(
    played: Played, player: Player, wrong: str
) -> None:
    with pytest.raises(NotUnderstood):  # dice that are not real
        typed(start_solo(player), "66666")
    with pytest.raises(IllegalMove, match="A roll has five dice"):
        typed(played, wrong)
    assert not played.game.throws.exists()
    assert not played.game.decisions.exists()


def test_a_slip_is_corrected_until_the_next_decision_and_stays_on_record(played: Played) -> None:
    seen = played = typed(played, "55166")
    with pytest.raises(Refused, match="already typed in these dice"):
        typed(played, "11111")
    played = typed(played, "55266", correction=True)
    assert played.state.dice == (5, 5, 2, 6, 6)
    with pytest.raises(StaleAction):  # of a page that missed the correction
        typed(seen, "55366", correction=True)
    played = held(played, 0, 1)
    with pytest.raises(Refused, match="until you hold dice"):
        typed(played, "55366", correction=True)
    played = typed(played, "123")
    assert typed(played, "124", correction=True).state.dice == (5, 5, 1, 2, 4)
    entries = Throw.objects.order_by("created_at").values_list("seq", "number", "faces")
    assert list(entries) == [(0, 0, "55166"), (0, 1, "55266"), (1, 0, "55123"), (1, 1, "55124")]


def test_where_all_five_are_kept_nothing_is_typed_in(played: Played) -> None:
    played = held(typed(played, "55555"), 0, 1, 2, 3, 4)
    assert played.state.dice == (5, 5, 5, 5, 5)
    assert played.state.throws_left == 1
    assert played == replay_game(played.game)
    assert scored(played, "yatzy").state.points == 50


def test_a_whole_game_adds_up_and_its_ledger_holds(
    participant: Participant, advisor: Advisor
) -> None:
    played = start_trial_game(participant=participant)
    for number, box in enumerate(BOXES):
        played = typed(played, [1 + (number + place) % 6 for place in range(5)])
        played = typed(held(played, 0, 1), "661")
        played = scored(played, box)
    game = Game.objects.get(pk=played.game.pk)
    assert game.finished_at is not None
    assert game.final_score == played.state.total
    earned = known(game.luck) - known(game.regret)
    assert advisor.value_start + earned == pytest.approx(game.final_score, abs=1e-6)
    assert find_faults(game) == []


def test_the_time_of_a_decision_counts_from_the_throw(played: Played) -> None:
    played = typed(played, "55166")
    played.game.decisions.update(created_at=played.last_at - timedelta(days=1))
    Throw.objects.update(created_at=played.last_at - timedelta(seconds=90))
    held(replay_game(played.game), 0)
    assert 90_000 <= played.game.decisions.get(seq=1).milliseconds < 100_000


# By way of the pages


@pytest.fixture
def table(browser: Browser, participant: Participant) -> tuple[Browser, Game]:
    browser.get(make_link_path(participant))
    browser.post("/take-part/answers", {})
    response = browser.post("/take-part/game")
    return browser, Game.objects.get(pk=response.headers["Location"].split("/")[2])


def test_the_page_asks_for_the_throw_and_keeps_what_could_not_be_taken(
    table: tuple[Browser, Game],
) -> None:
    browser, game = table
    page = browser.get(f"/games/{game.pk}/").text
    assert 'id="faces"' in page
    assert 'id="roll"' not in page
    for faces in ("1 2 3 9 9", "5 5, 1-66"):
        refused = browser.act(game, "throw", seq=0, entries=0, faces=faces)
        assert refused.status_code == 400
        assert f'value="{faces}"' in refused.text
    html = browser.act(game, "throw", seq=0, entries=0, faces="5 5 1 6 6").text
    assert 'data-entries="1"' in html
    assert 'id="faces-again"' in html


def test_a_game_on_the_table_can_be_watched_by_nobody_and_has_no_seal(
    table: tuple[Browser, Game],
) -> None:
    browser, game = table
    assert (game.seed, game.commitment) == ("", "")
    assert "Fair dice" not in browser.get(f"/games/{game.pk}/").text
    assert browser.get(f"/games/{game.pk}/verify").status_code == 200


# Dice that can be told apart


def real(order: str, **more: Any) -> Trial:
    return new_trial(dice="real", dice_places=order, games_each=1, **more)


def expected(trial: Trial, *places: int) -> tuple[int, ...]:
    found: Counter[tuple[int, int]] = Counter()
    last = {(throw.game_id, throw.seq): throw for throw in Throw.objects.order_by("number")}
    for throw in last.values():
        held = throw.game.decisions.get(seq=throw.seq).hold or 0
        found.update((n, die) for n, die in enumerate(throw.dice, start=1) if not held >> n - 1 & 1)
    return tuple(sum(found[place, face] for place in places) for face in range(1, 7))


@pytest.mark.parametrize(("order", "apart"), [("each", (1, 2, 3, 4, 5)), ("first", (1,)), ("", ())])
def test_the_dice_that_can_be_told_apart_are_tested_by_themselves(
    order: str, apart: tuple[int, ...], researcher: Browser
) -> None:
    trial = real(order, places=1)
    play_game(joined(trial))
    assert [(one.die, one.counts) for one in calculate_results(trial).dice] == [
        (None, expected(trial, *range(1, 6))),
        *((place, expected(trial, place)) for place in apart),
    ]
    page = researcher.get(f"/trials/{trial.slug}/results/").text
    assert ("Each die separately: die 1: p" in page) == bool(apart)
    assert f"The {sum(expected(trial, *range(1, 6)))} real dice that were typed in" in page
    with pytest.raises(Refused, match="already begun"):
        configure_trial(trial=trial, consent=CONSENT, dice_places="each" if not order else "")


@pytest.mark.parametrize(
    ("places", "order"),
    [("", "in any order"), ("first", "is die 1"), ("each", "from left to right")],
)
def test_participants_are_told_in_which_order_dice_are_typed(
    browser: Browser, places: str, order: str
) -> None:
    browser.get(make_link_path(joined(real(places, questionnaire=False))))
    assert order in browser.get("/take-part/").text


def test_the_field_shows_the_places_that_are_due(browser: Browser) -> None:
    participant = joined(real("each", questionnaire=False))
    browser.get(make_link_path(participant))
    browser.post("/take-part/game")
    game = participant.games.get().game
    browser.act(game, "throw", seq=0, entries=0, faces="55166")
    page = browser.act(game, "hold", seq=1, slot=[0, 3]).text
    assert 'placeholder="2 3 5"' in page
    assert 'data-faces="3"' in page
    page = browser.act(game, "throw", seq=2, entries=1, faces="123").text
    assert 'placeholder="2 3 5"' in page  # of the correction
