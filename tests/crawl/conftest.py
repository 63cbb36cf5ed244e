"""One world for all tests of a module: each request in it is taken back."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from tests.crawl.world import World, new_world


@pytest.fixture(scope="module")
def world(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    yatzy_tables: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    """It is stored, so that sockets, which are served in other threads, see it too."""
    with (
        django_db_blocker.unblock(),
        override_settings(SUPPORT="mailto:help@yatzy.example"),
    ):
        yield new_world()
        # What migrations leave comes back, or the next page of the administration would store it.
        call_command("flush", verbosity=0, interactive=False)
