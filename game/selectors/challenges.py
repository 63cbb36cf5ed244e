"""Who has played the dice of a finished game, and what they made of them."""

from django.db.models import QuerySet

from game.models import Game, Player


def player_on_dice(player: Player | None, game: Game) -> Game | None:
    """The first game that this player has had of these dice, whoever they came from."""
    if player is None:
        return None
    same = Game.objects.filter(player=player, seed=game.seed, ruleset=game.ruleset)
    return same.order_by("started_at").first()


def tries_of_others(game: Game) -> QuerySet[Game]:
    """Whoever was asked to beat it, and has finished: the best first."""
    others = Game.objects.filter(rematch_of=game, finished_at__isnull=False)
    tries = others.exclude(player=game.player_id).select_related("player")
    return tries.order_by("-final_score", "finished_at")
