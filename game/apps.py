from django.apps import AppConfig


class GameConfig(AppConfig):
    name = "game"
    verbose_name = "Yatzy"

    def ready(self) -> None:
        from game import checks  # noqa: F401  (checks register themselves)
        from game.web import live

        live.listen()
