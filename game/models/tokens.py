"""Random tokens for addresses: hard to guess, and easy to read aloud."""

import secrets

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without i l o 0 1, which look similar


def _make_token(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def game_id() -> str:
    return _make_token(12)  # 59 random bits


def share_token() -> str:
    return _make_token(16)


def player_code() -> str:
    return _make_token(16)


def participant_code() -> str:
    return _make_token(12)


def join_token() -> str:
    return _make_token(16)


def browser_code() -> str:
    return _make_token(12)
