"""A form's tag says one thing: what differs between its uses is told to it by its view."""

import re
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
FORM = re.compile(r"<form\b(?:\{%.*?%\}|[^>])*>", re.DOTALL)
NESTED = re.compile(r"\{% if (?:(?!\{% endif %\}).)*\{% if ", re.DOTALL)


def test_no_form_s_tag_has_a_condition_within_another() -> None:
    tags = {path.name: FORM.findall(path.read_text("utf-8")) for path in TEMPLATES.rglob("*.html")}
    assert any(tags.values())
    assert [name for name, found in tags.items() if any(map(NESTED.search, found))] == []
