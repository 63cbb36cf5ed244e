"""The services for a participant's actions: agree, answer, start the next game, leave the page.

The log of these actions does not identify a browser. It has only the browser's kind, and whether
the browser changed.
"""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.accounts import create_player
from game.core.fair import blocks
from game.core.game_queries import OPEN, Played, replay_game
from game.core.refusals import NotUnderstood, Refused
from game.core.starting import save_and_roll
from game.core.words.sentences import format_opening
from game.models import Game
from game.models.tokens import browser_code
from game.trials.design.people import has_expired, is_session_over, log_event, summarise_play
from game.trials.design.reading import find_next_game, is_draw_due
from game.trials.design.writing import assign_arm, lock_trial
from game.trials.models import NoAnswer, Participant, Trial, TrialEvent, TrialGame
from game.trials.questions.reading import find_due_page
from game.trials.reading import find_latest_consent, query_games_of

Kind = TrialEvent.Kind


def store_consent(*, participant: Participant, version: int) -> Participant:
    """Store a consent to this version, which must be the latest. The person then has a place."""
    with transaction.atomic():
        lock_trial(participant.trial_id)
        participant = _lock(participant)
        consent = find_latest_consent(participant)
        if version != consent.version:
            raise Refused(_("The text has changed in the meantime. Please read it again."))
        if participant.consent_id != consent.pk:
            participant.consent, participant.consented_at = consent, timezone.now()
            participant.agreements.create(consent=consent, at=participant.consented_at)
        participant.browser = participant.browser or browser_code()
        participant.player = participant.player or create_player()
        participant.save()
        _mark_seen(participant)
        return participant


def store_answers(*, participant: Participant, **answers: str) -> Participant:
    """Store answers to the questions on experience. An empty answer is stored as skipped."""
    with transaction.atomic():
        participant = _lock(participant)
        for name, answer in answers.items():
            setattr(participant, name, answer or NoAnswer.SKIPPED)
        participant.answered_at = participant.answered_at or timezone.now()
        participant.save(update_fields=[*answers, "answered_at"])
        _mark_seen(participant)
        return participant


def unbind_participant(*, participant: Participant) -> Participant:
    """Release a participant from the current browser, so that they can continue in another."""
    participant.browser = ""
    participant.save(update_fields=["browser"])
    return participant


def revoke_link(*, participant: Participant) -> Participant:
    """Revoke the participant's link. It no longer works, even in browsers that have opened it."""
    return _change_link(participant, Kind.LINK_REVOKED, link_revoked=True)


def issue_link(*, participant: Participant) -> Participant:
    """Replace the participant's link with a new link to the same games."""
    kind = Kind.LINK_ISSUED
    return _change_link(participant, kind, link_revoked=False, link=participant.link + 1)


def _change_link(participant: Participant, kind: Kind, **changed: int) -> Participant:
    if participant.withdrawn_at is not None:
        raise Refused("This participant has withdrawn and no longer has a link.")
    with transaction.atomic():
        Participant.objects.filter(pk=participant.pk).update(browser="", **changed)
        participant.refresh_from_db()
        log_event(participant.trial, kind, participant)
    return participant


def bind_participant(*, participant: Participant) -> Participant:
    """Bind a participant to this browser if they have agreed and are bound to no browser. If two
    tabs of a browser do this at the same moment, they get the same code, so that neither tab locks
    out the other."""
    if participant.consent_id is None or participant.browser:
        return participant
    code = browser_code()
    Participant.objects.filter(pk=participant.pk, browser="").update(browser=code)
    participant.refresh_from_db(fields=["browser"])
    return participant


def start_trial_game(*, participant: Participant) -> Played:
    """Return the participant's unfinished game, or start the next game."""
    with transaction.atomic():
        participant = _lock(participant)
        _check_agreed(participant)
        if under_way := query_games_of(participant).filter(OPEN).first():
            return replay_game(under_way)
        _check_may_go_on(participant)
        if is_draw_due(participant):
            raise NotUnderstood
        following, trial = find_next_game(participant), participant.trial
        if following is None or participant.player is None:
            raise Refused(_("You have played all games of this trial. Thank you!"))
        if following.opens_at is not None and timezone.now() < following.opens_at:
            raise Refused(format_opening(following.opens_at))
        arm, game = following.arm, Game(mode=Game.Mode.TRIAL)
        place = TrialGame(game=game, participant=participant, arm=arm)
        place.number, place.phase = following.number, following.phase
        game.ruleset = (arm and arm.ruleset) or trial.ruleset
        game.real_dice = ((arm and arm.dice) or trial.dice) == Trial.Dice.REAL
        game.coach = arm.coach if arm and place.in_training else Game.Coach.OFF
        if not game.real_dice:
            shared = (
                trial.shared_dice if arm is None or arm.shared_dice is None else arm.shared_dice
            )
            whose = "" if shared else participant.code  # people who share dice have the same seed
            game.seed = blocks.derive_trial_seed(trial.seed, whose, place.number, game.ruleset)
        _mark_seen(participant)
        played = save_and_roll(participant.player, game)
        place.save(force_insert=True)
        return played


