"""Protects text in CSV files: spreadsheets may split it, or run it as a formula."""

import re

# A Nordic spreadsheet splits a text at ";" and reads our quotes as letters. So a new cell can
# begin after each of these characters, even if blanks and quotes follow.
_BEGINS = r"(?:^|(?<=[;|\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]))"
_FORMULA = r"""(?:[^\S\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]|["'])*[=+\-@＝＋－＠﹦﹢﹣﹫]"""
_RUNS = rf"(?={_FORMULA})"
_BREAKS = r"(?='*[\t\r\n])"  # some spreadsheets skip a tab or line break at the beginning
RISKY = re.compile(f"{_BEGINS}{_RUNS}|^{_BREAKS}")
GUARDED = re.compile(f"{_BEGINS}'{_RUNS}|^'{_BREAKS}")


def disarm_formulas(text: str | None) -> str | None:
    """Put an apostrophe before text that a spreadsheet would run as a formula. Add an apostrophe
    even if the text already begins with some: ``GUARDED`` always removes exactly one."""
    return text and RISKY.sub("'", text)
