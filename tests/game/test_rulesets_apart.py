"""What is added up of one ruleset never changes when games of another are played."""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game.core.accounts import create_player
from game.core.game_queries import calculate_statistics, list_scores
from game.core.profile_queries import (
    find_player_skill,
    list_box_habits,
    list_kind_habits,
    query_judged_games,
)
from game.core.worth.tables import load_advisor
from game.models import DrillAttempt, DrillCard, Player
from game.models.drill import make_position_fields
from game.pages.history import Wanted, query_past_games
from game.practice import drill_pool
from game.practice.drill_queries import find_next_question, list_mistake_keys, measure_progress
from game.practice.profile_board import build_portrait
from solver.rules import RULESETS, Ruleset
from tests.conftest import solved
from tests.game.rulesets import finished_game
from tests.known import rounded
from tests.play import Browser
from tests.selection import examples

# The second and the third are worth nearly the same at the start: no sum tells them apart.
SOME = [RULESETS[name] for name in ("yahtzee-plain", "yahtzee", "yahtzee-free-joker")]


def value_start(rules: Ruleset) -> float:
    coach = load_advisor(rules)
    assert coach is not None
    return coach.value_start


def drilled(player: Player, rules: Ruleset, number: int, regret: float) -> None:
    now = timezone.now()
    due = now + timedelta(days=1 if regret < 1 else -1)
    position = list(drill_pool.load_exercises(rules).values())[number].position
    card, _ = DrillCard.objects.get_or_create(
        player=player, **make_position_fields(position), defaults={"created_at": now, "due": due}
    )
    DrillAttempt.objects.create(
        card=card, number=card.attempts.count(), hold=0, regret=regret, created_at=now
    )


def everything(player: Player, rules: Ruleset) -> Mapping[str, object]:
    start = value_start(rules)
    games, mistakes = query_judged_games(player, rules, start), list_mistake_keys(player, rules)
    seen = build_portrait(player, rules, start)
    return {
        "statistics": calculate_statistics(player, rules),
        "scores": sorted(list_scores(player, rules)),
        "history": list(query_past_games(player, Wanted(rules))),
        "skill": find_player_skill(player, rules, start),
        "kinds": list_kind_habits(games, rules),
        "boxes": list_box_habits(games, rules),
        "games": seen.games,
        "lucky": (seen.lucky, seen.unlucky),
        "worst": seen.worst,
        "mistakes": mistakes,
        "next": find_next_question(player, rules, mistakes).key,
        "progress": measure_progress(player, rules, mistakes),
    }


costs = st.integers(0, 900).map(lambda hundredths: hundredths / 100)  # PostgreSQL squares them
deeds = st.lists(
    st.tuples(st.sampled_from(["game", "drill"]), st.integers(0, 50), costs), max_size=3
)


class Apart(TestCase):
    """Property tests need a transaction for each example."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for rules in SOME:
            solved(rules)

    @settings(max_examples=examples(12))
    @given(kept=st.sampled_from(SOME), added=st.sampled_from(SOME), own=deeds, others=deeds)
    def test_games_by_other_rules_change_nothing(
        self,
        kept: Ruleset,
        added: Ruleset,
        own: list[tuple[str, int, float]],
        others: list[tuple[str, int, float]],
    ) -> None:
        player = create_player()
        self.play(player, kept, own)
        before = rounded(everything(player, kept))
        if added != kept:
            self.play(player, added, others)
        assert rounded(everything(player, kept)) == before

    @staticmethod
    def play(player: Player, rules: Ruleset, deeds: list[tuple[str, int, float]]) -> None:
        for kind, number, regret in deeds:
            if kind == "game":
                finished_game(player, rules, seed=number)
            else:
                drilled(player, rules, number, regret)


@pytest.fixture
def several(browser: Browser) -> Browser:
    for rules in SOME[:2]:
        solved(rules)
    browser.post("/settings/", {"language": "", "theme": "auto", "ruleset": "yahtzee", **COACH})
    player = Player.objects.get()
    Player.objects.update(ruleset="yahtzee")
    for rules in SOME[:2]:
        finished_game(player, rules)
    return browser


@pytest.mark.django_db
def test_what_is_known_of_other_rules_does_not_make_the_first_positions_harder(
    player: Player,
) -> None:
    kept, other = SOME[:2]
    for number in range(6):
        drilled(player, other, number, 0.0)
    for rules, level in ((kept, 1), (other, 3)):
        exercise = find_next_question(player, rules, []).exercise
        assert exercise is not None
        assert exercise.level == level


COACH = {"coach": "off", "coach_threshold": "1"}
PAGES = pytest.mark.parametrize("page", ["/you/", "/learn/", "/drill/"])


@pytest.mark.django_db
@PAGES
def test_a_page_is_of_the_rules_that_its_reader_plays_by(several: Browser, page: str) -> None:
    choices = several.get(page).context["choices"]
    assert [choice.id for choice in choices if choice.current] == ["yahtzee"]
