"""Text in CSV files, which spreadsheets read with separators of their own choice."""

import re

# A Nordic spreadsheet splits at ";" and takes the quotes of our cells for letters, so a cell may
# begin within a text: after each of these, also behind blanks and quotes.
_BEGINS = r"(?:^|(?<=[;|\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]))"
_FORMULA = r"""(?:[^\S\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]|["'])*[=+\-@＝＋－＠﹦﹢﹣﹫]"""
_RUNS = rf"(?={_FORMULA})"
_BREAKS = r"(?='*[\t\r\n])"  # in front of all, some spreadsheets skip it
RISKY = re.compile(f"{_BEGINS}{_RUNS}|^{_BREAKS}")
GUARDED = re.compile(f"{_BEGINS}'{_RUNS}|^'{_BREAKS}")


def harmless(text: str | None) -> str | None:
    """Put an apostrophe before whatever a spreadsheet would run as a formula.

    A text that has apostrophes there gets one more, so ``GUARDED`` finds what to take off again.
    """
    return text and RISKY.sub("'", text)
