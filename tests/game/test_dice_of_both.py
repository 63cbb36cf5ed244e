"""Dice that nobody chooses: the server's part is sealed before the player adds theirs."""

import hashlib
import hmac
from datetime import UTC, datetime, time, timedelta
from types import ModuleType

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from game.core.fair import blocks, chain, tickets
from game.core.game_queries import replay_game
from game.core.starting import start_game
from game.duels.duels import create_duel, enter_duel
from game.models import DayChain, Duel, Game, Player
from game.pages.board.verification import find_faults, verify
from game.pages.daily.daily_dice import _begin_day_chain
from game.pages.daily.daily_queries import (
    derive_day_seed,
    find_day_anchor,
    find_day_link,
    read_day_chain,
)
from tests.play import Browser, score_all, start_solo

pytestmark = pytest.mark.django_db
keys = st.binary(min_size=32, max_size=32).map(bytes.hex)


@given(keys, st.text(max_size=64))
def test_the_seed_is_made_of_both_parts_as_an_outsider_makes_it(
    outsider: ModuleType, key: str, added: str
) -> None:
    seed = blocks.derive_seed(key, added)
    assert bytes.fromhex(seed) == outsider.mixed(bytes.fromhex(key), added)
    assert seed not in (key, blocks.derive_seed(key, added + "x"))


def test_who_knows_the_key_knows_no_die_before_the_player_has_added_something() -> None:
    """Every face stays as likely as any other, whichever ticket the operator lays out."""
    ticket = tickets.issue()
    known = blocks.derive_key(ticket.nonce)
    assert blocks.hash_seed(known) == ticket.commitment
    seeds = [blocks.derive_seed(known, str(number)) for number in range(6000)]
    assert len(set(seeds)) == 6000
    first = [blocks.roll_die(bytes.fromhex(seed), 0, 0, 0) for seed in seeds]
    counts = [first.count(face) for face in range(1, 7)]
    assert sum((count - 1000) ** 2 for count in counts) / 1000 < 40  # chi-square of 5 degrees


def test_a_ticket_takes_the_first_addition_and_no_other(player: Player) -> None:
    nonce = tickets.issue().signed
    one = start_game(player=player, mode="solo", nonce=nonce, added="mine").game
    again = start_game(player=player, mode="solo", nonce=nonce, added="theirs").game
    assert (one.pk, one.seed, one.added) == (again.pk, again.seed, "mine")
    assert one.seed == blocks.derive_seed(one.key, "mine")
    assert one.commitment == tickets.redeem(nonce).commitment == blocks.hash_seed(one.key)


def test_the_page_has_a_field_for_it_and_the_proof_tells_all_parts(
    browser: Browser, outsider: ModuleType
) -> None:
    assert 'name="added" form="dice"' in browser.get("/").text
    nonce = tickets.issue().signed
    browser.post("/games/", {"mode": "solo", "nonce": nonce, "added": " a <b> "})
    game = Game.objects.get()
    assert game.added == "a <b>"
    during = browser.get(f"/games/{game.pk}/verify").text
    assert "a &lt;b&gt;" in during
    assert "a &lt;b&gt;" in browser.get(f"/games/{game.pk}/").text
    assert game.key not in during
    assert verify(replay_game(game)).key == ""
    score_all(replay_game(game), game.player)
    after = browser.get(f"/games/{game.pk}/verify").text
    assert game.key in after
    assert "The key matches the seal." in after
    assert outsider.main([game.key, game.commitment, game.added]) == 0


def test_a_game_of_before_has_its_key_for_a_seed_and_verifies(
    player: Player, outsider: ModuleType
) -> None:
    game = start_solo(player).game
    game.seed, game.key, game.added = "ab" * 32, "", ""
    game.commitment = blocks.hash_seed(game.seed)
    game.save()
    over = score_all(replay_game(game), player)
    assert find_faults(over.game) == []
    check = verify(over)
    assert (check.key, check.added, check.holds) == (game.seed, None, True)
    assert outsider.main([check.key, check.commitment]) == 0


