from collections.abc import Callable

import pytest

from solver.cli import main

# Exit status, standard output and standard error of a command line.
Run = Callable[..., tuple[int | str | None, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*arguments: str) -> tuple[int | str | None, str, str]:
        try:
            status: int | str | None = main(arguments)
        except SystemExit as ended:
            status = ended.code
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command
