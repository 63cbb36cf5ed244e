"""Games of several people on one shared device: their start and their pages."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django import forms
from django.db import transaction
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game.core.access import check_may_play, may_show_costs
from game.core.accounts import create_player
from game.core.coach_lock import find_closing_trial
from game.core.fair.blocks import derive_seed
from game.core.game_queries import replay_games
from game.core.refusals import NotYours, Refused
from game.core.starting import save_and_roll
from game.core.words import labels
from game.core.words.equation import Equation
from game.models import WISHES, Game, Party, PartySeat, Player
from game.models.party import LONGEST_NAME, MOST_AT_A_TABLE
from game.pages.board.challenge import calculate_equation
from game.pages.requests.limits import check_start
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import find_named_rules, list_rules_links, rules_asked
from solver.rules import Ruleset


class TableGuest(NamedTuple):
    """A player on a shared device, and the player's coach level."""

    name: str
    coach: str = Game.Coach.OFF.value


def start_party(
    *, player: Player | None, rules: Ruleset, guests: Sequence[TableGuest], real_dice: bool = True
) -> Party:
    """Start a game on a shared device, with a card per guest in the order of play. All cards belong
    to ``player``; a visitor becomes a player. Without ``real_dice``, the server rolls the dice."""
    check_may_play(player)
    if not 1 <= len(guests) <= MOST_AT_A_TABLE:
        raise Refused(
            _("A shared-device game has one to %(most)s players.") % {"most": MOST_AT_A_TABLE}
        )
    with transaction.atomic():
        host = player or create_player(ruleset=rules.id)
        party = Party.objects.create(host=host, created_at=timezone.now())
        for place, guest in enumerate(guests):
            coach = Game.Coach.OFF if find_closing_trial() is not None else guest.coach
            card = Game(mode=Game.Mode.PARTY, ruleset=rules.id, real_dice=real_dice, coach=coach)
            if not real_dice:
                card.key = secrets.token_hex(32)
                card.seed = derive_seed(card.key, "")
            game = save_and_roll(host, card).game
            PartySeat.objects.create(party=party, place=place, name=guest.name, game=game)
        return party


@dataclass(frozen=True, slots=True)
class AtTable:
    seat: PartySeat
    filled: int


def list_party_seats(party: Party) -> list[AtTable]:
    boxes = Count("game__decisions", filter=Q(game__decisions__hold=None))
    seats = party.seats.select_related("game").annotate(boxes=boxes)
    return [AtTable(seat, seat.boxes) for seat in seats]


def find_next_seat(seats: Sequence[AtTable]) -> PartySeat | None:
    """Return the next player's seat: the seat with the fewest filled boxes, the first one if equal.
    Return None at the end."""
    waiting = [(row.filled, row.seat.place, row.seat) for row in seats if not row.seat.game.over]
    return min(waiting)[-1] if waiting else None


@dataclass(frozen=True, slots=True)
class GuestCard:
    """A guest's card. ``equation`` is None if a decision was not judged, or costs are hidden."""

    seat: PartySeat
    points: int
    won: bool
    equation: Equation | None


@dataclass(frozen=True, slots=True)
class PartyPage:
    game_name: str
    turn: PartySeat | None
    guests: Sequence[GuestCard]

    @property
    def winners(self) -> list[str]:
        return [guest.seat.name for guest in self.guests if guest.won]

    @property
    def judged(self) -> bool:
        return any(guest.equation for guest in self.guests)


def build_party_page(party: Party) -> PartyPage:
    """Return the table of a shared-device game: the turn, and the cards by score."""
    turn = find_next_seat(list_party_seats(party))
    seats = {seat.game_id: seat for seat in party.seats.select_related("game")}
    replayed = replay_games([seat.game for seat in seats.values()])
    cards = sorted(
        ((seats[played.game.pk], played) for played in replayed),
        key=lambda card: (
            card[1].game.abandoned_at is not None,
            -card[1].state.total,
            card[0].place,
        ),
    )
    finished = [played.state.total for _seat, played in cards if played.game.finished_at]
    best = max(finished, default=None) if turn is None and len(cards) > 1 else None
    guests = []
    for seat, played in cards:
        game, points = played.game, played.state.total
        equation = None
        if game.finished_at is not None and may_show_costs(game):
            equation = calculate_equation(played)
        won = game.finished_at is not None and points == best
        guests.append(GuestCard(seat, points, won, equation))
    return PartyPage(labels.find_ruleset_name(cards[0][1].game.rules), turn, guests)


