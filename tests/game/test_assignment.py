"""The assignment of arms: permuted blocks from a seed, next to a slow and obvious reference."""

import hashlib
import json
from collections import Counter
from dataclasses import asdict
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.models import Coach
from game.trials.design.arm_text import UnreadableArm, format_arm, read_arms
from game.trials.design.phases import (
    ArmSettings,
    PlannedGame,
    TrialDesign,
    derive_list_seed,
    draw_condition,
    list_games,
    make_seal,
    permute_block,
)
from game.trials.road.form import find_faults

SEEDS = st.text("0123456789abcdef", min_size=1, max_size=8)
CONDITIONS = st.integers(1, 6)


def sha(*parts: str | int) -> int:
    written = "[" + ",".join(json.dumps(part, ensure_ascii=False) for part in parts) + "]"
    return int(hashlib.sha256(written.encode("utf-8")).hexdigest(), 16)


def reference(seed: str, conditions: int, length: int) -> list[int]:
    """Block after block: take the place with the least hash, until none is left."""
    found: list[int] = []
    block = 0
    while len(found) < length:
        twice = sha(seed, "", block) >> 248 & 1
        left = {number: number % conditions for number in range(conditions * (1 + twice))}
        while left:
            least = min(left, key=lambda place: sha(seed, "", block, place))
            found.append(left.pop(least))
        block += 1
    return found[:length]


@given(SEEDS, CONDITIONS, st.integers(1, 30))
def test_participant_n_gets_the_nth_entry_of_the_list(
    seed: str, conditions: int, length: int
) -> None:
    wanted = reference(seed, conditions, length)
    numbers = range(1, length + 1)
    assert [draw_condition(seed, number, conditions) for number in numbers] == wanted


@given(SEEDS, CONDITIONS, st.integers(0, 20))
def test_every_block_has_every_condition_equally_often(
    seed: str, conditions: int, block: int
) -> None:
    counts = Counter(permute_block(seed, block, conditions))
    assert set(counts) == set(range(conditions))
    assert len(set(counts.values())) == 1
    assert set(counts.values()) <= {1, 2}
    assert {len(permute_block(seed, block, 2)) for block in range(40)} == {2, 4}


@given(st.integers(2, 3))
def test_every_order_of_a_block_comes_about_equally_often(conditions: int) -> None:
    """Over 6,000 seeds: five standard errors are a chance of one in a million."""
    single = [
        tuple(places)
        for number in range(6000)
        if len(places := permute_block(str(number), 0, conditions)) == conditions
    ]
    counts = Counter(single)
    ways = list(permutations(range(conditions)))
    expected = len(single) / len(ways)
    assert set(counts) == set(ways)
    assert all(abs(counts[way] - expected) < 5 * expected**0.5 for way in ways)
    assert abs(len(single) - 3000) < 5 * 3000**0.5


ARMS = [asdict(ArmSettings("off")), asdict(ArmSettings("after", coach="after"))]


@pytest.mark.parametrize("version", [1, 2])
@given(SEEDS, SEEDS)
def test_the_seal_binds_seed_names_and_design(version: int, seed: str, other: str) -> None:
    mine = make_seal(seed, ARMS, within=False, version=version)
    assert len(mine) == 64
    assert (make_seal(other, ARMS, within=False, version=version) == mine) == (seed == other)
    assert make_seal(seed, ARMS[::-1], within=False, version=version) != mine
    assert make_seal(seed, ARMS, within=True, version=version) != mine


@pytest.mark.parametrize("name", [name for name in ARMS[0] if name != "name"])
def test_the_seal_binds_all_that_an_arm_sets_where_the_first_bound_names(name: str) -> None:
    other = [ARMS[0], ARMS[1] | {name: "another"}]
    assert make_seal("seed", other, within=False) != make_seal("seed", ARMS, within=False)
    assert make_seal("seed", other, within=False, version=1) == FIRST_SEAL


# As it was shown by the trials that had it.
FIRST_SEAL = hashlib.sha256(b'["seed","between","off","after"]').hexdigest()


def test_the_seal_is_worked_out_as_its_description_says() -> None:
    assert derive_list_seed("secret") not in ("secret", derive_list_seed("other"))
    pairs = [[list(pair) for pair in sorted(arm.items())] for arm in ARMS]
    told = json.dumps(["seed", 2, "between", *pairs], separators=(",", ":"))
    assert make_seal("seed", ARMS, within=False) == hashlib.sha256(told.encode()).hexdigest()


TWO = (ArmSettings("off"), ArmSettings("after", coach="after", games_each=3))


