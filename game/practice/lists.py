"""Lists of positions that a player saved: how they are stored, their links, and their pages."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import Http404, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game.coach.position_addresses import explore_query
from game.core.access import check_not_blinded
from game.core.accounts import create_player
from game.core.refusals import NotUnderstood, Refused
from game.core.words import labels
from game.core.worth.drilled import DRILLED
from game.models import KeptPosition, Player, PositionList
from game.models.drill import LONGEST_LIST_NAME, MOST_KEPT, MOST_LISTS, make_position_fields
from game.pages.requests.limits import check_room, check_visit
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import FIELD, find_named_rules
from game.practice.asking import make_again_url
from game.practice.drill_queries import find_list
from game.practice.explore_setup import read_setup
from solver.advice import Position
from solver.advice.winning import MOST_OPEN


@dataclass(frozen=True, slots=True)
class PositionLine:
    position: Position
    needed: int = 0  # points needed to win; 0 in other positions
    key: int = 0  # primary key of the saved position
    query: str = ""  # query string of its address, with the points of each box if they are known

    @property
    def open_boxes(self) -> int:
        return len(self.position.rules.open(self.position.filled))

    @property
    def explore(self) -> str:
        query = self.query or explore_query(self.position, needed=self.needed or None)
        return f"{reverse('explore')}?{query}"


class NoSuchList(Http404):
    """The error for a list that does not exist, or belongs to another player."""

    def __init__(self) -> None:
        super().__init__(_("There is no such list."))


def save_position(
    *, player: Player | None, position: Position, needed: int = 0, name: str = ""
) -> KeptPosition:
    """Save a position in the list with this name, or in the list that was last used if the name is
    empty; create a missing list. A visitor becomes a player."""
    name = remove_invisible(name, LONGEST_LIST_NAME)
    with transaction.atomic():
        # Because of the lock, two requests cannot exceed a limit together, or save a position
        # twice.
        owner = Player.objects.select_for_update().get(pk=(player or create_player()).pk)
        lists: QuerySet[PositionList] = owner.position_lists.all()
        named = lists.filter(name=name).first() if name else lists.first()
        if named is not None:
            kept_in = named
        elif lists.count() >= MOST_LISTS:
            raise Refused(
                _("You have %(most)s lists: delete one of them first.") % {"most": MOST_LISTS}
            )
        else:
            kept_in = PositionList.objects.create(
                player=owner, name=name or _("Kept positions"), used_at=timezone.now()
            )
        fields = make_position_fields(position, needed)
        kept = kept_in.positions.filter(**fields).first()
        if kept is not None:
            return kept
        if kept_in.positions.count() >= MOST_KEPT:
            raise Refused(_("This list is full: it has %(most)s positions.") % {"most": MOST_KEPT})
        kept_in.used_at = timezone.now()
        kept_in.save(update_fields=["used_at"])
        return KeptPosition.objects.create(kept_in=kept_in, **fields)


def remove_position(*, player: Player | None, token: str, kept: int) -> PositionList:
    saved = _find_own_list(player, token)
    saved.positions.filter(pk=kept).delete()
    return saved


def list_rename(*, player: Player | None, token: str, name: str) -> PositionList:
    """Rename the list of positions. If the new name is empty, keep the old name."""
    renamed, name = _find_own_list(player, token), remove_invisible(name, LONGEST_LIST_NAME)
    if name:
        renamed.name = name
        renamed.save(update_fields=["name"])
    return renamed


def list_delete(*, player: Player | None, token: str) -> None:
    _find_own_list(player, token).delete()


def _find_own_list(player: Player | None, token: str) -> PositionList:
    mine = PositionList.objects.filter(player=player, token=token).first() if player else None
    if mine is None:
        raise NoSuchList
    return mine


RIGHT, MISSED = "right", "missed"


class KeepForm(forms.Form):
    """A form that saves a position. ``position`` is the query string of its page in Explore."""

    position = forms.CharField(max_length=400)
    name = forms.CharField(max_length=LONGEST_LIST_NAME, required=False)


class RemoveForm(forms.Form):
    kept = forms.IntegerField(min_value=1, max_value=10**15)


class AnsweredForm(forms.Form):
    """A filter for answers. Invalid fields do not filter."""

    source = forms.ChoiceField(
        label=gettext_lazy("Source of the question"),
        required=False,
        choices=[("", gettext_lazy("All")), *labels.SOURCES.items()],
    )
    result = forms.ChoiceField(
        label=gettext_lazy("Answer"),
        required=False,
        choices=[
            ("", gettext_lazy("All")),
            (RIGHT, gettext_lazy("Right")),
            (MISSED, gettext_lazy("Missed")),
        ],
    )

    @property
    def read_filters(self) -> dict[str, str]:
        self.is_valid()  # sets cleaned_data to the valid fields
        return {name: value for name, value in self.cleaned_data.items() if value}

    @property
    def source_wanted(self) -> str:
        return self.read_filters.get("source", "")

    @property
    def right_wanted(self) -> bool | None:
        """True to show only right answers, False to show only wrong answers, None to show both."""
        wanted = self.read_filters.get("result")
        return None if wanted is None else wanted == RIGHT


@never_cache
@require_safe
def lists(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    mine = PositionList.objects.filter(player=player).annotate(kept=Count("positions"))
    return render(request, "practice/lists.html", {"lists": mine if player else ()})


@never_cache
@require_safe
def position_list(request: PlayRequest, list_token: str) -> HttpResponse:
    saved = find_list(list_token)
    if saved is None:
        raise NoSuchList
    kept = [
        PositionLine(kept_position.position, kept_position.needed, kept_position.pk)
        for kept_position in saved.positions.all()
    ]
    context = {
        "found": saved,
        "kept": kept,
        "own": request.visitor.player == saved.player,
        "asked": make_again_url(f"list-{saved.token}"),
        "shared": request.build_absolute_uri(request.path),
        "longest": LONGEST_LIST_NAME,
    }
    return render(request, "practice/list.html", context)


@never_cache
@require_POST
def keep(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    check_not_blinded(player)
    form = KeepForm(request.POST)
    try:
        if not form.is_valid():
            raise NotUnderstood
        query = QueryDict(form.cleaned_data["position"])
        setup = read_setup(find_named_rules(query.get(FIELD, ""), DRILLED), query)
        if setup.problems:
            raise NotUnderstood
        check_room()
        check_visit(request, player)
        kept = save_position(
            player=player,
            position=setup.position,
            # Early in a game, the chance to win is not calculated.
            needed=(setup.needed or 0) if setup.open_boxes <= MOST_OPEN else 0,
            name=form.cleaned_data["name"],
        )
    except Refused as refusal:
        messages.warning(request, refusal.message)
        return _redirect_back(request, "lists")
    request.visitor.become(kept.kept_in.player)
    messages.success(
        request, _("The position is saved in “%(name)s”.") % {"name": kept.kept_in.name}
    )
    return _redirect_back(request, "position_list", kept.kept_in.token)


@never_cache
@require_POST
def rename(request: PlayRequest, list_token: str) -> HttpResponse:
    name = request.POST.get("name", "")
    return _change_list(request, lambda me: list_rename(player=me, token=list_token, name=name))


@never_cache
@require_POST
def remove(request: PlayRequest, list_token: str) -> HttpResponse:
    form = RemoveForm(request.POST)
    kept = form.cleaned_data["kept"] if form.is_valid() else 0
    return _change_list(request, lambda me: remove_position(player=me, token=list_token, kept=kept))


@never_cache
@require_POST
def delete(request: PlayRequest, list_token: str) -> HttpResponse:
    check_not_blinded(request.visitor.player)
    list_delete(player=request.visitor.player, token=list_token)
    return redirect("lists")


def _change_list(
    request: PlayRequest, change: Callable[[Player | None], PositionList]
) -> HttpResponse:
    check_not_blinded(request.visitor.player)
    return redirect("position_list", change(request.visitor.player).token)


def _redirect_back(request: PlayRequest, *otherwise: str) -> HttpResponseRedirect:
    came_from = request.headers.get("Referer", "")
    here = {request.get_host()}
    if url_has_allowed_host_and_scheme(came_from, here, require_https=request.is_secure()):
        return redirect(came_from)
    return redirect(*otherwise)


def remove_invisible(name: str, longest: int) -> str:
    """Return the text without invisible characters, which could rearrange the visible ones."""
    seen = "".join(
        character if character.isprintable() else " "
        for character in unicodedata.normalize("NFKC", name)
    )
    return " ".join(seen.split())[:longest].strip()
