from django.apps import AppConfig


class TrialsConfig(AppConfig):
    name = "game.trials"
    verbose_name = "Trials"
    # Models with data about a person that the export of a player's own data omits, and the reason.
    left_out = {
        "trials.Participant": "A study holds it under a code, and its researchers answer for it.",
        "trials.Trial": "It belongs to a study; its maker is named on its page.",
        "trials.TrialGame": "A study holds it under a code; the game itself is in the file.",
        "trials.TrialStaff": "It belongs to a study, whose page lists the roles.",
    }

    def ready(self) -> None:
        from game.core.kind import name_kinds
        from game.trials import answers, audiences

        name_kinds("game.trials.kind")
        answers.register_trials()
        audiences.add_trial_pages()