REAL, SITE = "real", "site"


class PartyForm(forms.Form):
    """A form with a line per player. Lines without a name are ignored."""

    dice = forms.ChoiceField(
        label=gettext_lazy("Dice"),
        required=False,
        choices=[(SITE, gettext_lazy("The phone rolls")), (REAL, gettext_lazy("Our own dice"))],
        widget=forms.RadioSelect,
    )

    ruleset = forms.ChoiceField(
        label=gettext_lazy("Rules"), choices=labels.list_ruleset_choices, widget=forms.HiddenInput
    )

    def __init__(
        self, rules: Ruleset, data: Mapping[str, Any] | None = None, *, coached: bool = True
    ) -> None:
        """Build the form. If ``coached`` is False, it has no fields for coach levels."""
        super().__init__(data, initial={"ruleset": rules.id, "dice": SITE})
        for place in range(MOST_AT_A_TABLE):
            self.fields[f"name_{place}"] = forms.CharField(
                label=gettext_lazy("Name"),
                max_length=LONGEST_NAME,
                required=False,
                widget=forms.TextInput({"placeholder": " "}),  # the style sheet finds empty lines
            )
            if coached:
                self.fields[f"coach_{place}"] = forms.ChoiceField(
                    label=gettext_lazy("Coach"),
                    choices=WISHES,
                    initial=Game.Coach.OFF.value,
                    required=False,
                )

    @property
    def lines(self) -> list[list[forms.BoundField]]:
        return [
            [self[name] for name in (f"name_{place}", f"coach_{place}") if name in self.fields]
            for place in range(MOST_AT_A_TABLE)
        ]

    @property
    def guests(self) -> list[TableGuest]:
        typed = self.cleaned_data
        guests = ((typed.get(f"name_{n}"), typed.get(f"coach_{n}")) for n in range(MOST_AT_A_TABLE))
        return [TableGuest(name, coach or Game.Coach.OFF.value) for name, coach in guests if name]

    def clean(self) -> dict[str, Any]:
        names = [guest.name for guest in self.guests]
        if not names:
            raise forms.ValidationError(_("Please type at least one name."))
        if twice := next((name for name in names if names.count(name) > 1), None):
            refusal = _("Two players are called %(name)s: please give them different names.")
            raise forms.ValidationError(refusal % {"name": twice})
        return self.cleaned_data


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def party_new(request: PlayRequest) -> HttpResponse:
    if request.method != "POST":
        return _render_form(request, rules_asked(request))
    rules = find_named_rules(request.POST.get("ruleset", ""))
    form = PartyForm(rules, request.POST, coached=find_closing_trial() is None)
    if not form.is_valid():
        return _render_form(request, rules, form, status=400)
    player = request.visitor.player
    try:
        check_start(request, player)
        real_dice = form.cleaned_data["dice"] != SITE
        party = start_party(player=player, rules=rules, guests=form.guests, real_dice=real_dice)
    except Refused as refusal:
        form.add_error(None, refusal.message)
        return _render_form(request, rules, form, status=refusal.status)
    request.visitor.become(party.host)
    return redirect("game", party.seats.values_list("game_id", flat=True)[0])


def _render_form(
    request: PlayRequest, rules: Ruleset, form: PartyForm | None = None, status: int = 200
) -> HttpResponse:
    context = {
        "form": form or PartyForm(rules, None, coached=find_closing_trial() is None),
        "choices": list_rules_links(rules),
    }
    return render(request, "duels/party_new.html", context, status=status)


@never_cache
@require_safe
def party(request: PlayRequest, party_id: str) -> HttpResponse:
    party = Party.objects.select_related("host").filter(pk=party_id).first()
    if party is None:
        raise Http404(_("There is no such shared-device game."))
    if request.visitor.player is None or party.host_id != request.visitor.player.pk:
        raise NotYours
    return render(request, "duels/party_table.html", {"page": build_party_page(party)})
