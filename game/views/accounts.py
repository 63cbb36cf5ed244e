"""Accounts are optional; whoever makes one keeps the games played as a guest."""

from typing import cast

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm, UserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from game import services
from game.views.pages import language_kept
from game.web.forms import delete_form
from game.web.limits import TooMuch, check_login, check_new_player, login_failed
from game.web.visitors import PlayRequest


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def signup(request: PlayRequest) -> HttpResponse:
    form: UserCreationForm[User] = UserCreationForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "registration/signup.html", {"form": form})
    guest = request.visitor.guest
    try:
        check_new_player(request)
    except TooMuch as refusal:
        form.add_error(None, refusal.message)
        return render(request, "registration/signup.html", {"form": form}, status=refusal.status)
    try:
        with transaction.atomic():
            user = form.save()
            player = services.player_take_over(guest=guest, user=user)
    except IntegrityError:  # the name was taken between looking and saving
        form.add_error("username", User._meta.get_field("username").error_messages["unique"])
        return render(request, "registration/signup.html", {"form": form})
    login(request, user)
    request.visitor.become(player)
    messages.success(request, _("Your account is ready, and your games are in it."))
    return redirect("play")


class Login(LoginView):
    """The guest's games move to the account that is signed in to."""

    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """A password is not even looked at where too many were wrong."""
        try:
            check_login(request, request.POST.get("username", ""))
        except TooMuch as refusal:
            messages.warning(request, refusal.message)
            context = self.get_context_data(form=self.form_class(request))
            return self.render_to_response(context, status=refusal.status)
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        login_failed(self.request, form.data.get("username", ""))
        return super().form_invalid(form)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        request = cast(PlayRequest, self.request)
        guest = request.visitor.guest
        response = super().form_valid(form)
        player = services.player_take_over(guest=guest, user=form.get_user())
        request.visitor.become(player)
        return language_kept(response, player) if player.language else response


class Logout(LogoutView):
    """Whoever plays on after this is somebody new."""

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        cast(PlayRequest, request).visitor.leave()
        return super().post(request, *args, **kwargs)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def account_delete(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    if request.visitor.participant is not None:
        return redirect("take_part_withdraw")
    form = delete_form(player, request.POST or None)
    if player is None or request.method != "POST" or not form.is_valid():
        context = {"form": form, "games": player.games.count() if player else 0}
        return render(request, "registration/account_delete.html", context)
    services.player_delete(player=player)
    request.session.flush()
    request.visitor.leave()
    messages.success(request, _("Your games and everything else about you are deleted."))
    return redirect("play")
