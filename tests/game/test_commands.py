"""What the person who runs the site can check from the command line."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from game.blocks import THROWS, TURNS, block
from game.dice_test import DiceTest, thrown
from game.models import Decision, Game, Player
from game.selectors import Played
from tests.game.conftest import score_all, start_solo


@pytest.fixture
def played(player: Player) -> Played:
    return score_all(start_solo(player), player)


def run(name: str, *arguments: str) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out)
    return out.getvalue()


def failure(name: str, *arguments: str) -> CommandError:
    with pytest.raises(CommandError) as raised:
        run(name, *arguments)
    return raised.value


def test_a_finished_game_agrees(played: Played) -> None:
    said = run("verify_game", played.game.pk)
    assert "Every die, decision and point agrees." in said
    assert played.game.seed in said
    for turn in block(played.game.seed):
        assert " ".join(map(str, turn[0])) in said


def test_a_game_under_way_agrees_and_keeps_its_seed(player: Player) -> None:
    game = start_solo(player).game
    said = run("verify_game", game.pk)
    assert "agrees" in said
    assert game.seed not in said


def test_an_unknown_game_is_told_apart_from_a_false_one(db: None) -> None:
    assert failure("verify_game", "nowhere").returncode == 2


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"seed": "11" * 32}, "commitment"),
        ({"commitment": "22" * 32}, "commitment"),
        ({"final_score": 374}, "final score"),
        ({"bonus": 51}, "final score"),
    ],
)
def test_a_changed_game_is_found_out(played: Played, change: dict[str, object], fault: str) -> None:
    Game.objects.filter(pk=played.game.pk).update(**change)
    error = failure("verify_game", played.game.pk)
    assert error.returncode == 1
    assert fault in str(error)


@pytest.mark.parametrize(
    ("seq", "change", "fault"),
    [
        (3, {"seq": 90}, "breaks the rules"),
        (29, {"seq": 90}, "not where it was made"),
        (3, {"turn": 9}, "not where it was made"),
        (3, {"category": "", "hold": 1}, "final score"),
        (2, {"hold": 1}, "breaks the rules"),
    ],
)
def test_a_changed_decision_is_found_out(
    played: Played, seq: int, change: dict[str, object], fault: str
) -> None:
    Decision.objects.filter(game=played.game, seq=seq).update(**change)
    error = failure("verify_game", played.game.pk)
    assert error.returncode == 1
    assert fault in str(error)


def test_a_lost_decision_is_found_out(played: Played) -> None:
    Decision.objects.filter(game=played.game, seq=29).delete()
    assert "final score" in str(failure("verify_game", played.game.pk))


def test_the_dice_are_tested() -> None:
    said = run("dice_test", "--dice", "30000", "--seed", "2a")
    assert "30,000 dice" in said
    assert "chi-squared" in said
    assert said == run("dice_test", "--dice", "30000", "--seed", "2a") or "p-value" in said


def test_the_dice_that_are_tested_are_those_of_games() -> None:
    dice = [face for chunk in thrown(b"master", 2 * TURNS * THROWS * 5 + 1) for face in chunk]
    assert len(dice) == 451
    assert set(dice) == {1, 2, 3, 4, 5, 6}


def test_the_p_value_is_that_of_chi_squared() -> None:
    """Critical values of the chi-squared distribution with 5 degrees of freedom."""
    for x, p in ((1.145, 0.95), (4.351, 0.5), (9.236, 0.1), (11.070, 0.05), (20.515, 0.001)):
        deviation = (x * 100_000 / 2) ** 0.5
        counts = (100_000 + deviation, 100_000 - deviation, *[100_000] * 4)
        assert DiceTest(counts).p_value == pytest.approx(p, rel=2e-3)  # type: ignore[arg-type]


def test_loaded_dice_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game.dice_test.die", lambda seed, turn, roll, slot: 1 + roll)
    error = failure("dice_test", "--dice", "9000")
    assert (error.returncode, str(error)) == (1, "these dice are not fair")


def test_a_test_without_dice_or_with_a_bad_seed_is_refused() -> None:
    assert failure("dice_test", "--dice", "0").returncode == 2
    assert failure("dice_test", "--seed", "xyz").returncode == 2
