"""What the database holds of the games that were played, replayed."""

from collections.abc import Mapping

import django

from solver.rules import Action


def compare(
    acknowledged: Mapping[str, list[Action]], totals: Mapping[str, int]
) -> tuple[int, list[str]]:
    """How many decisions are stored, and what is not as it was acknowledged."""
    django.setup()
    from game.models import Game
    from game.selectors.games import game_played

    stored, wrong = 0, []
    for game in Game.objects.filter(pk__in=list(acknowledged)):
        played = game_played(game)
        stored += len(played.actions)
        if list(played.actions) != acknowledged[game.pk]:
            wrong.append(f"{game.pk}: other decisions are stored than were acknowledged")
        if totals.get(game.pk, game.final_score) != game.final_score:
            wrong.append(f"{game.pk}: {game.final_score} is stored, {totals[game.pk]} was shown")
        if played.state.finished and played.state.total != game.final_score:
            wrong.append(f"{game.pk}: replayed, its score is {played.state.total}")
    missing = len(acknowledged) - Game.objects.filter(pk__in=list(acknowledged)).count()
    return stored, wrong + [f"{missing} games are not stored"] * bool(missing)
