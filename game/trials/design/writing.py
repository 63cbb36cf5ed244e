"""The services that create, change, open, close and delete trials."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from game.core.accounts import delete_games
from game.core.game_queries import OPEN
from game.core.refusals import Refused
from game.models import Game, Player
from game.trials.design.consent import check_texts, find_months_kept
from game.trials.design.designing import check_design_stays, replace_arms
from game.trials.design.masking import unmask_at_the_end
from game.trials.design.people import log_event
from game.trials.design.phases import ArmSettings
from game.trials.models import Consent, Participant, Trial, TrialEvent, TrialStaff
from game.trials.models.trial import MOST_PLACES

# Settings that cannot change once a participant has agreed to the consent text.
FIXED = ("games_each", "ruleset", "dice", "dice_places", "shared_dice")


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
        trial = Trial(created_by=created_by, rehearsal=rehearsal, seed=secrets.token_hex(32))
        _apply(trial, settings)
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
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        _check_fixed(trial, settings)
        check_design_stays(trial, settings, arms)
        before = {name: getattr(trial, name) for name in settings}
        _apply(trial, settings)
        trial.save()
        changes = _list_changes(trial, before) | _store_changed_consent(
            trial, normalise_text(consent)
        )
        if arms is not None:
            changes |= replace_arms(trial, arms)
        if trial.is_open:
            check_texts(trial)
        if changes:
            log_event(trial, TrialEvent.Kind.SETTINGS, None, **changes)
        _create_places(trial)
        return trial


def open_trial(*, trial: Trial) -> Trial:
    return _change_state(trial, _open)


def close_trial(*, trial: Trial) -> Trial:
    """Close the trial: no game can go on, and participants may see the reviews of their games."""
    return _change_state(trial, _close)


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


def _change_state(trial: Trial, turn: Callable[[Trial], None]) -> Trial:
    with transaction.atomic():
        turn(Trial.objects.select_for_update().get(pk=trial.pk))
    trial.refresh_from_db()
    return trial


def _open(trial: Trial) -> None:
    """Open the trial. If it was closed before, log when it was closed, and how many reviews
    participants have seen since then."""
    if trial.is_open:
        return
    check_texts(trial)
    closed, trial.closed_at = trial.closed_at, None
    trial.opened_at = trial.opened_at or timezone.now()
    trial.save(update_fields=["opened_at", "closed_at"])
    if closed is None:
        kept = str(find_months_kept(trial))  # a draft of an earlier version may contain any text
        promise = {"kept": int(kept)} if kept.isdecimal() else {}
        log_event(trial, TrialEvent.Kind.OPENED, None, **promise)
        return
    seen = trial.events.filter(kind=TrialEvent.Kind.REVIEWED, at__gte=closed)
    log_event(trial, TrialEvent.Kind.REOPENED, closed=closed.isoformat(), reviews_seen=seen.count())


def _close(trial: Trial) -> None:
    if trial.opened_at is None:
        raise Refused("This trial has not been opened yet.")
    if trial.closed_at is None:
        trial.closed_at = timezone.now()
        trial.save(update_fields=["closed_at"])
        trial.withdrawn_labels.all().delete()  # external IDs are useless once nobody can join
        games = Game.objects.filter(OPEN, trial_game__participant__trial=trial).count()
        log_event(trial, TrialEvent.Kind.CLOSED, games_under_way=games)
        unmask_at_the_end(trial)


def _list_changes(trial: Trial, before: Mapping[str, object]) -> dict[str, object]:
    """Return the old and the new value of each changed setting and of each changed fact."""
    was: dict[str, Any] = dict(before)
    now: dict[str, Any] = {name: getattr(trial, name) for name in before}
    for facts in (was, now):
        facts.update(facts.pop("facts", {}))
    return {
        name: {
            "from": _convert_to_plain_value(was.get(name, "")),
            "to": _convert_to_plain_value(value),
        }
        for name, value in now.items()
        if was.get(name, "") != value
    }


def _convert_to_plain_value(value: object) -> object:
    return value if isinstance(value, str | int | float | None) else str(value)


def _apply(trial: Trial, settings: Mapping[str, object]) -> None:
    for name, value in settings.items():
        setattr(trial, name, value)
    if trial.real_dice:
        trial.shared_dice = False


def _check_fixed(trial: Trial, settings: Mapping[str, object]) -> None:
    changed = [
        name for name in FIXED if name in settings and settings[name] != getattr(trial, name)
    ]
    if changed and has_trial_begun(trial):
        raise Refused(
            "A participant has already begun, so the rules, the number of games and the dice "
            "can no longer change."
        )
    if "ruleset" in changed and trial.opened_at is not None:
        raise Refused("This trial has been opened, so its rules can no longer change.")
    places = settings.get("places", trial.places)
    if query_personal_places(trial).filter(number__gt=places, consent__isnull=False).exists():
        raise Refused("A participant already has one of the places that would be removed.")


def normalise_text(text: str) -> str:
    """Remove a byte order mark, trailing spaces and outer empty lines; use plain line ends."""
    lines = text.removeprefix("\ufeff").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _store_changed_consent(trial: Trial, text: str) -> dict[str, object]:
    """Store a changed consent text. Return both versions for the log; {} without a change."""
    latest = trial.consents.latest("version")
    if normalise_text(latest.text) == text:
        return {}
    was = latest.version
    if latest.given.exists():
        latest = Consent.objects.create(trial=trial, version=was + 1, text=text)
    else:
        latest.text = text
        latest.save(update_fields=["text"])
    return {"consent": {"from": was, "to": latest.version}}


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
