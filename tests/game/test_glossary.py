"""Words of the sources lead to where they are done here, and from there back."""

import re
import shlex
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.core.management import get_commands, load_command_class
from django.test import Client

from game.lab.glossary import TERMS, Term, TermPage
from solver.cli import build_parser
from tests.game.conftest import Browser
from tests.game.trials import into_trial

pytestmark = pytest.mark.django_db
GLOSSARY = "/lab/glossary/"
LINKS = [pytest.param(term, page, id=page.url) for term in TERMS for page in term.pages]


@pytest.fixture
def researcher() -> Client:
    """Who sees the trials too."""
    client = Client()
    client.force_login(User.objects.create_user("ann", is_staff=True))
    return client


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return unescape(answer.content.decode())


def test_the_words_of_the_sources_are_there() -> None:
    """Those that a reader of the sources looks for."""
    wanted = "performance-test same-value-test human-trial human-algorithm regret keep state-graph"
    assert [term.id for term in TERMS] == wanted.split()


@pytest.mark.usefixtures("yatzy_tables")
@pytest.mark.parametrize(("term", "page"), LINKS)
def test_a_word_and_its_page_lead_to_each_other(
    researcher: Client, term: Term, page: TermPage
) -> None:
    section = page_of(researcher, GLOSSARY).partition(f'id="{term.id}"')[2]
    assert f'href="{page.url}"' in section.partition("</section>")[0]
    assert page.url.partition("#")[2] == page.part
    html = page_of(researcher, page.url)
    assert f'href="{GLOSSARY}#{term.id}"' in html
    assert not page.part or f'id="{page.part}"' in html


def test_a_page_has_the_words_of_what_is_done_on_it_alone(client: Client) -> None:
    found = re.findall(rf'{GLOSSARY}#([\w-]+)"', page_of(client, "/lab/players/optimal/"))
    assert found == ["performance-test", "state-graph"]
    assert f"{GLOSSARY}#" not in page_of(client, "/lab/players/random/")
    assert f'href="{GLOSSARY}"' not in page_of(client, "/lab/players/random/")
    assert "#same-value-test" in page_of(client, "/lab/yahtzee/same-value/")
    assert f'href="{GLOSSARY}"' in page_of(client, "/lab/")


def test_nobody_is_sent_to_a_page_that_is_shut_to_them(client: Client) -> None:
    """The pages of trials are those of the staff."""
    html = page_of(client, GLOSSARY).partition("<main")[2]
    addresses = re.findall(r'href="(/[^"]+)"', html)
    assert {client.get(address).status_code for address in addresses} == {200}


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.id)
def test_its_command_exists(term: Term) -> None:
    _python, start, *words = shlex.split(term.command)
    if start == "-m":
        build_parser().parse_args(words[1:])
    else:
        name, *arguments = words
        command = load_command_class(get_commands()[name], name)
        command.create_parser(start, name).parse_args(arguments)


def test_participants_of_a_trial_do_not_see_it(browser: Browser) -> None:
    into_trial(browser.start())
    assert browser.get(GLOSSARY).status_code == 403
