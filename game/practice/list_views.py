"""Own lists of positions: kept from a review or from explore, answered again, shared by a link."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game.core.blinding import check_not_blinded
from game.core.refusals import NotUnderstood, Refused
from game.core.words import labels
from game.core.worth.drilled import DRILLED
from game.models import Player, PositionList
from game.models.drill import LONGEST_LIST_NAME
from game.pages.requests.limits import check_visit
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import FIELD, rules_named
from game.practice.again_views import again_url
from game.practice.drill_queries import list_of_token, lists_of
from game.practice.explore_setup import Setup, read
from game.practice.lists import NoSuchList, list_delete, list_rename, position_keep, position_remove
from game.practice.position_links import PositionLine
from solver.advice.winning import MOST_OPEN

RIGHT, MISSED = "right", "missed"


class KeepForm(forms.Form):
    """``position`` is the query of an address of explore."""

    position = forms.CharField(max_length=400)
    name = forms.CharField(max_length=LONGEST_LIST_NAME, required=False)


class RemoveForm(forms.Form):
    kept = forms.IntegerField(min_value=1, max_value=10**15)


class AnsweredForm(forms.Form):
    """A field that is wrong filters nothing."""

    source = forms.ChoiceField(
        label=gettext_lazy("Where it was asked"),
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
    def wanted(self) -> dict[str, str]:
        self.is_valid()  # one bad field does not spoil the other
        return {name: value for name, value in self.cleaned_data.items() if value}

    @property
    def source_wanted(self) -> str:
        return self.wanted.get("source", "")

    @property
    def right_wanted(self) -> bool | None:
        """None where both are."""
        wanted = self.wanted.get("result")
        return None if wanted is None else wanted == RIGHT


@never_cache
@require_safe
def lists(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    return render(request, "practice/lists.html", {"lists": lists_of(player) if player else ()})


@never_cache
@require_safe
def position_list(request: PlayRequest, list_token: str) -> HttpResponse:
    found = list_of_token(list_token)
    if found is None:
        raise NoSuchList
    kept = [PositionLine(one.position, one.needed, one.pk) for one in found.positions.all()]
    context = {
        "found": found,
        "kept": kept,
        "own": request.visitor.player == found.player,
        "asked": again_url(f"list-{found.token}"),
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
        setup = _meant(form.cleaned_data["position"])
        check_visit(request, player)
        kept = position_keep(
            player=player,
            position=setup.position,
            # Too early in a game nobody can say how likely so many points are.
            needed=(setup.needed or 0) if setup.open_boxes <= MOST_OPEN else 0,
            name=form.cleaned_data["name"],
        )
    except Refused as refusal:
        messages.warning(request, refusal.message)
        return _back(request, "lists")
    request.visitor.become(kept.kept_in.player)
    messages.success(request, _("Kept in “%(name)s”.") % {"name": kept.kept_in.name})
    return _back(request, "position_list", kept.kept_in.token)


@never_cache
@require_POST
def rename(request: PlayRequest, list_token: str) -> HttpResponse:
    name = request.POST.get("name", "")
    return _changed(request, lambda me: list_rename(player=me, token=list_token, name=name))


@never_cache
@require_POST
def remove(request: PlayRequest, list_token: str) -> HttpResponse:
    form = RemoveForm(request.POST)
    kept = form.cleaned_data["kept"] if form.is_valid() else 0
    return _changed(request, lambda me: position_remove(player=me, token=list_token, kept=kept))


@never_cache
@require_POST
def delete(request: PlayRequest, list_token: str) -> HttpResponse:
    check_not_blinded(request.visitor.player)
    list_delete(player=request.visitor.player, token=list_token)
    return redirect("lists")


def _changed(request: PlayRequest, change: Callable[[Player | None], PositionList]) -> HttpResponse:
    check_not_blinded(request.visitor.player)
    return redirect("position_list", change(request.visitor.player).token)


def _meant(query: str) -> Setup:
    """The position of an address of explore."""
    asked = QueryDict(query)
    setup = read(rules_named(asked.get(FIELD, ""), DRILLED), asked)
    if setup.problems:
        raise NotUnderstood
    return setup


def _back(request: PlayRequest, *otherwise: str) -> HttpResponseRedirect:
    """To the page with the button, as far as the browser says which that was."""
    came_from = request.headers.get("Referer", "")
    here = {request.get_host()}
    if url_has_allowed_host_and_scheme(came_from, here, require_https=request.is_secure()):
        return redirect(came_from)
    return redirect(*otherwise)
