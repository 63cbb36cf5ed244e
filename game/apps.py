import logging

from django.apps import AppConfig

from game.management.catalogues import compile_catalogues

logger = logging.getLogger(__name__)
KINDS = (
    "game.kinds.solo",
    "game.kinds.daily",
    "game.kinds.rematch",
    "game.lab.kind",
    "game.kinds.duel",
    "game.kinds.party",
    "game.kinds.imported",
    "game.kinds.offline",
    "game.trials.kind",
)


class GameConfig(AppConfig):
    name = "game"
    verbose_name = "Yatzy"

    def ready(self) -> None:
        from game.kind import name_kinds
        from game.management import checks  # noqa: F401  (checks register themselves)
        from game.services import day_chain, sitting
        from game.trials import answers
        from game.web import bots, live

        try:
            compile_catalogues()
        except OSError as error:
            logger.warning("Translations are missing or out of date (%s): make install", error)
        name_kinds(KINDS)
        answers.answer()
        live.listen()
        bots.listen()
        sitting.listen()
        day_chain.listen()
