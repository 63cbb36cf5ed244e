"""./yatzy manage makemessages: Django's command, which here also reads the coach's sentences."""

from pathlib import Path
from typing import Any

from django.core.management.commands import makemessages

from game.core.words.speech import map_texts


class BuildFile(makemessages.BuildFile):
    def preprocess(self) -> None:
        """Write coach.json as gettext calls, which gettext's tools can read."""
        calls = list[str]()
        if self.translatable.file == "coach.json":
            map_texts(
                lambda text: calls.append(
                    f"gettext({text!r})"
                    if isinstance(text, str)
                    else f"ngettext({text[0]!r}, {text[1]!r}, n)"
                )
            )
        elif not self.path.endswith(".json"):
            super().preprocess()
            return
        Path(self.work_path).write_text("\n".join(calls), encoding="utf-8")


class Command(makemessages.Command):
    build_file_class = BuildFile

    def handle(self, *args: Any, **options: Any) -> None:
        options["extensions"] = options["extensions"] or ["html", "txt", "py", "json"]
        super().handle(*args, **options)
