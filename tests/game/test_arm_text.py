"""Arms as they are written: on a line, or one after the other with commas."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.models import Coach
from game.trials.design.arm_text import UnreadableArm, format_arm, read_arms
from game.trials.design.phases import ArmSettings, TrialDesign
from game.trials.road.form import find_faults

ARMS = st.builds(
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


@given(st.lists(ARMS, max_size=4))
def test_what_is_written_is_read_as_it_was(arms: list[ArmSettings]) -> None:
    assert read_arms("\n".join(map(format_arm, arms))) == tuple(arms)
    assert read_arms(", ".join(map(format_arm, arms))) == tuple(arms)


def test_two_arms_of_a_command_line() -> None:
    assert read_arms("coach=off,coach=after") == (
        ArmSettings("off"),
        ArmSettings("after", coach="after"),
    )


def test_settings_are_joined_by_plus_or_semicolon_and_name_the_arm() -> None:
    text = "Coach=After + points=hidden\r\n\r\nname=paper; coach=off; dice=real; drill=yes; games=3"
    assert read_arms(text) == (
        ArmSettings("after-points-hidden", coach="after", offered_points=False),
        ArmSettings("paper", dice="real", drill=True, games_each=3),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("coach=off,coach=loud", "Arm 2, “coach=loud”: “loud” is not one of off, after"),
        ("off", "“off” is not SETTING=VALUE. Settings: name, coach"),
        ("colour=red", "“colour=red” is not SETTING=VALUE"),
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


def test_a_design_that_can_be_carried_out_has_no_faults() -> None:
    assert not faults(arms=(OFF, AFTER), before=1, follow_up=1, follow_up_days=3, within=True)


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
