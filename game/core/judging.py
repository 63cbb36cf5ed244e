"""Calculates what decisions cost: when they are stored, or later if a value table was missing."""

from collections.abc import Sequence
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from game.core.events import announce_board
from game.core.game_dice import list_shown_dice
from game.core.game_queries import Played, query_games, replay_game
from game.core.worth.tables import ask_advisor, find_value_start
from game.models import Decision, Game, Player
from solver.advice import Advisor, Entry
from solver.rules import PLAYED, Ruleset, replay_actions
from solver.tables import VALUES
from solver.tables.parts import find_existing_parts

JUDGED = ("best", "value", "regret", "luck", "forced")
ADDED_UP = ("regret", "luck", "free_decisions", "hinted", "hinted_regret")
AT_ONCE = 20  # the most games that are judged while a page is loading

# Rulesets that may have unjudged games; at the start of a server these are all rulesets.
to_be_judged = set(PLAYED)


def make_judgement_columns(entry: Entry | None) -> dict[str, float | bool]:
    return {} if entry is None else {name: getattr(entry, name) for name in JUDGED}


def set_totals(game: Game, moves: Sequence[Entry | Decision | None]) -> None:
    """Set the game's total luck and total cost of its judged moves; do not save the game."""
    judged = [move for move in moves if move is not None]
    free = [(at, move) for at, move in enumerate(moves) if move is not None and not move.forced]
    hinted = [move for at, move in free if at in game.hinted_moves]
    game.regret = sum(move.regret or 0.0 for move in judged) if judged else None
    game.luck = sum(move.luck or 0.0 for move in judged) if judged else None
    game.free_decisions = len(free) or None
    game.hinted = len(hinted)
    game.hinted_regret = sum(move.regret or 0.0 for move in hinted)


def judge_games(*, games: QuerySet[Game], most: int | None = None) -> int:
    """Judge games that lacked a value table when they were played; return the number of games."""
    unjudged = list(_find_unjudged(games).only("pk", "ruleset")[:most])
    return sum(
        bool(ask_advisor(game.rules, partial(_judge_with_advisor, game_id=game.pk)))
        for game in unjudged
    )


def judge_player_games(*, player: Player, rules: Ruleset) -> int:
    """Judge a few of the player's latest games, because a page is about to add up their costs."""
    games = Game.objects.filter(player=player, ruleset=rules.id)
    return judge_games(games=games.order_by("-finished_at"), most=AT_ONCE)


def judge_game(*, game: Game) -> int:
    return judge_games(games=Game.objects.filter(pk=game.pk))


def judge_if_finished(played: Played) -> Played:
    """Judge the game if it is finished and its value table now exists. Return the game."""
    game = played.game
    if game.finished_at is None or played.lost is not None:
        return played
    to_be_judged.add(game.ruleset)
    return replay_game(query_games().get(pk=game.pk)) if judge_game(game=game) else played


def judge_in_background() -> int:
    """Judge a few games of each ruleset that may have unjudged games and whose value table exists.
    Return the number of games."""
    judged = 0
    for name in sorted(to_be_judged):
        rules = PLAYED[name]
        if not find_existing_parts(rules)[VALUES] or find_value_start(rules) is None:
            continue
        to_be_judged.discard(name)  # clear this first: a game that ends now adds its ruleset again
        finished, left = Game.objects.filter(ruleset=name).order_by("-finished_at"), True
        try:
            latest = judge_games(games=finished, most=AT_ONCE)
            left = latest == AT_ONCE or find_value_start(rules) is None
        finally:
            if left:
                to_be_judged.add(name)
        judged += latest
    return judged


def count_unjudged_games() -> int:
    return _find_unjudged(Game.objects.filter(ruleset__in=sorted(to_be_judged))).count()


def _find_unjudged(games: QuerySet[Game]) -> QuerySet[Game]:
    silent = Decision.objects.filter(game=OuterRef("pk"), roll__gt=0, regret__isnull=True)
    return games.filter(Exists(silent), finished_at__isnull=False)


def _judge_with_advisor(coach: Advisor, game_id: str) -> bool:
    """Store what each decision of a game cost, and the game's sums. Return True."""
    with transaction.atomic():
        game = query_games().select_for_update(of=("self",)).get(pk=game_id)
        rows = list(game.decisions.order_by("seq"))
        steps = replay_actions(game.rules, list_shown_dice(game), [row.action for row in rows])
        late = []
        for row, (state, action) in zip(rows, steps, strict=True):
            if row.regret is None and state.dice:
                entry = coach.entry(state, action)
                for name, figure in make_judgement_columns(entry).items():
                    setattr(row, name, figure)
                late.append(row)
        Decision.objects.bulk_update(late, JUDGED)
        set_totals(game, [row for row in rows if row.regret is not None])
        game.save(update_fields=ADDED_UP)
        announce_board(game)  # an open page may show the end of this game
    return True
