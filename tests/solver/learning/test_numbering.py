import gymnasium
import numpy as np
import pytest

from solver.learning.environments import NUMBERINGS, Solitaire
from solver.rules import IllegalAction
from solver.rules.dice import Dice, list_holds, make_cup

CUP = make_cup(5)


def dice_kept(actions: str, number: int, dice: Dice) -> Dice:
    if actions == "faces":
        return CUP.holds[number]
    return tuple(die for slot, die in enumerate(dice) if number >> slot & 1)


@pytest.mark.parametrize("actions", NUMBERINGS)
def test_the_mask_allows_every_hold_of_the_dice_and_every_open_box(actions: str) -> None:
    env, random = Solitaire("yahtzee", actions=actions), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    holds = 462 if actions == "faces" else 32
    while not env.state.finished:
        allowed = np.flatnonzero(info["action_mask"])
        kept = [dice_kept(actions, n, env.state.dice) for n in allowed.tolist() if n < holds]
        assert set(kept) == (set(list_holds(env.state.dice)) if env.state.throws_left else set())
        if actions != "slots":
            assert len(set(kept)) == len(kept)
        boxes = {env.rules.categories[n - holds].id for n in allowed if n >= holds}
        assert boxes == {env.rules.categories[box].id for box in env.state.offers}
        chosen = int(random.choice(allowed))
        stays = dice_kept(actions, chosen, env.state.dice) if chosen < holds else ()
        *_, info = env.step(np.int64(chosen))
        assert not stays or stays in list_holds(env.state.dice)
    assert not info["action_mask"].any()


@pytest.mark.parametrize("actions", ["distinct", "faces"])
def test_what_the_mask_forbids_is_an_error_and_changes_nothing(actions: str) -> None:
    env = Solitaire("yatzy", actions=actions)
    assert isinstance(env.action_space, gymnasium.spaces.Discrete)
    env.reset(seed=2)
    for action in [*np.flatnonzero(~env.action_masks()), -1, int(env.action_space.n)]:
        before = env.state
        with pytest.raises(IllegalAction, match=f"action {action}$"):
            env.step(action)
        assert env.state == before


def test_other_numberings_are_refused() -> None:
    with pytest.raises(ValueError, match="slots, distinct, faces, not 'dice'"):
        Solitaire(actions="dice")
