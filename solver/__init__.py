"""The solver: rules, value tables, advice and exact play of solitaire Yatzy. It knows no web."""


class Refusal(Exception):
    """The error for unusable input. A command prints the message and exits with status 2."""
