"""The same-value test, in which all players use the same dice: its page, its files, a person's
games.

The page shows results that come with the program, or that ``lab_prepare`` has stored.
"""

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import prefetch_related_objects
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.access import check_not_blinded
from game.core.fair import tickets
from game.core.game_dice import build_lab_block, list_shown_dice
from game.core.game_queries import OPEN
from game.core.kind import StartedKind, Wish
from game.core.refusals import NoSuchGame, NoTable, NotUnderstood, Refused
from game.core.worth.tables import load_advisor
from game.lab.labels import (
    CSV,
    JSON,
    SITE,
    find_lab_rules,
    make_file_response,
    make_lab_url,
    make_rules_context,
)
from game.models import Game, Player
from game.pages.presentation import Presentation
from game.pages.requests.forms import StartForm
from game.pages.requests.visitors import PlayRequest
from solver.advice import Advisor
from solver.arena.facts import (
    SEED,
    find_test_path,
    make_difference_facts,
    make_game_facts,
    rebuild_game,
)
from solver.arena.results import read_stored_facts
from solver.arena.same_value import JudgedGame as Column
from solver.arena.same_value import judge_game, judge_with_costs
from solver.rules import Ruleset
from solver.study.html import Link, render_parts
from solver.study.same_value import YOU, report_totals, report_turns

MOST_SEED = 2**63 - 1
MOST_GAMES = 100  # games on one page of totals


class DiceInPlay(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("You are playing on these dice: you can get the files after the game."))


@dataclass(frozen=True)
class SameDice:
    """A same-value test, read from a file. Methods raise an error if their data is damaged."""

    seed: int
    rules: Ruleset
    facts: dict[str, Any]

    @property
    def csv(self) -> str:
        return make_lab_url("same_value_file", self.rules, self.seed, "test.csv")

    @property
    def json(self) -> str:
        return make_lab_url("same_value_file", self.rules, self.seed, "test.json")

    @property
    def games(self) -> list[dict[str, Any]]:
        games: list[dict[str, Any]] = self.facts["games"]
        return games

    def can_be_played(self, number: int) -> bool:
        """Return whether a new game with this number would get the same dice as the stored game."""
        if not 1 <= number <= len(self.games):
            return False
        block = build_lab_block(self.seed, number, self.rules)
        listed = [[list(throw) for throw in throws] for throws in block]
        return bool(self.games[number - 1]["dice"] == listed)

    def render_totals(self, number: int) -> str:
        """Return an HTML table of all scores and costs. The page shows the game ``number``."""

        def make_link(target: int) -> Link:
            address = f"?seed={self.seed}&game={target}#game"
            return Link(
                _("Game %(number)s") % {"number": target}, address, current=target == number
            )

        return render_parts(report_totals(self.facts, SITE, make_link), on_page=True)

    def turns(self, number: int) -> str:
        return render_parts(report_turns(self.facts, self.rules, number, SITE), on_page=True)


def read_stored_test(seed: int, rules: Ruleset) -> SameDice | None:
    """Return the stored test with this seed, or None if it is missing or damaged."""
    path = find_test_path(seed, rules)
    try:
        if seed == SEED and not path.exists():  # the games for this seed come with the program
            facts = dict(read_stored_facts(rules).get("same_dice", {}))
        else:
            facts = json.loads(path.read_text())
        test = SameDice(seed, rules, facts)
        test.render_totals(1)
        for number, row in enumerate(test.games, start=1):
            test.turns(number)
            for played in row["players"]:
                rebuild_game(played)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None
    return test if test.games else None


@dataclass(frozen=True, slots=True)
class LabGames:
    """A person's lab games on the dice of one seed, by game number. If the person finished several
    games with one number, only the first counts, because afterwards the person knows the dice.
    ``known`` has the finished games whose dice the person knew from a game that was given up."""

    under_way: Mapping[int, Game] = field(default_factory=dict)
    finished: Mapping[int, Game] = field(default_factory=dict)
    known: frozenset[int] = frozenset()


