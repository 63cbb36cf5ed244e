"""The functions by which other packages use trials, as ``game.core.studies`` declares them."""

from game.core.studies import Studies, run_studies
from game.models import Player
from game.trials import reading
from game.trials.design.reading import may_drill
from game.trials.joining import withdrawing
from game.trials.joining.progress import read_progress


def register_trials() -> None:
    studies = Studies(
        list_running=lambda: list(reading.RUNNING.fetch_models()),
        include=reading.is_in_trial,
        query_players=lambda: Player.objects.filter(participant__isnull=False),
        find_participant=reading.read_participant_cookie,
        find_way=lambda cookie: reading.split_participant_cookie(cookie)[3],
        make_cookie=reading.make_participant_cookie,
        find_frame=reading.find_frame,
        find_player=reading.find_trial_player,
        find_ruleset_of=lambda participant: read_progress(participant).rules.id,
        open_drill=may_drill,
        query_deletable=withdrawing.query_deletable_rows,
        delete_expired=withdrawing.delete_expired_data,
    )
    run_studies(studies)
