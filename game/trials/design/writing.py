"""The services that create, change, open, close and delete trials."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from game.core.accounts import delete_games
from game.core.game_queries import OPEN
from game.core.refusals import Refused
from game.models import Game, Player
from game.trials.design.arm_text import format_arm, format_settings
from game.trials.design.consent import check_texts, find_months_kept
from game.trials.design.masking import UNMET, find_stopping_state, unmask_trial
from game.trials.design.people import log_changes, log_event
from game.trials.design.phases import ArmSettings, derive_list_seed, draw_condition, list_games
from game.trials.design.reading import (
    build_design,
    is_draw_due,
    make_trial_seal,
    may_show_seed,
)
from game.trials.models import MOST_PLACES, Arm, Consent, Participant, Trial, TrialEvent, TrialStaff
from solver.study.published import RULES, read_reported

PEOPLE = read_reported()["human_trials"]
SILENT, COACHED = ArmSettings("off"), ArmSettings("after", coach="after")


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset: values for fields of ``Trial`` and facts for the consent text, both by name."""

    name: str
    words: str
    settings: Mapping[str, object]
    arms: tuple[ArmSettings, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)


COACH = Preset(
    "coach",
    "Does a coach make people play better?",
    {"places": 60, "games_before": 3, "games_each": 6, "games_after": 3},
    arms=(SILENT, COACHED),
)
STUDY = Preset(
    "study",
    "Repeat the published study",
    {
        "title": "How people play Yatzy",
        "places": PEOPLE["players"],
        "games_each": PEOPLE["games"] // PEOPLE["players"],
        "ruleset": RULES.id,
        "dice": Trial.Dice.REAL.value,
        "shared_dice": False,
        "round_table": True,
    },
    facts={"pay": "nothing"},
)
EMPTY = Preset("empty", "Empty", {"places": 6, "games_each": 5})
PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in (COACH, STUDY, EMPTY)}


def replace_arms(trial: Trial, arms: Sequence[ArmSettings]) -> None:
    if tuple(arms) == build_design(trial).arms:
        return
    trial.arms.all().delete()
    Arm.objects.bulk_create(
        Arm(trial=trial, position=position, **asdict(arm))
        for position, arm in enumerate(arms, start=1)
    )


def lock_trial(trial_id: int) -> Trial:
    """Lock the trial's row, so that two people who join at the same moment get different places."""
    return Trial.objects.select_for_update().get(pk=trial_id)


def assign_arm(participant: Participant) -> None:
    """Assign the next arm of the allocation list, if one is due. The caller locks the trial."""
    if not is_draw_due(participant):
        return
    trial = participant.trial
    design = build_design(trial)
    number = trial.participants.filter(draw__isnull=False).count() + 1
    condition = draw_condition(derive_list_seed(trial.seed), number, design.conditions)
    order = design.find_arm_order(condition)
    participant.arm = trial.arms.get(position=order[0] + 1)
    participant.arm_order = " ".join(str(arm + 1) for arm in order)
    participant.draw = number
    participant.planned = len(list_games(design, order))
    participant.assigned_at = timezone.now()
    participant.save(update_fields=["arm", "arm_order", "draw", "planned", "assigned_at"])
    if not design.within:  # the arm also applies to the baseline games
        participant.games.update(arm=participant.arm)


def describe_allocation(trial: Trial) -> dict[str, object]:
    """Return the names and settings of the arms, and the hash (seal) and the seed of the allocation
    list; the seed is empty until the trial is closed and unblinded. Return {} without arms."""
    arms = build_design(trial).arms
    if not arms:
        return {}
    return {
        "arms": [(arm.name, format_settings(arm)) for arm in arms],
        "seal": make_trial_seal(trial),
        "seed": derive_list_seed(trial.seed) if may_show_seed(trial) else "",
    }


# Settings that cannot change once a participant has agreed to the consent text.
FIXED = {"games_each", "ruleset", "dice", "dice_places", "shared_dice"}
# Settings that cannot change once the trial has opened, because its public seal covers the design.
DESIGN = {"design", "games_before", "games_after", "games_follow_up", "follow_up_days"}


def create_trial(
    *,
    consent: str,
    created_by: User | None = None,
    rehearsal: bool = False,
    arms: Sequence[ArmSettings] = (),
    **settings: object,
) -> Trial:
    """Create a trial that nobody can join yet, with its consent text, arms and personal links."""
    with transaction.atomic():
        seed = secrets.token_hex(32)
        trial = Trial(created_by=created_by, rehearsal=rehearsal, seed=seed, **settings)
        trial.save(force_insert=True)
        if created_by is not None:
            TrialStaff.objects.create(trial=trial, user=created_by, role=TrialStaff.Role.OWN)
        replace_arms(trial, arms)
        Consent.objects.create(trial=trial, version=1, text=normalise_text(consent))
        _create_places(trial)
        return trial