def test_an_exchanged_part_is_found(player: Player) -> None:
    nonce = tickets.issue().signed
    game = start_game(player=player, mode="solo", nonce=nonce, added="mine").game
    for field, value in (("key", "11" * 32), ("added", "other"), ("seed", "22" * 32)):
        other = Game.objects.get(pk=game.pk)
        setattr(other, field, value)
        assert "the seed does not give the commitment" in find_faults(other)
    with pytest.raises(IntegrityError), transaction.atomic():
        Game.objects.filter(pk=game.pk).update(key="")


def challenge(added: str) -> tuple[Duel, Player]:
    return create_duel(player=None, ruleset="yatzy", people=2, added=added)


def test_a_duel_has_no_seed_before_its_last_player_has_added_something() -> None:
    duel, _ = challenge("one")
    assert (duel.seed, duel.commitment) == ("", blocks.hash_seed(duel.key))
    begun_, _ = enter_duel(token=duel.token, player=None, added="two")
    assert begun_.seed == blocks.derive_seed(duel.key, "one+two")
    for game in Game.objects.all():
        assert (game.added, game.seed, find_faults(game)) == ("one+two", begun_.seed, [])


def test_a_duel_is_joined_with_what_the_form_carries(new_browser: type[Browser]) -> None:
    duel, _ = challenge("one")
    browser = new_browser()
    page = browser.get(f"/duel/{duel.token}/").text
    assert 'name="added" form="join-form"' in page
    assert browser.post(f"/duel/{duel.token}/join", {"added": "x" * 65}).status_code == 400
    browser.post(f"/duel/{duel.token}/join", {"added": "two"})
    assert set(Game.objects.values_list("added", flat=True)) == {"one+two"}


def test_a_link_is_the_hash_of_the_next_one() -> None:
    end = "0f" * 32
    assert chain.calculate_link(end, chain.DAYS) == end
    for number in (0, 1, 5000, chain.DAYS - 1):
        following = bytes.fromhex(chain.calculate_link(end, number + 1))
        assert hashlib.sha256(following).hexdigest() == chain.calculate_link(end, number)
    for number in (-1, chain.DAYS + 1):
        with pytest.raises(ValueError, match="chain"):
            chain.calculate_link(end, number)


def test_days_are_verified_from_the_anchor(
    outsider: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    first = read_day_chain().first
    day = first + timedelta(days=40)
    link, anchor = find_day_link(day), find_day_anchor()
    assert outsider.main(["--day", link, "yatzy", anchor]) == 0
    told = capsys.readouterr().out
    assert derive_day_seed(day, "yatzy") in told
    assert "41 days before" in told
    assert outsider.main(["--day", link, "yatzy", find_day_link(first)]) == 0
    assert outsider.main(["--day", link, "yatzy", "00" * 32]) == 1
    assert outsider.main(["--day", link, "yatzy"]) == 2
    assert derive_day_seed(day, "yahtzee") != derive_day_seed(day, "yatzy")
    expected = hmac.new(bytes.fromhex(link), b"yatzy", "sha256").hexdigest()
    assert derive_day_seed(day, "yatzy") == expected


def test_days_before_the_chain_keep_their_dice() -> None:
    before = read_day_chain().first - timedelta(days=1)
    assert find_day_link(before) == ""
    assert derive_day_seed(before, "yatzy") == blocks.derive_early_day_seed(before, "yatzy")
    assert find_day_link(read_day_chain().first)


def test_the_chain_is_made_once_and_begins_when_nobody_has_played_its_dice() -> None:
    stored = DayChain.objects.get()
    _begin_day_chain()
    assert DayChain.objects.get().end == stored.end
    DayChain.objects.all().delete()
    _begin_day_chain()
    assert DayChain.objects.get().end != stored.end
    assert read_day_chain().first == timezone.now().date() + timedelta(days=1)
    read_day_chain.cache_clear()


def test_the_link_of_a_day_is_shown_when_it_is_over(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = read_day_chain().first
    for later, shown in ((1, False), (25.1, True)):
        now = datetime.combine(day, time(), UTC) + timedelta(hours=later)
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        page = browser.get(f"/daily/?day={day.isoformat()}").text
        assert find_day_anchor() in page
        assert (find_day_link(day) in page) is shown
