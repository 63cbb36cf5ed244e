"""How passwords are kept."""

import pytest
from django.contrib.auth.hashers import identify_hasher, make_password
from django.contrib.auth.models import User

from tests.play import Browser
from yatzy_site.passwords import SmallArgon2

pytestmark = pytest.mark.django_db
PASSWORD = "five sixes at once"
ARGON2 = "argon2$argon2id$v=19$m=19456,t=2,p=1$"


def sign_in(password: str) -> int:
    data = {"username": "anna", "password": password}
    return Browser().post("/account/login/", data).status_code


def test_a_new_password_is_kept_by_argon2_in_little_memory() -> None:
    new = {"username": "anna", "password1": PASSWORD, "password2": PASSWORD}
    assert Browser().post("/account/signup/", new).status_code == 302
    assert User.objects.get().password.startswith(ARGON2)
    assert isinstance(identify_hasher(User.objects.get().password), SmallArgon2)


def test_an_old_hash_still_opens_the_account_and_becomes_a_new_one() -> None:
    user = User.objects.create(username="anna")
    user.password = make_password(PASSWORD, hasher="pbkdf2_sha256")
    user.save()
    assert sign_in("wrong") == 200
    assert User.objects.get().password.startswith("pbkdf2_sha256$")
    assert sign_in(PASSWORD) == 302
    assert User.objects.get().password.startswith(ARGON2)
    assert sign_in(PASSWORD) == 302
