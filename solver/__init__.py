"""The solver: exact play of solitaire Yatzy, with rules, value tables and advice, but no web."""


class Refusal(Exception):
    """The error for unusable input; a command prints its message and exits with status 2."""
