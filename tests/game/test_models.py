"""What the database itself refuses, whoever writes to it."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from game.models import Decision, Game, Player
from tests.play import score_all, start_solo


@pytest.fixture
def game(player: Player) -> Game:
    return start_solo(player).game


def refused(action: object) -> bool:
    try:
        with transaction.atomic():
            action()  # type: ignore[operator]
    except IntegrityError:
        return True
    return False


def test_a_sequence_number_is_used_once_in_a_game(game: Game) -> None:
    facts = {"game": game, "turn": 0, "roll": 1, "hold": 3, "created_at": timezone.now()}
    assert refused(lambda: Decision.objects.create(seq=0, **facts))
    assert not refused(lambda: Decision.objects.create(seq=1, **facts))


def test_a_box_is_filled_once_in_a_game(game: Game) -> None:
    facts = {"game": game, "turn": 0, "roll": 1, "category": "ones", "created_at": timezone.now()}
    assert not refused(lambda: Decision.objects.create(seq=1, **facts))
    assert refused(lambda: Decision.objects.create(seq=2, **facts))


@pytest.mark.parametrize(
    "facts",
    [
        {"hold": None, "category": ""},
        {"hold": 3, "category": "ones"},
        {"hold": 64},
        {"hold": 0, "turn": 20},
        {"hold": 0, "roll": 162},
    ],
    ids=lambda facts: " ".join(f"{key}={value}" for key, value in facts.items()),
)
def test_a_decision_is_a_hold_or_a_category(game: Game, facts: dict[str, object]) -> None:
    facts = {"turn": 0, "roll": 1, "created_at": timezone.now(), **facts}
    assert refused(lambda: Decision.objects.create(game=game, seq=1, **facts))


def test_a_score_comes_with_the_end_of_a_game(game: Game) -> None:
    rows = Game.objects.filter(pk=game.pk)
    assert refused(lambda: rows.update(final_score=200, bonus=0))
    assert refused(lambda: rows.update(finished_at=timezone.now()))
    assert not refused(lambda: rows.update(finished_at=timezone.now(), final_score=200, bonus=0))
    assert refused(lambda: rows.update(abandoned_at=timezone.now()))


def test_a_nonce_makes_one_game(game: Game, player: Player) -> None:
    copy = Game(player=player, seed=game.seed, nonce=game.nonce, started_at=timezone.now())
    assert refused(copy.save)


def test_only_a_daily_game_needs_a_day_and_a_player_has_one_a_day(player: Player) -> None:
    facts = {"player": player, "seed": "00" * 32, "started_at": timezone.now()}
    day = timezone.now().date()
    assert refused(lambda: Game.objects.create(mode="daily", **facts))
    assert refused(lambda: Game.objects.create(mode="solo", day=day, **facts))
    assert not refused(lambda: Game.objects.create(mode="daily", day=day, **facts))
    assert refused(lambda: Game.objects.create(mode="daily", day=day, **facts))
    assert not refused(lambda: Game.objects.create(mode="rematch", day=day, **facts))


def test_a_finished_game_keeps_its_score_and_its_bonus(player: Player) -> None:
    played = score_all(start_solo(player), player)
    game = Game.objects.get(pk=played.game.pk)
    assert (game.final_score, game.bonus) == (played.state.total, played.state.bonus)
    assert game.over
