"""Changes to a file of questions by a form: add, move and remove questions.

Comments, quotes and all fields that the form does not know stay unchanged.
"""

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from itertools import count
from typing import Any

from django import forms
from django.utils.text import slugify
from ruamel.yaml import YAML

from game.trials.questions.parsing import KEY, TAKEN, FileReader
from game.trials.questions.questionnaire import KINDS, MOMENTS

CHOICES = {name: kind.label for name, kind in KINDS.items()} | {"long": "Several lines of text"}


class QuestionForm(forms.Form):
    """A form for a new question. ``facts`` are the fields of the question in the file."""

    moment = forms.ChoiceField(label="When", choices=list(MOMENTS.items()))
    ask = forms.CharField(label="Question", max_length=1_000)
    kind = forms.ChoiceField(label="Answer", choices=list(CHOICES.items()))
    answers = forms.CharField(
        label="Answers or ends",
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="Write one answer or end per line, but only for choices, scales and sliders.",
    )
    required = forms.BooleanField(label="Participants must answer", required=False)

    def clean(self) -> dict[str, Any]:
        """Check the question as it will be in the file."""
        data = super().clean() or self.cleaned_data
        lines = [line.strip() for line in data.get("answers", "").splitlines() if line.strip()]
        kind = "text" if data.get("kind") == "long" else data.get("kind", "text")
        facts: dict[str, Any] = {"kind": kind, "ask": data.get("ask", "?")}
        if kind != data.get("kind"):
            facts["long"] = "yes"
        if "options" in KINDS[kind].names:
            facts["options"] = dict(zip(_make_names(lines, ()), lines, strict=True))
        if "labels" in KINDS[kind].names:
            facts["labels"] = lines
        self.facts = facts | ({"required": "yes"} if data["required"] else {})
        checked = FileReader("en")
        checked.read_question({"key": "new"} | self.facts)
        for fault in checked.faults:
            self.add_error("answers", fault.partition(": ")[2])  # without the place in a file
        return data


def add_question(text: str, moment: str, facts: Mapping[str, Any], language: str) -> str:
    """Return the file with a question added to the end of the last page for this moment of the
    trial (such as before the first game)."""
    tree: Any = _make_yaml().load(text) if text else {"language": language} if language else {}
    keys = [question["key"] for page in _list_pages(tree) for question in page["questions"]]
    (key,) = _make_names([str(facts["ask"])], keys)
    pages = tree.setdefault(moment, [])
    if not pages:
        pages.append({"questions": []})
    pages[-1]["questions"].append({"key": key} | dict(facts))
    return _dump(tree)


def move_question(text: str, key: str, step: int) -> str:
    """Move the question up (-1) or down (1) on its page if possible, and return the file."""
    tree = _make_yaml().load(text)
    for page in _list_pages(tree):
        keys = [question["key"] for question in page["questions"]]
        at = keys.index(key) if key in keys else -1
        if at >= 0 and 0 <= at + step < len(keys):
            page["questions"].insert(at + step, page["questions"].pop(at))
    return _dump(tree)


def remove_question(text: str, key: str) -> str:
    """Return the file without the question, and without its page if that becomes empty. Return ""
    if no question is left."""
    tree = _make_yaml().load(text)
    for moment in MOMENTS:
        for page in list(tree.get(moment, ())):
            kept = [question for question in page["questions"] if question["key"] != key]
            if not kept:
                tree[moment].remove(page)
            elif len(kept) < len(page["questions"]):
                page["questions"][:] = kept
        if moment in tree and not tree[moment]:
            del tree[moment]
    return _dump(tree) if _list_pages(tree) else ""


def _list_pages(tree: Mapping[str, Any]) -> list[Any]:
    return [page for moment in MOMENTS for page in tree.get(moment, ())]


def _make_names(texts: Sequence[str], taken: Iterable[str]) -> list[str]:
    """Return a short name for each text, made from words of the text. No two names are the same."""
    names: list[str] = []
    for text in texts:
        words = slugify(text).replace("-", "_")[:30].strip("_")
        stem = words if KEY.fullmatch(words) else f"a_{words}".strip("_")
        numbered = (f"{stem}_{number}" if number > 1 else stem for number in count(1))
        names.append(next(name for name in numbered if name not in {*taken, *TAKEN, *names}))
    return names


def _dump(tree: Any) -> str:
    out = StringIO()
    _make_yaml().dump(tree, out)
    return out.getvalue()


def _make_yaml() -> YAML:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 100
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml
