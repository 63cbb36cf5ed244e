from django.apps import AppConfig


class TrialsConfig(AppConfig):
    name = "game.trials"
    verbose_name = "Trials"
    # Models with data about a person that the export of a player's own data omits, and the reason.
    left_out = {
        "trials.Participant": "A study stores it under a code; its researchers answer for it.",
        "trials.Trial": "The list belongs to a study; the study's page names its maker.",
        "trials.TrialGame": "A study holds it under a code; the game itself is in the file.",
        "trials.TrialStaff": "It belongs to a study, whose page lists the roles.",
    }

    def ready(self) -> None:
        from game.core.kind import register_kinds
        from game.trials import answers, audiences

        register_kinds("game.trials.kind")
        answers.register_trials()
        audiences.add_trial_pages()
