"""Queries for a trial's design, and for a participant's next game and next questions."""

from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta

from django.db.models import Max

from game.core.game_queries import OPEN
from game.models import Player
from game.trials.design.phases import (
    BEFORE,
    FOLLOW_UP,
    TRAINING,
    ArmSettings,
    PlannedGame,
    TrialDesign,
    derive_list_seed,
    list_games,
    make_seal,
)
from game.trials.models import Arm, Participant, Trial
from game.trials.reading import query_games_of
from solver.rules import PLAYED, Ruleset, find_ruleset


def build_design(trial: Trial) -> TrialDesign:
    names = (field.name for field in fields(ArmSettings))
    arms = tuple(ArmSettings(**row) for row in trial.arms.order_by("position").values(*names))
    return TrialDesign(
        games_each=trial.games_each,
        arms=arms,
        before=trial.games_before,
        after=trial.games_after,
        follow_up=trial.games_follow_up,
        follow_up_days=trial.follow_up_days,
        within=trial.within,
        own_games=any(
            arm.ruleset not in {"", trial.ruleset}
            or arm.dice not in {"", trial.dice}
            or arm.shared_dice not in {None, trial.shared_dice}
            for arm in arms
        ),
    )


def list_rulesets(trial: Trial) -> tuple[Ruleset, ...]:
    """Return the trial's ruleset, followed by the other rulesets of its arms."""
    others = {arm.ruleset for arm in trial.arms.all()} - {"", trial.ruleset}
    return trial.rules, *(find_ruleset(name, PLAYED) for name in sorted(others))


def make_trial_seal(trial: Trial) -> str:
    """Return the hash of the allocation list (the seal), which pages show from the first day."""
    arms, version = map(asdict, build_design(trial).arms), trial.seal_version
    return make_seal(derive_list_seed(trial.seed), list(arms), within=trial.within, version=version)


def may_show_seed(trial: Trial) -> bool:
    """Return whether pages may show the seed, from which anyone can calculate each person's arm."""
    return trial.closed_at is not None and not trial.masked


@dataclass(frozen=True, slots=True)
class NextGame:
    """A participant's next game. The game cannot begin before ``opens_at``."""

    number: int
    phase: str
    arm: Arm | None
    opens_at: datetime | None


def is_draw_due(participant: Participant) -> bool:
    design = build_design(participant.trial)
    if not design.arms or participant.arm_id is not None:
        return False
    return participant.games.filter(game__finished_at__isnull=False).count() >= design.common


def count_planned_games(participant: Participant, design: TrialDesign) -> int | None:
    """Return the participant's number of games; None if it depends on an arm not yet drawn."""
    if participant.planned is not None:
        return participant.planned
    return min(design.lengths) if len(design.lengths) == 1 else None


def find_next_game(participant: Participant, design: TrialDesign | None = None) -> NextGame | None:
    """Return the next game; None if all games have begun, or if the arm must be drawn first. The
    follow-up may begin ``follow_up_days`` after the last game before it."""
    trial = participant.trial
    number = participant.games.count() + 1
    design = design or build_design(trial)
    drawn = not design.arms or participant.arm_id is not None
    plan = [PlannedGame(BEFORE, None)] * design.common  # the games before the arm is drawn
    if drawn:
        plan = list_games(design, participant.order)
    if number > len(plan):
        return None
    phase, arm = plan[number - 1]
    following = None if arm is None else trial.arms.get(position=arm + 1)
    opens = None
    if phase == FOLLOW_UP:
        before = participant.games.exclude(phase=FOLLOW_UP)
        opens = before.aggregate(last=Max("game__finished_at"))["last"]
        opens = opens and opens + timedelta(days=trial.follow_up_days)
    return NextGame(number, phase, following, opens)


def may_drill(player: Player) -> bool:
    """Return whether the participant may use the drill. This needs two things: no game is open, and
    the next game is a training game of an arm with a drill."""
    participants = Participant.objects.select_related("trial").filter(
        player=player, arm__isnull=False
    )
    participant = participants.filter(
        trial__opened_at__isnull=False, trial__closed_at__isnull=True
    ).first()
    if participant is None or query_games_of(participant).filter(OPEN).exists():
        return False
    following = find_next_game(participant)
    arm = following.arm if following and following.phase == TRAINING else None
    return arm is not None and arm.drill


ANSWERS = EXPERIENCE, LAST_PLAYED, STRATEGY = ("experience", "last_played", "strategy")


def list_due_answers(participant: Participant, *, played: bool) -> tuple[str, ...]:
    """Return the names of the questions on experience that are due. ``played`` means that the
    participant has finished all games. The question on strategy comes after the games, because it
    mentions programs that judge moves."""
    if not participant.trial.questionnaire:
        return ()
    if participant.answered_at is None:
        return ANSWERS[:2]
    left_out = participant.experience and not participant.strategy
    return (STRATEGY,) if played and left_out else ()