def test_between_people_the_arm_has_a_say_in_every_phase() -> None:
    assert list_games(TrialDesign(games_each=2), ()) == [PlannedGame("", None)] * 2
    silent = [PlannedGame("before", None), PlannedGame("training", None)]
    assert list_games(TrialDesign(games_each=1, before=1), ()) == silent
    design = TrialDesign(games_each=2, arms=TWO, before=1, after=1, follow_up=1)
    assert list_games(design, (1,)) == [
        PlannedGame("before", 1),
        *[PlannedGame("training", 1)] * 3,
        PlannedGame("after", 1),
        PlannedGame("follow_up", 1),
    ]


def test_within_people_every_arm_is_played_in_its_order_and_the_rest_belongs_to_none() -> None:
    design = TrialDesign(games_each=2, arms=TWO, before=1, after=1, within=True)
    assert list_games(design, design.find_arm_order(1)) == [
        PlannedGame("before", None),
        *[PlannedGame("training", 1)] * 3,
        *[PlannedGame("training", 0)] * 2,
        PlannedGame("after", None),
    ]
    assert design.conditions == 2


# Arms as they are written: on a line, or one after the other with commas


ARM_LISTS = st.builds(
    ArmSettings,
    name=st.from_regex(r"[a-z0-9][a-z0-9-]{0,29}", fullmatch=True),
    coach=st.sampled_from(Coach.values),
    offered_points=st.booleans(),
    ruleset=st.sampled_from(["", "yatzy", "yahtzee"]),
    dice=st.sampled_from(["", "virtual", "real"]),
    shared_dice=st.sampled_from([None, True, False]),
    games_each=st.one_of(st.none(), st.integers(1, 1000)),
    drill=st.booleans(),
)


@given(st.lists(ARM_LISTS, max_size=4))
def test_what_is_written_is_read_as_it_was(arms: list[ArmSettings]) -> None:
    assert read_arms("\n".join(map(format_arm, arms))) == tuple(arms)
    assert read_arms(", ".join(map(format_arm, arms))) == tuple(arms)


def test_settings_are_joined_by_plus_or_semicolon_and_name_the_arm() -> None:
    text = "Coach=After + points=hidden\r\n\r\nname=paper; coach=off; dice=real; drill=yes; games=3"
    assert read_arms(text) == (
        ArmSettings("after-points-hidden", coach="after", offered_points=False),
        ArmSettings("paper", dice="real", drill=True, games_each=3),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("coach=off,coach=loud", "Arm 2, “coach=loud”"),
        ("off", "not SETTING=VALUE"),
        ("colour=red", "not SETTING=VALUE"),
        ("coach=off+coach=after", "“coach” is set twice"),
        ("games=0", "“0” is not a number of games"),
        ("games=many", "“many” is not a number of games"),
        ("name=Ä", "small letters"),
        ("rules=chess", "“chess” is not one of yatzy"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(UnreadableArm, match=r"^Arm") as caught:
        read_arms(text)
    assert problem in str(caught.value)


def faults(*, dice: str = "virtual", shared: bool = False, **design: Any) -> str:
    made = TrialDesign(**({"games_each": 2} | design))
    return " ".join(find_faults(made, dice=dice, shared_dice=shared, most=100))


OFF, AFTER = ArmSettings("off"), ArmSettings("after", coach="after")


@pytest.mark.parametrize(
    ("design", "problem"),
    [
        ({"arms": (OFF, OFF)}, "Two arms are called “off”"),
        ({"arms": (OFF,), "within": True}, "only if there are two"),
        ({"follow_up_days": 3}, "needs at least one game"),
        ({"games_each": 99, "before": 2}, "at most 100 games"),
        ({"games_each": 51, "arms": (OFF, AFTER), "within": True}, "at most 100 games"),
        ({"arms": tuple(ArmSettings(str(number)) for number in range(13))}, "at most 12"),
        ({"arms": (ArmSettings("a", dice="real", shared_dice=True),)}, "arm “a”"),
        ({"arms": (ArmSettings("a", shared_dice=True),), "dice": "real"}, "arm “a”"),
        ({"arms": (ArmSettings("a", dice="real"),), "shared": True}, "arm “a”"),
    ],
)
def test_a_design_that_cannot_be_carried_out_is_told_why(
    design: dict[str, Any], problem: str
) -> None:
    assert problem in faults(**design)
    sound: dict[str, Any] = {"arms": (OFF, AFTER), "before": 1, "follow_up": 1, "follow_up_days": 3}
    assert not faults(**sound, within=True)
