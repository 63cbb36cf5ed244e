"""Values that a form or an address was not made for, and bodies around them."""

from collections.abc import Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from tests.crawl.addresses import escaped

Pairs = Sequence[tuple[str, str]]
FORM = "application/x-www-form-urlencoded"

NUMBERS = (
    *("0", "-1", "1.5", "1e400", "NaN", "Infinity", "0x10", " 7 ", "٣", "²", "1_000"),
    *("2147483648", "9223372036854775807", "9223372036854775808", "-9223372036854775809"),
    *("9" * 40, "9" * 5000, "-" + "9" * 5000),
)
TEXTS = (
    *("", " ", "\0", "a\0b", "\ud800", "\udfff\ud800", "\ufeff", "\u202e", "\r\n", "%00", "%ff"),
    *("é" * 300, "x" * 70_000, "🎲" * 2000, "'\"<script>", "' OR 1=1 --", "{{ x }}", "../../etc"),
    *("[]", "{}", "null", "true", "on", "None", "yahtzee", "yatzy", "ones", "all"),
    *("0001-01-01", "9999-12-31", "2026-13-45", "=1+1", "a:b:c", ".", "..", "/", "?", "#"),
)
KINDS = (
    *(FORM, FORM + "; charset=utf-16", FORM + "; charset=nothing", "multipart/form-data"),
    *("multipart/form-data; boundary=x", "application/json", "text/plain", "", "x" * 300, "\xff"),
)
hostile = st.sampled_from(NUMBERS + TEXTS) | st.text(max_size=12)
garbage = st.binary(max_size=40) | st.sampled_from(
    [b"\xff\xfe=\x00", b"--x\r\n\r\n", b"a=" * 1200, b"=&=&&;", b"a&" * 900, b"{", b"[" * 5000]
)


def sent_the_same(examples: int) -> settings:
    return settings(settings.get_profile("requests"), max_examples=examples)


def encoded(pairs: Pairs) -> str:
    return "&".join(f"{escaped(name)}={escaped(value)}" for name, value in pairs)


def mutated(draw: Any, fields: Pairs) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in fields:
        match draw(st.sampled_from(("kept", "kept", "kept", "changed", "twice", "lost"))):
            case "kept":
                found.append((name, value))
            case "changed":
                found.append((name, draw(hostile)))
            case "twice":
                found += [(name, value), (name, draw(hostile))]
    return found
