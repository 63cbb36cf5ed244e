import logging

from django.apps import AppConfig

from game.management.catalogues import compile_catalogues

logger = logging.getLogger(__name__)
KINDS = (
    "game.core.solo_kind",
    "game.pages.daily.daily_kind",
    "game.pages.rematch_kind",
    "game.duels.duel_kind",
    "game.duels.party_kind",
    "game.pages.imported_kind",
    "game.offline.offline_kind",
)


class GameConfig(AppConfig):
    name = "game"
    verbose_name = "Yatzy"

    def ready(self) -> None:
        from game.core import spent_tickets
        from game.core.kind import register_kinds
        from game.duels import duel_bots, duel_ends
        from game.management import checks  # noqa: F401  (checks register themselves)
        from game.pages.daily import daily_dice
        from game.pages.requests import live

        try:
            compile_catalogues()
        except OSError as error:
            logger.warning("translations are missing or outdated (%s): run `make install`", error)
        register_kinds(*KINDS)
        live.listen()
        spent_tickets.listen()
        duel_bots.listen()
        duel_ends.listen()
        daily_dice.listen()
