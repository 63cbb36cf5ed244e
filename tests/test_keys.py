"""Every key that a script answers stands in the help of a page that has the script."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHOWN = {
    "ArrowDown": "↓",
    "ArrowUp": "↑",
    "ArrowLeft": "←",
    "ArrowRight": "→",
    "Backspace": "⌫",
    " ": "Space",
}
BROWSERS = {"Tab"}  # is only noticed
HELP = {
    "play.js": ("pages/_keys.html", "_keys_everywhere.html"),
    "offline_after.js": ("coach/_walk_keys.html",),
    "real_dice.js": ("pages/_keys.html",),
    "review.js": ("coach/review.html", "coach/_walk_keys.html"),
    "shell.js": ("_keys.html", "_keys_everywhere.html"),
}
ANSWERED = (r'\bkey === "([^"]+)"', r'event\.key !== "([^"]+)"', r"^  (Arrow\w+):")
WALKS = r"\b(\w+): \"[\w-]+\""


def source(path: str) -> str:
    return (ROOT / path).read_text()


def keys_answered(script: str) -> set[str]:
    text = source(f"static/js/{script}")
    found = {key for pattern in ANSWERED for key in re.findall(pattern, text, re.MULTILINE)}
    walks = re.search(r"^const WALKS = .*$", text, re.MULTILINE)
    found |= set(re.findall(WALKS, walks[0])) if walks else set()
    return {SHOWN.get(key, key) for key in found - BROWSERS}


def keys_shown(templates: tuple[str, ...]) -> set[str]:
    text = "".join(source(f"templates/{name}") for name in templates)
    return set(re.findall(r'<kbd>(?:{% translate ")?([^<{"]+)', text))


@pytest.mark.parametrize("script", HELP)
def test_every_key_that_a_script_answers_is_shown(script: str) -> None:
    answered = keys_answered(script)
    assert answered
    assert answered <= keys_shown(HELP[script])


def test_no_other_script_answers_keys() -> None:
    listening = {path.name for path in ROOT.glob("static/js/*.js") if "keydown" in path.read_text()}
    assert listening == set(HELP)


def test_every_key_of_the_end_of_a_game_is_shown() -> None:
    text = "".join(path.read_text() for path in (ROOT / "templates").rglob("*.html"))
    pressed = set(re.findall(r'data-press="(\w)"', text))
    assert {"r", "n", "s", "x"} <= pressed <= keys_shown(HELP["play.js"])


def test_a_wide_table_is_a_region_with_a_name_that_the_keyboard_reaches() -> None:
    for path in (ROOT / "templates").rglob("*.html"):
        for tag in re.findall(
            r'<\w+ class="wide\b[^>]*?>(?=\s*<table|\s*{%|\s*$)', path.read_text()
        ):
            assert 'role="region"' in tag, (path, tag)
            assert "aria-label" in tag, (path, tag)
            assert 'tabindex="0"' in tag, (path, tag)
