"""The programs of docs/learning.md do what the page says."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "learning.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def run(program: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    exec(program, {"__name__": "page"})
    return capsys.readouterr().out.split()


def test_ten_lines_train_something(capsys: pytest.CaptureFixture[str]) -> None:
    fewer = PROGRAMS[0].replace("range(1000)", "range(400)")
    assert fewer != PROGRAMS[0]
    first, last = map(float, run(fewer, capsys))
    assert first < 70
    assert last > 80


def test_compiled_games_are_played_as_shown(capsys: pytest.CaptureFixture[str]) -> None:
    means = [float(word) for word in run(PROGRAMS[1], capsys)]
    assert 40 < sum(means) / len(means) < 52
