from django.apps import AppConfig


class GameConfig(AppConfig):
    name = "game"
    verbose_name = "Yatzy"

    def ready(self) -> None:
        from game import live

        live.listen()
