"""The trials' implementation of ``game.core.studies``, the interface that other packages use."""

from game.core.studies import Studies, run_studies
from game.models import Participant, Player
from game.trials.design.reading import may_drill
from game.trials.joining.progress import read_progress
from game.trials.reading import find_participant_by_code, is_in_trial


class Trials(Studies):
    def include(self, player: Player) -> bool:
        return is_in_trial(player)

    def participant(self, code: str) -> Participant | None:
        return find_participant_by_code(code)

    def find_ruleset_of(self, participant: Participant) -> str:
        return read_progress(participant).rules.id

    def open_drill(self, player: Player) -> bool:
        return may_drill(player)


def register_trials() -> None:
    run_studies(Trials())
