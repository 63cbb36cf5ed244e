"""The kind of a trial's games: each measures one player, and players may get the same dice."""

from django.core.exceptions import PermissionDenied
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from game.duels.party_kind import RoundTableKind
from game.models import Game
from game.pages.presentation import Presentation
from game.trials.design.people import log_event
from game.trials.design.reading import build_design, count_planned_games
from game.trials.joining.progress import find_table
from game.trials.joining.writing import check_open
from game.trials.models import Participant, TrialEvent, TrialGame


class TrialRuns(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("When the trial is closed, you see what your moves were worth."))


class TrialKind(RoundTableKind):
    mode = Game.Mode.TRIAL
    counted = False
    watched = False  # a person who watches could see dice that they get later themselves
    measured = True
    related = (
        "trial_game",
        "trial_game__participant",
        "trial_game__participant__trial",
        "trial_game__arm",
    )

    @property
    def _place(self) -> TrialGame:
        return self.game.trial_game

    @property
    def _participant(self) -> Participant:
        return self._place.participant

    @cached_property
    def others_turn(self) -> str:
        table = find_table(self._participant)
        return table.others_turn if table else ""

    @property
    def label(self) -> str:
        participant, place = self._participant, self._place
        games: int | None = participant.games_planned
        if place.phase == TrialGame.Phase.BEFORE:
            games = count_planned_games(participant, build_design(participant.trial))
        text = _("Trial game %(number)s of %(games)s") if games else _("Trial game %(number)s")
        return text % {"number": place.number, "games": games}

    @property
    def player_label(self) -> str:
        return self._participant.label

    @property
    def withheld(self) -> PermissionDenied | None:
        return TrialRuns() if self._participant.trial.closed_at is None else None

    @property
    def coached(self) -> bool:
        """True from a training game of an arm with a coach until the next game begins."""
        game, place = self.game, self._place
        arm = place.arm if place.in_training else None
        if arm is None or game.coach == Game.Coach.OFF or game.coach != arm.coach:
            return False
        later = TrialGame.objects.filter(participant=place.participant, number__gt=place.number)
        return not (game.over and later.exists())

    @property
    def points_hidden(self) -> bool:
        arm = self._place.arm
        return arm is not None and self._place.in_training and not arm.offered_points

    @property
    def games_left(self) -> int:
        return self._participant.games_planned - self._place.number

    def make_share_url(self, *, owner: bool) -> str:
        return ""

    def react_to_review(self, participant: Participant | None) -> None:
        """Log, once per game, that the participant has seen the review."""
        place, kind = self._place, TrialEvent.Kind.REVIEWED
        if participant is None or place.participant_id != participant.pk:
            return
        if not participant.events.filter(kind=kind, detail__game=place.number).exists():
            log_event(participant.trial, kind, participant, game=place.number)

    @property
    def must_go_on(self) -> str:
        return _("You cannot give up a trial game, but you can continue it later.")

    def check_open(self) -> None:
        check_open(self._participant)


KIND = TrialKind
PAGES = Presentation(
    again="trials/_again.html", about="trials/_about.html", passing="trials/_pass.html"
)
