"""A trial's data go to everybody from one page: creators, a licence, an archive."""

import io
import json
from pathlib import Path
from typing import cast
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from game.trials.design.writing import close_trial
from game.trials.exports.description import format_citation, format_licence
from game.trials.files.export_table import Download
from game.trials.models import Publication, Trial
from tests.game.questions import asking
from tests.trials import new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
FILE = """\
before:
  - questions:
      - {key: age, kind: number, ask: Age?}
      - {key: note, kind: text, ask: Note?}
"""


@pytest.fixture
def trial() -> Trial:
    return asking(FILE)


def test_creators_and_licence_are_kept(staff: Client, trial: Trial) -> None:
    sent = {"creators": "Lovelace, Ada\n\nThe Lab", "licence": "CC-BY-4.0"}
    for _again in (1, 2):
        staff.post(f"/trials/{trial.slug}/publish/", sent)
    of = Publication.objects.get(trial=trial)
    assert (of.authors, of.licence) == (["Lovelace, Ada", "The Lab"], "CC-BY-4.0")
    assert 'family-names: "Lovelace"\n    given-names: "Ada"' in format_citation(of)
    assert '- name: "The Lab"' in format_citation(of)
    assert "license: CC-BY-4.0" in format_citation(of)
    told = format_licence(of)
    assert "by Ada Lovelace; The Lab is licensed" in told
    assert "https://creativecommons.org/licenses/by/4.0/legalcode" in told
    wrong = staff.post(f"/trials/{trial.slug}/publish/", sent | {"licence": "mine"})
    assert wrong.status_code == 200
    assert Publication.objects.get(trial=trial).licence == "CC-BY-4.0"


def test_without_a_form_it_is_by_its_creators(trial: Trial) -> None:
    of = Publication(trial=trial)
    assert format_licence(of).startswith("CC0-1.0\n")
    assert '  - name: "its creators"' in format_citation(of)


def test_the_archive_for_everybody_has_every_file(staff: Client) -> None:
    trial = close_trial(trial=new_trial())
    response = staff.get(f"/trials/{trial.slug}/public.zip")
    with ZipFile(io.BytesIO(b"".join(cast(Download, response)))) as archive:
        names = {name.removeprefix("study-public/") for name in archive.namelist()}
        told = json.loads(archive.read("study-public/dataset_description.json"))
    assert {part["name"] for part in told["hasPart"]} == names
    assert {"LICENSE", "CITATION.cff", "README.md"} <= names


def test_the_archive_of_an_open_trial_is_refused_with_the_reason(
    staff: Client, trial: Trial
) -> None:
    page = staff.get(f"/trials/{trial.slug}/public.zip", follow=True)
    assert "closed and unblinded" in page.text


def test_the_command_writes_the_same_files(tmp_path: Path) -> None:
    trial = new_trial()
    with pytest.raises(CommandError, match="closed and unblinded"):
        call_command("trial_export", trial.slug, "--out", str(tmp_path / "out"), "--public")
    close_trial(trial=trial)
    call_command("trial_export", trial.slug, "--out", str(tmp_path / "out"), "--public")
    assert (tmp_path / "out" / "CITATION.cff").exists()
