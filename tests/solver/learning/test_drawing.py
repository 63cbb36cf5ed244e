import struct
import zlib
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

import solver.learning  # noqa: F401  registers the environments
from solver.charts.png import read_pixels
from solver.learning.environments import Solitaire, draw_rgb_array
from solver.learning.table import YatzyTable


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + b"\0\0\0\0"


@pytest.mark.parametrize("told", range(5))
def test_a_picture_is_read_however_its_lines_are_told(told: int) -> None:
    shown = np.random.default_rng(told).integers(256, size=(7, 5, 4), dtype=np.uint8)
    height, width, _ = shown.shape
    padded = np.zeros((height + 1, width + 1, 4), dtype=int)
    padded[1:, 1:] = shown
    left, above, corner = padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]
    guess = left + above - corner
    far = [abs(guess - side) for side in (left, above, corner)]
    nearest = np.where(far[1] <= far[2], above, corner)
    nearest = np.where((far[0] <= far[1]) & (far[0] <= far[2]), left, nearest)
    sides = [np.zeros_like(left), left, above, (left + above) // 2, nearest]
    rows = ((shown - sides[told]) % 256).astype(np.uint8).reshape(height, -1)
    packed = zlib.compress(b"".join(bytes([told]) + row.tobytes() for row in rows))
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    halves = chunk(b"IDAT", packed[:20]) + chunk(b"IDAT", packed[20:])
    assert (
        read_pixels(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + halves + chunk(b"IEND", b""))
        == shown[..., :3]
    ).all()


def test_card_dice_and_throws_are_all_in_the_picture() -> None:
    env = Solitaire("yatzy")
    env.reset(seed=1)
    first = draw_rgb_array(env.state)
    assert first.dtype == np.uint8
    assert first[0, 0].tolist() == [0xEF, 0xE9, 0xDB]
    foot = (first.shape[0], 240, 3)
    changed = {
        "throws": replace(env.state, throws_left=1),
        "dice": replace(env.state, dice=(1, 1, 1, 1, 1)),
    }
    lines = {
        name: np.flatnonzero((draw_rgb_array(s) != first).any((1, 2)))
        for name, s in changed.items()
    }
    assert lines["throws"].min() > 17 * 20 + 24 + 36
    assert lines["dice"].min() < 20
    assert first.shape == foot
    env.step(np.int64(32))
    after = draw_rgb_array(replace(env.state, dice=()))
    assert after.shape == foot
    assert (after[17 * 20 + 12 :] == first[0, 0]).all()


@pytest.mark.parametrize("face", range(1, 7))
def test_a_die_shows_as_many_pips_as_its_face(face: int) -> None:
    env = Solitaire("yatzy")
    env.reset(seed=1)
    shown = draw_rgb_array(replace(env.state, dice=(face,) * 5))
    die = shown[17 * 20 + 26 : 17 * 20 + 58, 14:46].sum(axis=2) < 300
    begins = die & ~np.roll(die, 1, 0) & ~np.roll(die, 1, 1) & ~np.roll(np.roll(die, 1, 0), -1, 1)
    places = {(y // 10, x // 10) for y, x in np.argwhere(begins)}
    assert len(places) == face


def test_a_mode_that_nobody_draws_is_refused_and_one_of_the_names_is_not() -> None:
    with pytest.raises(ValueError, match="ansi or rgb_array or None, not 'human'"):
        Solitaire(render_mode="human")
    with pytest.raises(ValueError, match="not 'human'"):
        YatzyTable(render_mode="human")
    for mode in ("ansi", "rgb_array"):
        gymnasium.make("Yatzy-v0", render_mode=mode)


def test_players_of_a_table_are_drawn_side_by_side() -> None:
    table = YatzyTable("yatzy", 2, render_mode="rgb_array")
    table.reset(seed=1)
    drawn = table.render()
    assert isinstance(drawn, np.ndarray)
    assert (drawn[:, 240:] == draw_rgb_array(table.states["player_1"])).all()
    assert YatzyTable().render() is None
