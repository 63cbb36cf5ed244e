"""Text in CSV files, which spreadsheets may split at separators of their own."""

import re

# A Nordic spreadsheet splits at ";" and reads our quotes as letters, so a new cell can begin
# within a text: after each of these characters, even after blanks and quotes.
_BEGINS = r"(?:^|(?<=[;|\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]))"
_FORMULA = r"""(?:[^\S\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]|["'])*[=+\-@＝＋－＠﹦﹢﹣﹫]"""
_RUNS = rf"(?={_FORMULA})"
_BREAKS = r"(?='*[\t\r\n])"  # some spreadsheets skip a tab or line break at the beginning
RISKY = re.compile(f"{_BEGINS}{_RUNS}|^{_BREAKS}")
GUARDED = re.compile(f"{_BEGINS}'{_RUNS}|^'{_BREAKS}")


def disarm_formulas(text: str | None) -> str | None:
    """Put an apostrophe before text that a spreadsheet would run as a formula. A text that already
    has apostrophes there gets one more, so that ``GUARDED`` finds which one to remove."""
    return text and RISKY.sub("'", text)
