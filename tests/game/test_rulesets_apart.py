"""What is added up of one ruleset never changes when games of another are played."""

from collections.abc import Mapping
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game.core.accounts import player_create
from game.core.game_queries import player_scores, player_statistics
from game.core.profile_queries import judged_games, player_skill, profile_boxes, profile_kinds
from game.core.worth.tables import advisor
from game.models import DrillAttempt, DrillCard, Player
from game.models.drill import position_fields
from game.pages.history import Wanted, player_past
from game.practice import drill_pool
from game.practice.drill_queries import drill_mistakes, drill_next, drill_progress
from game.practice.profile_board import portrait
from solver.rules import RULESETS, Ruleset
from tests.conftest import solved
from tests.game.rulesets import finished_game
from tests.known import rounded
from tests.play import Browser
from tests.selection import examples

# The second and the third are worth nearly the same at the start: no sum tells them apart.
SOME = [RULESETS[name] for name in ("yahtzee-plain", "yahtzee", "yahtzee-free-joker")]


def value_start(rules: Ruleset) -> float:
    coach = advisor(rules)
    assert coach is not None
    return coach.value_start


def drilled(player: Player, rules: Ruleset, number: int, regret: float) -> None:
    """An attempt at a position of the pool; what went wrong is due again."""
    now = timezone.now()
    due = now + timedelta(days=1 if regret < 1 else -1)
    position = list(drill_pool.exercises(rules).values())[number].position
    card, _ = DrillCard.objects.get_or_create(
        player=player,
        **position_fields(position),
        defaults={"created_at": now, "due": due},
    )
    DrillAttempt.objects.create(
        card=card, number=card.attempts.count(), hold=0, regret=regret, created_at=now
    )


def everything(player: Player, rules: Ruleset) -> Mapping[str, object]:
    """Whatever is added up of this player's games by these rules."""
    start = value_start(rules)
    games, mistakes = judged_games(player, rules, start), drill_mistakes(player, rules)
    seen = portrait(player, rules, start)
    return {
        "statistics": player_statistics(player, rules),
        "scores": sorted(player_scores(player, rules)),
        "history": list(player_past(player, Wanted(rules))),
        "skill": player_skill(player, rules, start),
        "kinds": profile_kinds(games, rules),
        "boxes": profile_boxes(games, rules),
        "games": seen.games,
        "lucky": (seen.lucky, seen.unlucky),
        "worst": seen.worst,
        "mistakes": mistakes,
        "next": drill_next(player, rules, mistakes).key,
        "progress": drill_progress(player, rules, mistakes),
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
        player = player_create()
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
    """Somebody with a game by two rulesets."""
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
        exercise = drill_next(player, rules, []).exercise
        assert exercise is not None
        assert exercise.level == level


COACH = {"coach": "off", "coach_threshold": "1"}
PAGES = pytest.mark.parametrize("page", ["/you/", "/profile/leaks/", "/drill/"])


@pytest.mark.django_db
@PAGES
def test_a_page_is_of_the_rules_that_its_reader_plays_by(several: Browser, page: str) -> None:
    choices = several.get(page).context["choices"]
    assert [choice.id for choice in choices if choice.current] == ["yahtzee"]
