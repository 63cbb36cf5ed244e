from django.apps import AppConfig


class LabConfig(AppConfig):
    name = "game.lab"

    def ready(self) -> None:
        from game.core.kind import register_kinds
        from game.pages.requests.audiences import add_pages, everybody, learners

        register_kinds("game.lab.same_value")
        pages = """
            lab lab_chart lab_tournament lab_learners lab_player lab_file same_value same_value_file
            study study_file study_readings workbench lab_sources solve_here solve_here_facts
            lab_answers playbook
        """
        add_pages({everybody: "dice_test", learners: pages})
