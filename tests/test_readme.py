import doctest
import json
import re
from pathlib import Path

import pytest

from tests import speed

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.usefixtures("yatzy_tables")
def test_the_examples_of_the_readme_do_what_they_say() -> None:
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_between_documents_leads_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text()):
        assert (document.parent / target).exists(), target


def test_the_documents_show_the_stored_figures_of_speed() -> None:
    facts = json.loads(speed.FILE.read_text(encoding="utf-8"))
    for name, shown in (("docs/lab.md", speed.lab), ("README.md", speed.readme)):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert text == shown(text, facts)
