"""The parser of commands and its error messages. This module imports nothing slow."""

import argparse
import sys
from collections.abc import Callable
from typing import Any, NoReturn


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr)  # noqa: T201


class Parser(argparse.ArgumentParser):
    """A parser that reports invalid input on one line and exits with status 2. The function
    ``late`` adds options from slow modules. It runs only for the command that the user chose."""

    def __init__(
        self, *args: Any, late: "Callable[[Parser], None] | None" = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.late = late

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        late, self.late = self.late, None
        if late:
            late(self)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        say(f"{self.prog}: {message} (--help explains)")
        sys.exit(2)
