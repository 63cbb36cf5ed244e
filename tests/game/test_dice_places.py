"""Real dice that can be told apart in a trial: typed by their places, and tested one by one."""

from collections import Counter
from typing import Any

import pytest
from django.core.management import call_command

from game.core.refusals import Refused
from game.models import Throw
from game.trials.design.writing import configure_trial
from game.trials.joining.links import make_link_path
from game.trials.models import Participant, Trial
from game.trials.results.results import calculate_results
from tests.game.trial_moves import play_game
from tests.play import Browser
from tests.trials import CONSENT, joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]


def real(order: str, **more: Any) -> Trial:
    return new_trial(dice="real", dice_places=order, games_each=1, **more)


@pytest.fixture
def participants(request: pytest.FixtureRequest) -> list[Participant]:
    trial = real(request.param, places=2)
    found = [joined(trial, number) for number in (1, 2)]
    for number, participant in enumerate(found):
        play_game(participant, seed=number)
    return found


def counts(trial: Trial) -> list[tuple[int | None, tuple[int, ...]]]:
    return [(one.die, one.counts) for one in calculate_results(trial).dice]


def expected(trial: Trial, *places: int) -> tuple[int, ...]:
    found: Counter[tuple[int, int]] = Counter()
    last = {(throw.game_id, throw.seq): throw for throw in Throw.objects.order_by("number")}
    for throw in last.values():
        held = throw.game.decisions.get(seq=throw.seq).hold or 0
        found.update((n, die) for n, die in enumerate(throw.dice, start=1) if not held >> n - 1 & 1)
    return tuple(sum(found[place, face] for place in places) for face in range(1, 7))


@pytest.mark.parametrize("participants", ["each"], indirect=True)
def test_every_die_of_a_trial_is_tested_by_itself(
    participants: list[Participant], researcher: Browser
) -> None:
    trial, every = participants[0].trial, range(1, 6)
    assert counts(trial) == [
        (None, expected(trial, *every)),
        *((place, expected(trial, place)) for place in every),
    ]
    page = researcher.get(f"/trials/{trial.slug}/results/").text
    assert "Each die separately: die 1: p" in page


@pytest.mark.parametrize("participants", ["first"], indirect=True)
def test_with_two_colours_one_die_is_tested_by_itself(participants: list[Participant]) -> None:
    trial = participants[0].trial
    assert counts(trial)[1:] == [(1, expected(trial, 1))]


@pytest.mark.parametrize("participants", [""], indirect=True)
def test_dice_without_places_are_tested_together_alone(participants: list[Participant]) -> None:
    trial = participants[0].trial
    assert counts(trial) == [(None, expected(trial, *range(1, 6)))]


@pytest.mark.parametrize(
    ("places", "told"),
    [
        ("", "You can type in the dice in any order."),
        ("first", "The die of another colour is die 1"),
        ("each", "type in the other dice in the order of their places"),
    ],
)
def test_participants_are_told_in_which_order_dice_are_typed(
    browser: Browser, places: str, told: str
) -> None:
    browser.get(make_link_path(joined(real(places, questionnaire=False))))
    assert told in browser.get("/take-part/").text


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


def test_the_order_stays_from_the_first_consent_on() -> None:
    trial = real("first")
    joined(trial)
    with pytest.raises(Refused, match="already begun"):
        configure_trial(trial=trial, consent=CONSENT, dice_places="each")


def test_a_command_makes_such_a_trial() -> None:
    call_command("trial_create", "people", "--dice", "real", "--dice-places", "first")
    assert Trial.objects.get().dice_places == "first"
    call_command("trial_create", "others", "--preset", "study")
    assert Trial.objects.get(slug="others").dice_places == ""