def configure_trial(
    *, trial: Trial, consent: str, arms: Sequence[ArmSettings] | None = None, **settings: object
) -> Trial:
    """Change a trial's settings, consent text and arms. If ``arms`` is missing, the arms stay. If
    someone has agreed to the consent text, a changed text becomes a new version, to which all must
    agree."""
    with transaction.atomic():
        trial = lock_trial(trial.pk)
        _check_fixed(trial, settings, arms)
        before = _list_values(trial, settings)
        for name, value in settings.items():
            setattr(trial, name, value)
        trial.save()
        if arms is not None:
            replace_arms(trial, arms)
        changes: dict[str, object] = {}
        latest, text = trial.consents.latest("version"), normalise_text(consent)
        if normalise_text(latest.text) != text:
            version = latest.version
            if latest.given.exists():
                latest = Consent.objects.create(trial=trial, version=version + 1, text=text)
            else:
                latest.text = text
                latest.save(update_fields=["text"])
            changes["consent"] = {"from": version, "to": latest.version}
        if trial.is_open:
            check_texts(trial)
        log_changes(trial, before, _list_values(trial, settings), **changes)
        _create_places(trial)
        return trial


def open_trial(*, trial: Trial) -> Trial:
    """Open the trial. If it was closed before, log when it was closed, and how many reviews
    participants have seen since then."""
    with transaction.atomic():
        locked = lock_trial(trial.pk)
        if not locked.is_open:
            check_texts(locked)
            closed, locked.closed_at = locked.closed_at, None
            locked.opened_at = locked.opened_at or timezone.now()
            locked.save(update_fields=["opened_at", "closed_at"])
            if closed is None:
                kept = str(find_months_kept(locked))  # drafts of earlier versions may have any text
                promise = {"kept": int(kept)} if kept.isdecimal() else {}
                log_event(locked, TrialEvent.Kind.OPENED, **promise)
            else:
                seen = locked.events.filter(kind=TrialEvent.Kind.REVIEWED, at__gte=closed)
                kind, when = TrialEvent.Kind.REOPENED, closed.isoformat()
                log_event(locked, kind, closed=when, reviews_seen=seen.count())
    trial.refresh_from_db()
    return trial


def close_trial(*, trial: Trial) -> Trial:
    """Close the trial: no game can go on, and participants may see the reviews of their games.
    Unblind it, unless its locked stopping rule is not met."""
    with transaction.atomic():
        locked = lock_trial(trial.pk)
        if locked.opened_at is None:
            raise Refused("This trial has not been opened yet.")
        if locked.closed_at is None:
            locked.closed_at = timezone.now()
            locked.save(update_fields=["closed_at"])
            locked.withdrawn_labels.all().delete()  # external IDs are useless once nobody can join
            games = Game.objects.filter(OPEN, trial_game__participant__trial=locked).count()
            log_event(locked, TrialEvent.Kind.CLOSED, games_under_way=games)
            if locked.masked and find_stopping_state(locked) != UNMET:
                unmask_trial(locked)
    trial.refresh_from_db()
    return trial


def delete_trial(*, trial: Trial) -> None:
    with transaction.atomic():
        locked = Trial.objects.select_for_update().filter(pk=trial.pk).first()
        if locked is None:
            return  # another request has already deleted the trial
        trial = locked
        if trial.is_open and not trial.rehearsal:
            raise Refused("Close this trial first: it is open.")
        delete_games(games=Game.objects.filter(player__participant__trial=trial))
        Player.objects.filter(participant__trial=trial).delete()
        trial.participants.all().delete()  # first: an agreed consent text cannot be deleted
        trial.delete()


def has_trial_begun(trial: Trial) -> bool:
    return trial.participants.filter(consent__isnull=False).exists()


def _list_values(trial: Trial, settings: Mapping[str, object]) -> dict[str, Any]:
    """Return the present values of these settings, the facts of the consent text, and the arms."""
    values: dict[str, Any] = {name: getattr(trial, name) for name in settings}
    values |= values.pop("facts", {})
    values["arms"] = [format_arm(arm) for arm in build_design(trial).arms]
    return values


def _check_fixed(
    trial: Trial, settings: Mapping[str, object], arms: Sequence[ArmSettings] | None
) -> None:
    """Raise Refused if a change would affect games that someone plays, places that someone has, or
    an opened trial's design, whose hash is public."""
    changed = {name for name, value in settings.items() if value != getattr(trial, name)}
    if changed & FIXED and has_trial_begun(trial):
        raise Refused(
            "A participant has already begun, so the rules, the number of games and the dice "
            "can no longer change."
        )
    if "ruleset" in changed and trial.opened_at is not None:
        raise Refused("This trial has been opened, so its rules can no longer change.")
    places = settings.get("places", trial.places)
    if query_personal_places(trial).filter(number__gt=places, consent__isnull=False).exists():
        raise Refused("A participant already has one of the places that would be removed.")
    if arms is not None and tuple(arms) != build_design(trial).arms:
        changed |= DESIGN
    if trial.opened_at is not None and changed & DESIGN:
        raise Refused("This trial has been opened, so its arms and phases can no longer change.")


def normalise_text(text: str) -> str:
    """Remove a byte order mark, trailing spaces and outer empty lines; use plain line ends."""
    lines = text.removeprefix("\ufeff").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def query_personal_places(trial: Trial) -> QuerySet[Participant]:
    """Return the people with a personal link. People of the open link have higher numbers."""
    return trial.participants.filter(number__lte=MOST_PLACES)


def _create_places(trial: Trial) -> None:
    query_personal_places(trial).filter(number__gt=trial.places).delete()
    taken = set(trial.participants.values_list("number", flat=True))
    missing = [number for number in range(1, trial.places + 1) if number not in taken]
    Participant.objects.bulk_create(
        [Participant(trial=trial, number=number) for number in missing], batch_size=500
    )
