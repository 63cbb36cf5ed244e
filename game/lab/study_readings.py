"""The page that ranks interpretations of the study's text by how well they match its results."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.words import phrases
from game.lab.labels import SITE, whole
from game.lab.players import format_percent
from game.pages.requests.visitors import PlayRequest
from solver.players import PLAYERS
from solver.study.chapter import name_program
from solver.study.published import KEYS, RULES, require_published
from solver.study.readings import (
    BONUS,
    DICE,
    FILE,
    HOLD_BY_RULE,
    Candidate,
    count_printed_decisions,
    find_choices,
    read_candidates,
)

SHOWN = 8


@dataclass(frozen=True, slots=True)
class ReadingLine:
    """A table row with an interpretation; ``note`` marks the one that the lab's player uses."""

    takes: str
    note: str
    mean: str
    median: int
    off: str
    chi_squared: str
    repeats: tuple[int, ...]  # (holds, boxes): how many printed decisions this reading repeats


@dataclass(frozen=True)
class ReadStrategy:
    pk: str

    @property
    def name(self) -> str:
        return name_program(self.pk, SITE)

    @property
    def published_mean(self) -> str:
        return phrases.format_points(require_published(self.pk).mean_of_counts)

    @property
    def published_median(self) -> str:
        return phrases.format_points(require_published(self.pk).median, 0)

    @property
    def found(self) -> list[Candidate]:
        return [candidate for candidate in read_candidates() if candidate.player == self.pk]

    @property
    def printed(self) -> tuple[int, ...]:
        """The numbers of holds and of boxes that the study prints for the program; () if none."""
        return count_printed_decisions(self.pk) if any(count_printed_decisions(self.pk)) else ()

    def lines(self) -> Iterator[ReadingLine]:
        """Yield the closest interpretations, the literal one, and that of the lab's player."""
        plain = find_choices(self.pk).plain.name
        lab = next(iter(PLAYERS[self.pk].readings), plain)
        for number, candidate in enumerate(self.found):
            usual = candidate.bonus_from == RULES.bonus_threshold and not candidate.dice_stay
            if number < SHOWN or (usual and candidate.reading in {plain, lab}):
                yield _make_reading_line(
                    candidate,
                    _("used by the lab's player") if usual and candidate.reading == lab else "",
                )

    def sentences(self) -> Iterator[str]:
        yield _(
            "There are %(count)s readings; their exact means range from %(least)s to %(most)s "
            "points."
        ) % (_format_range(self.found) | {"count": whole(len(self.found))})
        if self.pk == "forced-scoring":
            thrice = [
                candidate
                for candidate in self.found
                if not any(option.name.endswith("twice") for option in candidate.options)
            ]
            yield _(
                "%(count)s of these readings give every box three rolls. Their means range "
                "from %(least)s to %(most)s, and none comes near the published mean. Only "
                "readings with two rolls for some boxes come near it, and the study does not "
                "mention two rolls."
            ) % (_format_range(thrice) | {"count": whole(len(thrice))})
        if self.pk == "optimal":
            yield _(
                "The reading that ignores the bonus comes closest to the published scores, but"
                " is still far off. We do not know what the study's program did."
            )

    def left_open(self) -> list[list[str]]:
        dice = (DICE,) if self.pk in HOLD_BY_RULE else ()
        return [
            [_(choice.plain), *(_(option.says) for option in choice.options)]
            for choice in (*find_choices(self.pk).of, BONUS, *dice)
        ]


def _format_range(candidates: list[Candidate]) -> dict[str, str]:
    means = [candidate.mean for candidate in candidates]
    return {
        "least": phrases.format_points(min(means), 2),
        "most": phrases.format_points(max(means), 2),
    }


def _make_reading_line(candidate: Candidate, note: str) -> ReadingLine:
    return ReadingLine(
        "; ".join(_(option.says) for option in candidate.options),
        note,
        phrases.format_points(candidate.mean, 2),
        candidate.median,
        format_percent(candidate.distance),
        whole(round(candidate.chi_squared)),
        (candidate.holds, candidate.boxes)
        if any(count_printed_decisions(candidate.player))
        else (),
    )


def read_readings_csv() -> str:
    return FILE.read_text()


@never_cache
@require_safe
def readings(request: PlayRequest) -> HttpResponse:
    strategies = [ReadStrategy(player_id) for player_id in KEYS]
    return render(request, "lab/study_readings.html", {"strategies": strategies})
