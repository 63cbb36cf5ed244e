"""./yatzy translations: list missing translations per language. A release must have none."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polib
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation.template import templatize

from game.core.words.speech import map_texts
from game.management.catalogues import list_catalogues

# The number of arguments that identify a text: only the text, or its context and the text.
TRANSLATORS = dict.fromkeys(
    ("_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"), 1
) | {"pgettext": 2}
IN_CONTEXT = ": "
CALL = re.compile(r"""(?:\b_|gettext)\(u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
PROGRAM = ("game", "solver", "yatzy_site")


class Command(BaseCommand):
    help = "List missing, fuzzy and unused translations. Exit status: 1 if there are any."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        used = find_texts()
        unfinished_texts = [
            line for source in list_catalogues() for line in list_unfinished(source, used)
        ]
        if unfinished_texts:
            raise CommandError(
                "\n".join((f"{len(unfinished_texts)} translations need work:", *unfinished_texts))
            )
        self.stdout.write(
            f"All {len(used)} texts are translated into {len(list_catalogues())} languages."
        )


def list_unfinished(source: Path, used: set[str]) -> Iterator[str]:
    """Yield a line for each missing, empty, fuzzy or unused text of a language, sorted by text."""
    language = source.parents[1].name
    entries = {
        IN_CONTEXT.join(filter(None, (entry.msgctxt, entry.msgid))): entry
        for entry in polib.pofile(str(source))
        if not entry.obsolete
    }
    for text in sorted(used | entries.keys()):
        if text not in entries:
            yield f"  {language}: missing: {text!r}"
        elif text not in used:
            yield f"  {language}: no longer used: {text!r}"
        elif not entries[text].translated():
            yield f"  {language}: {'fuzzy' if entries[text].fuzzy else 'empty'}: {text!r}"


def find_texts() -> set[str]:
    """Return the texts that modules, templates and coach.json translate, each after its context."""
    used = set[str]()
    map_texts(lambda text: used.add(text if isinstance(text, str) else text[0]))
    for module in (path for name in PROGRAM for path in settings.BASE_DIR.glob(f"{name}/**/*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                texts = node.args[: TRANSLATORS.get(node.func.id, 0)]
                if texts and all(isinstance(text, ast.Constant) for text in texts):
                    used.add(IN_CONTEXT.join(map(ast.literal_eval, texts)))
    for folder in ("templates", "game"):
        for template in settings.BASE_DIR.glob(f"{folder}/**/*.html"):
            # Django rewrites a template as calls of gettext.
            calls = CALL.findall(templatize(template.read_text(encoding="utf-8")))
            used.update(map(ast.literal_eval, calls))
    return used