def find_lab_games(player: Player | None, rules: Ruleset, seed: int) -> LabGames:
    if player is None:
        return LabGames()
    games = Game.objects.filter(player=player, mode=Game.Mode.LAB, ruleset=rules.id, lab_seed=seed)
    under_way, finished, given_up = {}, dict[int, Game](), list[Game]()
    for game in games.order_by("finished_at", "started_at"):
        if game.abandoned_at:
            given_up.append(game)
        elif game.finished_at:
            finished.setdefault(_require_number(game), game)
        else:
            under_way[_require_number(game)] = game
    prefetch_related_objects(list(finished.values()), "decisions")
    known = {
        number
        for game in given_up
        if (number := _require_number(game)) in finished
        and game.started_at < finished[number].started_at
    }
    return LabGames(under_way, finished, frozenset(known))


def _require_number(game: Game) -> int:
    assert game.lab_number is not None  # noqa: S101
    return game.lab_number


def add_own_games(test: SameDice, games: LabGames, *, best: bool = False) -> SameDice:
    """Add the person's games to the test as the first column. ``best`` also adds the best move to
    each mistake, which takes longer."""
    coach = load_advisor(test.rules) if best else None
    columns = {number: make_column(game, coach) for number, game in games.finished.items()}
    known = {number: game for number, game in columns.items() if game is not None}
    if not known:
        return test
    rows = []
    for number, row in enumerate(test.games, start=1):
        facts, difference = None, None
        if (mine := known.get(number)) is not None:
            facts = make_game_facts(mine)
            difference = make_difference_facts(mine, rebuild_game(row["players"][-1]))
        columns_of_row = {
            "players": [facts, *row["players"]],
            "first_differences": [difference, *row["first_differences"]],
        }
        rows.append({**row, **columns_of_row})
    players = [YOU, *test.facts["players"]]
    return SameDice(test.seed, test.rules, test.facts | {"players": players, "games": rows})


def make_column(game: Game, coach: Advisor | None) -> Column | None:
    """Return the person's game with the cost of each decision. Calculate costs that are not stored;
    return None if this needs a missing value table."""
    decisions = list(game.decisions.all())
    actions = [decision.action for decision in decisions]
    costs = [
        decision.regret for decision in decisions if decision.roll and decision.regret is not None
    ]
    if len(costs) == sum(decision.roll > 0 for decision in decisions) and game.luck is not None:
        return judge_with_costs(
            YOU, game.rules, list_shown_dice(game), actions, costs, game.luck, coach
        )
    coach = coach or load_advisor(game.rules)
    return judge_game(YOU, list_shown_dice(game), actions, coach) if coach else None


@never_cache
@require_safe
def same_value(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    seed, number = _parse_whole(request.GET.get("seed")), _parse_whole(request.GET.get("game"))
    return same_value_page(request, find_lab_rules(ruleset), seed, number)


def same_value_page(
    request: PlayRequest, rules: Ruleset, seed: int, number: int, *, status: int = 200
) -> HttpResponse:
    """Render the page. ``status`` is an HTTP error if the server refused to start a game."""
    player = request.visitor.player
    check_not_blinded(player)
    test, games = read_stored_test(seed, rules), find_lab_games(player, rules, seed)
    context = {**make_rules_context("same_value", rules), "lab_url": make_lab_url("lab", rules)}
    context |= {"seed": seed, "number": number}
    if test:
        if not 1 <= number <= len(test.games):
            raise Http404
        context |= _make_context(add_own_games(test, games), games, number)
    return render(request, "lab/same_value.html", context, status=status)


def _make_context(test: SameDice, games: LabGames, number: int) -> dict[str, object]:
    """Return the template context. Hide the turns of an unfinished game: they show its dice."""
    under_way = games.under_way.get(number)
    return {
        "test": test,
        "totals": test.render_totals(number),
        "under_way": under_way,
        "turns": "" if under_way else test.turns(number),
        "finished": games.finished.get(number),
        "dice_were_known": number in games.known,
        "has_files": not games.under_way,
        "nonce": tickets.issue().signed if test.can_be_played(number) else "",
    }


@never_cache
@require_safe
def same_value_file(request: PlayRequest, seed: int, name: str, ruleset: str = "") -> HttpResponse:
    player, rules = request.visitor.player, find_lab_rules(ruleset)
    test = read_stored_test(seed, rules) if seed <= MOST_SEED else None
    if test is None or name not in TEST_FILES:
        raise Http404
    games = find_lab_games(player, rules, seed)
    if games.under_way:
        raise DiceInPlay
    content_type, write = TEST_FILES[name]
    ending = name.partition(".")[2]
    text = write(add_own_games(test, games, best=True))
    return make_file_response(f"{rules.id}-same-dice-{seed}.{ending}", content_type, text)


def _parse_whole(text: str | None) -> int:
    """Parse a whole number in the URL's query: 1 if it is missing, Http404 if it is invalid."""
    if text is None:
        return 1
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= MOST_SEED):
        raise Http404
    return int(text)


def make_same_value_csv(test: SameDice) -> str:
    """Return CSV with a row per decision; dice and holds are lists of faces, a box is its id."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["game", "player", "turn", "throws_left", "dice", "choice", "regret", "best"])
    for number, row in enumerate(test.games, start=1):
        for game in filter(None, row["players"]):  # a person may have skipped a game
            for turn, played in enumerate(game["turns"], start=1):
                for taken in played["decisions"]:
                    texts = [_format_choice(taken[key]) for key in ("dice", "choice", "best")]
                    dice, choice, best = texts
                    left, regret = taken["throws_left"], taken["regret"]
                    writer.writerow(
                        [number, game["player"], turn, left, dice, choice, regret, best]
                    )
    return text.getvalue()


def _format_choice(choice: list[int] | str | None) -> str:
    return choice if isinstance(choice, str) else " ".join(map(str, choice or ()))


TEST_FILES: Mapping[str, tuple[str, Callable[[SameDice], str]]] = MappingProxyType(
    {
        "test.csv": (CSV, make_same_value_csv),
        "test.json": (JSON, lambda test: json.dumps(test.facts) + "\n"),
    }
)


class LabKind(StartedKind):
    mode = Game.Mode.LAB
    counted = False
    thrown = False
    fields = {
        "lab_seed": forms.IntegerField(min_value=0, max_value=MOST_SEED),
        "lab_number": forms.IntegerField(min_value=1, max_value=MOST_GAMES),
    }

    @property
    def label(self) -> str:
        return _("Lab game %(number)s") % {"number": self.game.lab_number}

    @property
    def dice_from(self) -> str:
        return f"the lab's, game {self.game.lab_number} of seed {self.game.lab_seed}"

    @property
    def results_url(self) -> str:
        seed, number = self.game.lab_seed, self.game.lab_number
        return f"{make_lab_url('same_value', self.game.rules)}?seed={seed}&game={number}#game"

    @classmethod
    def needs_ticket(cls, player: Player | None, wish: Wish) -> bool:
        return player is None

    @classmethod
    def check(cls, wish: Wish) -> None:
        if None in (wish.more.get("lab_seed"), wish.more.get("lab_number")):
            raise NotUnderstood

    @classmethod
    def card(cls, owner: Player | None, wish: Wish) -> Game:
        seed, number = wish.more["lab_seed"], wish.more["lab_number"]
        game = Game(mode=cls.mode, lab_seed=seed, lab_number=number, nonce=wish.nonce)
        game.ruleset = wish.ruleset or game.ruleset
        if owner is not None:
            games = Game.objects.filter(OPEN, player=owner, mode=cls.mode, ruleset=game.rules.id)
            if under_way := games.filter(lab_seed=seed, lab_number=number).first():
                return under_way
        test = read_stored_test(seed, game.rules)
        if test is None or not test.can_be_played(number):
            raise NoSuchGame
        if load_advisor(game.rules) is None:
            raise NoTable
        return game


def _show_refusal(request: PlayRequest, form: StartForm, refusal: Refused) -> HttpResponse | None:
    if not form.is_valid():
        return None
    messages.warning(request, refusal.message)
    block = (form.cleaned_data["lab_seed"], form.cleaned_data["lab_number"])
    return same_value_page(request, form.rules or Game().rules, *block, status=refusal.status)


KIND = LabKind
PAGES = Presentation(again="lab/_again.html", proof="lab/_verify.html", not_begun=_show_refusal)
