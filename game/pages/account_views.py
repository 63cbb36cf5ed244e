"""The pages of accounts. An account is optional; guests who sign up keep their games."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar, cast

from django import forms
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, UserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from game.core.accounts import (
    NotRecovered,
    delete_player,
    get_or_create_player,
    make_recovery_code,
    merge_guest,
    recover_account,
)
from game.pages.page_views import set_language_cookie
from game.pages.requests.audiences import staff
from game.pages.requests.forms import AccountDeleteForm, DeleteForm, PasswordForm, RecoveryForm
from game.pages.requests.limits import TooMuch, check_failures, check_new_player, count_failure
from game.pages.requests.visitors import PlayRequest

F = TypeVar("F", bound=forms.Form)
OK = 0  # means a valid form; other forms have an HTTP status


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
            player = merge_guest(guest=guest, user=user)
    except IntegrityError:  # another request took the name after the check
        form.add_error("username", User._meta.get_field("username").error_messages["unique"])
        return render(request, "registration/signup.html", {"form": form})
    login(request, user)
    request.visitor.remember_browser(user)
    request.visitor.become(player)
    messages.success(
        request,
        _(
            "Your account is ready and contains your games. Make a recovery code in the settings, "
            "in case you forget your password."
        ),
    )
    return redirect("play")


class Login(LoginView):
    """The sign-in page. Signing in moves the guest's games to the account."""

    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Sign the user in. After too many wrong passwords, refuse to sign in without a check."""
        try:
            check_failures(request, "login", request.POST.get("username", ""))
        except TooMuch as refusal:
            messages.warning(request, refusal.message)
            context = self.get_context_data(form=self.form_class(request))
            return self.render_to_response(context, status=refusal.status)
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        count_failure(self.request, "login", form.data.get("username", ""))
        return super().form_invalid(form)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        request = cast(PlayRequest, self.request)
        guest = request.visitor.guest
        response = super().form_valid(form)
        player = merge_guest(guest=guest, user=form.get_user())
        request.visitor.become(player)
        request.visitor.remember_browser(form.get_user())
        return set_language_cookie(response, player) if player.language else response


class Logout(LogoutView):
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
    data = request.POST or None
    user = player.user if player else None
    form = AccountDeleteForm(user, data) if user else DeleteForm(data)
    if player is None or request.method != "POST" or not form.is_valid():
        context = {"form": form, "games": player.games.count() if player else 0}
        return render(request, "registration/account_delete.html", context)
    delete_player(player=player)
    request.session.flush()
    request.visitor.leave()
    messages.success(request, _("We have deleted your games and everything else about you."))
    return redirect("play")


@never_cache
@require_safe
def account(request: PlayRequest) -> HttpResponse:
    """Show the account's settings. Redirect guests to the sign-in page."""
    if not request.user.is_authenticated:
        return redirect("login")
    player = get_or_create_player(user=request.user)
    return render(request, "registration/account.html", {"has_code": bool(player.recovery)})


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def account_password(request: PlayRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect("login")
    user = request.user
    form, status = _check_form(request, partial(PasswordChangeForm, user), user.username)
    if status != OK:
        context = {"form": form}
        return render(request, "registration/account_password.html", context, status=status)
    update_session_auth_hash(request, form.save())
    messages.success(
        request, _("Your password has been changed. You are signed out on all other devices.")
    )
    return redirect("account")


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def account_code(request: PlayRequest) -> HttpResponse:
    """Make a recovery code after a password check. The page shows the code only this once."""
    if not request.user.is_authenticated:
        return redirect("login")
    user = request.user
    form, status = _check_form(request, partial(PasswordForm, user), user.username)
    if status != OK:
        context = {"form": form}
        return render(request, "registration/account_code.html", context, status=status)
    code = make_recovery_code(player=get_or_create_player(user=user))
    return render(request, "registration/account_code.html", {"code": code})


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def account_recover(request: PlayRequest) -> HttpResponse:
    name = request.POST.get("username", "")
    form, status = _check_form(request, RecoveryForm, name)
    user = None
    if status == OK:
        fields = form.cleaned_data
        name, password = fields["username"], fields["password1"]
        try:
            user = recover_account(name=name, code=fields["code"], password=password)
        except NotRecovered as refusal:
            count_failure(request, "login", name)
            form.add_error(None, refusal.message)
    if user is None:
        context = {"form": form}
        return render(request, "registration/account_recover.html", context, status=status or 400)
    guest = request.visitor.guest
    login(request, user)
    request.visitor.remember_browser(user)
    request.visitor.become(merge_guest(guest=guest, user=user))
    messages.success(request, _("Your password has been changed. Now make a new recovery code."))
    return redirect("account_code")


def _check_form(
    request: PlayRequest, form: Callable[[Mapping[str, Any] | None], F], name: str
) -> tuple[F, int]:
    """Return the form and OK if it is valid. Otherwise return it with the HTTP status of the page
    that shows it again. After too many wrong passwords or codes, refuse the form without a check.
    """
    if request.method != "POST":
        return form(None), 200
    try:
        check_failures(request, "login", name)
    except TooMuch as refusal:
        messages.warning(request, refusal.message)
        return form(None), refusal.status
    filled = form(request.POST)
    if filled.is_valid():
        return filled, OK
    count_failure(request, "login", name)
    return filled, 400


@never_cache
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect to the site's sign-in page, because only this page limits wrong passwords."""
    return staff(request) or redirect("admin:index")
