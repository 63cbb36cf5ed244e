"""A test of dice as a report: verdict, limits, figures, chart and tables."""

from collections.abc import Iterator

from solver.charts import Axis, Bars, Chart, Line
from solver.rules.dice import FACES
from solver.statistics.fairness import FAIR_MEAN, FAIR_SHARE, DiceTest, OneDie, count_needed_dice
from solver.study.html import Figure, Heading, NamedValues, Paragraph, Part, TextTable, Words

HINT, PROOF, HARDLY_EVER = 0.05, 0.01, 0.001  # p-values
FEW = 30  # dice; fewer seldom reveal even a loaded die
SMALL_SHARES = (0.2, 0.18)  # shares of one face: biases so small that many dice are needed


def report_test(test: DiceTest, words: Words) -> Iterator[Part]:
    _ = words.gettext
    if test.apart:
        yield from map(Paragraph, describe_each_die(test, words))
        yield tabulate_dice(test, words)
        yield Heading(_("All dice together"), level=3)
    yield from map(Paragraph, [describe_result(test, words), *describe_limits(test, words)])
    if not test.apart:
        note = _("The test counts faces. It ignores their order and which die showed them.")
        yield Paragraph(note, note=True)
    yield NamedValues(
        [
            (_("Dice"), words.format_whole(test.dice)),
            (
                _("Mean (fair dice: %(fair)s)") % {"fair": words.number(FAIR_MEAN)},
                words.number(test.mean, 3),
            ),
            (_("Standard error of the mean"), words.number(test.mean_error, 3)),
            (_("Chi-squared"), words.number(test.fit.statistic, 2)),
            (_("p, exact") if test.exact else _("p"), format_p_value(test.fit.p, words)),
        ]
    )
    yield Figure(_draw_chart(test, words), _("Does every face come up equally often?"))
    head = [_("Face"), _("Fell"), _("Expected"), _("Difference")]
    rows = []
    for face, count in enumerate(test.counts, start=1):
        due = [words.number(test.expected), words.signed(count - test.expected)]
        rows.append([str(face), words.format_whole(count), *due])
    yield TextTable(_("Faces"), head, rows)


def format_p_value(p: float, words: Words) -> str:
    if p < HARDLY_EVER:
        return words.gettext("< %(p)s") % {"p": words.number(HARDLY_EVER, 3)}
    return words.number(p, 3)


def describe_result(test: DiceTest, words: Words) -> str:
    _ = words.gettext
    if test.fit.p >= HINT:
        text = _(
            "This result does not speak against fair dice: fair dice would be at least this "
            "uneven in %(chance)s of such tests."
        )
    elif test.fit.p >= PROOF:
        text = _(
            "Fair dice would be this uneven in only %(chance)s of such tests. This result is a"
            " hint, not proof: roll again, and test only the new rolls."
        )
    elif test.fit.p >= HARDLY_EVER:
        text = _(
            "Fair dice would be this uneven in only %(chance)s of such tests. This result "
            "speaks against these dice, if no roll was left out or recorded wrongly."
        )
    else:
        text = _(
            "Fair dice would hardly ever be this uneven. Either these dice are not fair, or "
            "some of their rolls are missing or wrong."
        )
    return text % {"chance": words.format_percent(test.fit.p)}


def describe_limits(test: DiceTest, words: Words) -> Iterator[str]:
    """Yield sentences about the biases that too few dice cannot reveal."""
    _ = words.gettext
    dice = words.format_whole(test.dice)
    if test.dice < FEW or test.noticeable is None:
        text = words.ngettext(
            "%(dice)s die tells little: even a loaded one would mostly go unnoticed.",
            "%(dice)s dice tell little: even loaded ones would mostly go unnoticed.",
            test.dice,
        )
        yield text % {"dice": dice}
        return
    text = _(
        "With %(dice)s dice, about 8 of 10 tests detect a face that comes up %(share)s of the "
        "time instead of %(fair)s, but most tests miss smaller faults."
    )
    shares = {
        "share": words.format_percent(test.noticeable),
        "fair": words.format_percent(FAIR_SHARE),
    }
    yield text % ({"dice": dice} | shares)
    share = next((share for share in SMALL_SHARES if share < test.noticeable), None)
    if share is not None:
        text = _(
            "You need about %(dice)s dice to detect a face that comes up %(share)s of the time."
        )
        needed = words.format_whole(round(count_needed_dice(share), -2))
        yield text % {"share": words.format_percent(share, 0), "dice": needed}


def _draw_chart(test: DiceTest, words: Words) -> Chart:
    _ = words.gettext
    bands = tuple(str(face) for face in range(1, FACES + 1))
    due = words.number(test.expected)
    ends, heights = (-0.5, FACES - 0.5), (test.expected, test.expected)
    caption = _(
        "Faces 1 to 6 came up %(counts)s times; fair dice would show each face %(expected)s times."
    )
    return words.adapt_chart(
        Chart(
            _("How often each face came up"),
            [
                Bars(bands, test.counts),
                Line(ends, heights, _("expected %(count)s") % {"count": due}, dashed=True),
            ],
            x=Axis(_("face")),
            y=Axis(_("dice"), low=0.0),
            description=caption
            % {"counts": ", ".join(map(words.format_whole, test.counts)), "expected": due},
        )
    )


def tabulate_dice(test: DiceTest, words: Words) -> TextTable:
    _ = words.gettext
    head = [_("Die"), _("Chi-squared"), _("p"), _("p, adjusted (Holm)"), _("Dice"), *"123456"]
    rows = [
        [
            _format_die_name(die, words),
            words.number(die.test.fit.statistic, 2),
            format_p_value(die.test.fit.p, words),
            format_p_value(die.p, words),
            *map(words.format_whole, (die.test.dice, *die.test.counts)),
        ]
        for die in test.apart
    ]
    return TextTable(_("Dice one by one"), head, rows, style="results__dice")


def describe_each_die(test: DiceTest, words: Words) -> Iterator[str]:
    """Yield sentences about the test of each die. Its p-value allows for the number of tests."""
    _ = words.gettext
    least = min((die.p for die in test.apart), default=None)
    if least is None:
        return
    if least >= HINT:
        text = _(
            "No single die looks unfair: even with fair dice, up to %(chance)s of such tests "
            "would find a die at least this uneven."
        )
        yield text % {"chance": words.format_percent(least)}
        return
    text = _(
        "%(die)s: if all dice are fair, at least one of the %(tests)s tested dice is this "
        "uneven in at most %(chance)s of such tests."
    )
    for die in test.apart:
        if die.p < HINT:
            chance = words.format_percent(max(die.p, HARDLY_EVER))
            yield text % {
                "die": _format_die_name(die, words),
                "tests": len(test.apart),
                "chance": chance,
            }
    if least >= PROOF:
        yield _("This result is a hint, not proof: roll again, and test only the new rolls.")


def _format_die_name(die: OneDie, words: Words) -> str:
    if not die.number:
        return words.gettext("The others")
    return words.gettext("Die %(number)s") % {"number": die.number}
