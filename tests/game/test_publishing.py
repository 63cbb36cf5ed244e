"""A trial's data go to everybody from one page: a licence, free texts one by one, an archive."""

import io
import json
from pathlib import Path
from typing import cast
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from game.models import Answer, Publication, ReleasedAnswer, Trial
from game.trials.design.writing import trial_close
from game.trials.exports.public.pages import free_answers
from game.trials.exports.public.papers import citation, licence_text
from game.trials.files.downloads import Download
from tests.game.questions import asking
from tests.play import joined, new_trial

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


def wrote(trial: Trial, text: str, key: str = "note", **changes: object) -> Answer:
    number = trial.participants.exclude(player=None).count() + 1
    facts = {"moment": "before", "state": "answered", "at": timezone.now(), "page_finished": True}
    answer = {"participant": joined(trial, number), "key": key, "value": text} | facts | changes
    return Answer.objects.create(**answer)


def released() -> set[str]:
    return set(ReleasedAnswer.objects.values_list("answer__value", flat=True))


def test_only_free_texts_that_change_no_more_can_be_released(trial: Trial) -> None:
    note = wrote(trial, "Fine")
    wrote(trial, "30", "age")
    wrote(trial, "Half", page_finished=False)
    Answer.objects.create(
        participant=joined(trial, 1), key="other", moment="before", state="declined", at=note.at
    )
    assert list(free_answers(trial)) == [note]


def test_free_texts_are_released_one_by_one_and_taken_back(staff: Client, trial: Trial) -> None:
    one, other = wrote(trial, "One"), wrote(trial, "Other")
    elsewhere = wrote(asking(FILE, slug="elsewhere"), "Elsewhere")
    ReleasedAnswer.objects.create(answer=elsewhere, at=elsewhere.at)
    page = f"/trials/{trial.slug}/publish/"
    shown = [one.pk, other.pk, elsewhere.pk]
    staff.post(f"{page}texts", {"shown": shown, "released": [other.pk, "x"]})
    assert released() == {"Other", "Elsewhere"}
    told = staff.get(page).text
    assert f'name="released" value="{other.pk}" checked' in told
    assert f'name="released" value="{one.pk}" >' in told
    staff.post(f"{page}texts", {"shown": [one.pk], "released": [one.pk, other.pk]})
    assert released() == {"One", "Other", "Elsewhere"}
    staff.post(f"{page}texts", {"shown": [one.pk, other.pk]})
    assert released() == {"Elsewhere"}


def test_a_text_that_was_not_shown_is_not_released(staff: Client, trial: Trial) -> None:
    one, other = wrote(trial, "One"), wrote(trial, "Other")
    sent = {"shown": [one.pk], "released": [one.pk, other.pk]}
    staff.post(f"/trials/{trial.slug}/publish/texts", sent)
    assert released() == {"One"}


def test_creators_and_licence_are_kept(staff: Client, trial: Trial) -> None:
    sent = {"creators": "Lovelace, Ada\n\nThe Lab", "licence": "CC-BY-4.0"}
    for _again in (1, 2):
        staff.post(f"/trials/{trial.slug}/publish/", sent)
    of = Publication.objects.get(trial=trial)
    assert (of.authors, of.licence) == (["Lovelace, Ada", "The Lab"], "CC-BY-4.0")
    assert 'family-names: "Lovelace"\n    given-names: "Ada"' in citation(of)
    assert '- name: "The Lab"' in citation(of)
    assert "license: CC-BY-4.0" in citation(of)
    told = licence_text(of)
    assert "by Ada Lovelace; The Lab is licensed" in told
    assert "https://creativecommons.org/licenses/by/4.0/legalcode" in told
    wrong = staff.post(f"/trials/{trial.slug}/publish/", sent | {"licence": "mine"})
    assert wrong.status_code == 200
    assert Publication.objects.get(trial=trial).licence == "CC-BY-4.0"


def test_without_a_form_it_is_by_its_creators(trial: Trial) -> None:
    of = Publication(trial=trial)
    assert licence_text(of).startswith("CC0-1.0\n")
    assert '  - name: "its creators"' in citation(of)


def test_the_trials_page_has_both_archives_and_says_what_they_hold(
    staff: Client, trial: Trial
) -> None:
    address = f"/trials/{trial.slug}/"
    open_page = staff.get(address).text
    assert f'href="{address}export.zip"' in open_page
    assert f'href="{address}publish/"' in open_page
    assert f'href="{address}public.zip"' not in open_page
    trial_close(trial=trial)
    assert f'href="{address}public.zip"' in staff.get(address).text


def test_the_archive_for_everybody_has_every_file(staff: Client) -> None:
    trial = trial_close(trial=new_trial())
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
    assert "closed and unmasked" in page.text


def test_the_command_writes_the_same_files(tmp_path: Path) -> None:
    trial = new_trial()
    with pytest.raises(CommandError, match="closed and unmasked"):
        call_command("trial_export", trial.slug, "--out", str(tmp_path / "out"), "--public")
    trial_close(trial=trial)
    call_command("trial_export", trial.slug, "--out", str(tmp_path / "out"), "--public")
    assert (tmp_path / "out" / "CITATION.cff").exists()