def draw_arm(*, participant: Participant) -> Participant:
    """Draw the arm of a participant who has agreed and answered, and was not screened out."""
    with transaction.atomic():
        lock_trial(participant.trial_id)
        participant = _lock(participant)
        _check_agreed(participant)
        _check_may_go_on(participant)
        assign_arm(participant)
        _mark_seen(participant)
        return participant


def _check_agreed(participant: Participant) -> None:
    if participant.consent_id != find_latest_consent(participant).pk:
        raise Refused(_("Please read the text first, and choose whether you agree."))
    if participant.screened_out_at is not None:
        raise Refused(_("You cannot continue in this trial. Thank you for your time!"))


def _check_may_go_on(participant: Participant) -> None:
    if is_session_over(participant, summarise_play(participant), timezone.now()):
        raise Refused(_("The time for this trial is over. Thank you for coming!"))
    if find_due_page(participant) is not None:
        raise Refused(_("Please answer the questions first."))


def check_open(participant: Participant) -> None:
    """Raise Refused unless the trial is open and the participant's place has not expired."""
    trial = participant.trial
    if trial.opened_at is None:
        raise Refused(_("This trial has not been opened yet."))
    if trial.closed_at is not None:
        raise Refused(_("This trial is closed: you can no longer play in it."))
    if has_expired(participant):
        raise Refused(format_expiry(trial))


def format_expiry(trial: Trial) -> str:
    text = _("You were away for %(hours)s hours or longer, so you can no longer go on.")
    return text % {"hours": trial.hours_away}


def _lock(participant: Participant) -> Participant:
    locked = (
        Participant.objects.select_for_update(of=("self",))
        .select_related("trial", "player")
        .get(pk=participant.pk)
    )
    if locked.withdrawn_at is not None:
        raise NotUnderstood
    check_open(locked)
    return locked


def _mark_seen(participant: Participant) -> None:
    Participant.objects.filter(pk=participant.pk).update(seen_at=timezone.now())


PAGE = {"hidden": Kind.HIDDEN, "shown": Kind.SHOWN}
MOST_PAGE_EVENTS = 1000  # limit per participant, so that a page cannot flood the log


def participant_here(
    *, participant: Participant, device: str, way: str = "", browser: str = ""
) -> None:
    """Log that a participant came in, changed the browser, or came back. ``device`` is the
    browser's code, ``browser`` its kind, and ``way`` how the participant was let in. Also log, once
    per participant, that several participants used this browser, unless they take turns on one
    device. The log names no other participant, who may withdraw later."""
    if participant.consent_id is None or not participant.trial.is_open:
        return
    with transaction.atomic():
        locked = Participant.objects.select_for_update().get(pk=participant.pk)
        known, locked.device = locked.device, device
        table = device if participant.trial.round_table else ""
        if (known, locked.table) != (device, table):
            participant.table = locked.table = table
            locked.save(update_fields=["device", "table"])
        facts = {name: fact for name, fact in {"by": way, "browser": browser}.items() if fact}
        ways = locked.events.filter(kind__in=(Kind.LEFT, Kind.RETURNED))
        last = ways.order_by("at", "pk").last()
        if last is not None and last.kind == Kind.LEFT:
            other = bool(known) and known != device
            log_event(participant.trial, Kind.RETURNED, locked, another_browser=other, **facts)
        elif known != device:
            log_event(participant.trial, Kind.DEVICE if known else Kind.ENTERED, locked, **facts)
        if known != device and not table:
            others = locked.trial.participants.filter(device=device).exclude(pk=locked.pk)
            for person in [locked, *others] if others else []:
                if not person.events.filter(kind=Kind.SHARED).exists():
                    log_event(locked.trial, Kind.SHARED, person)


def log_departure(*, participant: Participant) -> None:
    """Log that a participant left, and remove the participant from the people at this device."""
    Participant.objects.filter(pk=participant.pk).exclude(table="").update(table="")
    if participant.consent_id is not None and participant.trial.is_open:
        log_event(participant.trial, Kind.LEFT, participant)


def log_page_state(*, participant: Participant, state: str) -> None:
    """Log that the page became hidden (another tab, another program, a locked phone) or visible."""
    kind = PAGE.get(state)
    if kind is None or participant.consent_id is None or not participant.trial.is_open:
        return
    noted = participant.events.filter(kind__in=PAGE.values())
    if noted.count() < MOST_PAGE_EVENTS:
        playing = query_games_of(participant).filter(OPEN).values_list("trial_game__number").first()
        detail = {} if playing is None else {"game": playing[0]}
        log_event(participant.trial, kind, participant, **detail)


# The order matters, because most user agents also contain the names of other browsers.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrome": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iOS",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "Linux": "Linux",
}


def parse_browser_kind(user_agent: str) -> str:
    """Return a text such as “Firefox, Android”, without version and model; "" if unknown."""
    parts = (
        next((name for sign, name in known.items() if sign in user_agent), "")
        for known in (BROWSERS, SYSTEMS)
    )
    return ", ".join(filter(None, parts))
