import pytest

from solver.cli import main


@pytest.fixture
def run(capsys):
    """Exit status, standard output and standard error of a command line."""

    def command(*arguments):
        try:
            status = main(arguments)
        except SystemExit as ended:
            status = ended.code
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command
