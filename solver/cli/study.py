"""The commands same-value, study, sources and audit: players on the same dice, chapter 4 of the
study, the sources of published numbers, and the cost of the decisions in the study."""

import argparse
import json
from dataclasses import asdict
from typing import Any

from solver.advice import Advisor
from solver.advice.wire import BadInput
from solver.arena.facts import make_same_value_facts
from solver.arena.match import make_random_blocks
from solver.arena.same_value import format_dice, play_all_blocks, read_dice
from solver.cli.output import (
    add_json_option,
    add_path_option,
    add_ruleset_option,
    add_switch,
    print_json,
    show_progress,
    show_report,
    show_table,
)
from solver.cli.parser import say
from solver.cli.players import add_count_option, add_seed, check_folder, write_file
from solver.players import PLAYERS, find_player
from solver.rules import YATZY, Block, Ruleset, find_ruleset
from solver.study import answers, html
from solver.study.chapter import report_appendix, report_chapter
from solver.study.published import list_printed_turns
from solver.study.same_value import describe_differences, report_same_value, report_totals
from solver.study.sources import format_markdown, read_cited_works
from solver.study.study import (
    DATA,
    SAME_VALUE_PLAYERS,
    calculate_study,
    format_file,
    make_study_facts,
)
from solver.study.turns import NUMBER_RULES, REMARKS, audit_study

MOST_GAMES = 10_000
MOST_PLAYERS = 8
MOST_SENTENCES = 20  # number of games; a test with more games prints no sentences about differences


def add_commands(commands: Any) -> None:
    test = commands.add_parser(
        "same-value",
        description=(
            "Let several players play the same dice; print where they differ and what each "
            "decision cost. A dice file has a row per die and turn with the values of its "
            "rolls: 75 rows of three numbers are a game of Yatzy."
        ),
    )
    add_count_option(test, "--games", 1, MOST_GAMES, "number of games (default: 5)")
    test.add_argument(
        "--players",
        metavar="A,B,...",
        help=(
            "players; the command compares each with the last in the list (default: the study's "
            "players, or all players of the ruleset)"
        ),
    )
    add_ruleset_option(test)
    add_path_option(test, "--dice", "file to read the dice from (default: random dice)")
    add_path_option(test, "--write-dice", "file to write the dice to (default: none)")
    add_path_option(test, "--html", "file for an HTML page with all turns (default: none)")
    add_seed(test)
    add_json_option(test)
    test.set_defaults(run=run_same_value)

    chapter_of = commands.add_parser(
        "study",
        description=(
            "Calculate chapter 4 of the published study again. Print its tables next to our "
            "tables, and print which of its numbers disagree. With --out, write one HTML page "
            "with all graphs."
        ),
    )
    add_switch(chapter_of, "--answers", "print the lab's eight answers instead of the tables")
    chapter_of.add_argument("--write", action="store_true", help="store results for the lab pages")
    add_path_option(chapter_of, "--out", "folder for an HTML page (default: none)", "DIR")
    add_seed(chapter_of)
    add_json_option(chapter_of)
    chapter_of.set_defaults(run=run_study)
    parser = commands.add_parser("sources")
    add_json_option(parser)
    parser.set_defaults(run=run_sources)
    parser = commands.add_parser("audit")
    add_json_option(parser)
    parser.set_defaults(run=run_audit)


def run_same_value(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    every = [p.id for p in PLAYERS.values() if p.plays(rules) and not p.alone]
    # The last player plays perfectly, as the standard.
    usual = SAME_VALUE_PLAYERS if rules == YATZY else every[:MOST_PLAYERS][::-1]
    words = usual if options.players is None else options.players.split(",")
    names = [word.strip() for word in words if word.strip()]
    if not 1 <= len(names) <= MOST_PLAYERS:
        raise BadInput(f"name one to {MOST_PLAYERS} players, not {len(names)}")
    if len(set(names)) < len(names):
        raise BadInput("a player is named twice")
    players, blocks = [find_player(name) for name in names], _make_blocks(options, rules)
    advisor = Advisor.open(rules)
    advisor.compile()
    title = f"{len(blocks)} games of {len(players)} players"
    with show_progress(title, quiet=options.json) as progress:
        test = play_all_blocks(players, blocks, advisor, seed=options.seed, progress=progress)
    if options.write_dice:
        write_file(options.write_dice, format_dice(blocks))
    facts, texts = make_same_value_facts(test), html.Words()
    if options.html:
        parts = report_same_value(facts, rules, texts)
        write_file(options.html, html.render_page("Same-value test", parts))
    if options.json:
        print_json(facts)
        return
    show_report(report_totals(facts, texts))
    if len(blocks) <= MOST_SENTENCES:
        for number in range(1, len(blocks) + 1):
            for sentence in describe_differences(facts, number, texts):
                print(f"Game {number}. {sentence}")  # noqa: T201


def _make_blocks(options: argparse.Namespace, rules: Ruleset) -> tuple[Block, ...]:
    if options.dice is None:
        return make_random_blocks(options.games or 5, options.seed, rules)
    blocks = read_dice(options.dice, rules)
    if options.games is not None and options.games > len(blocks):
        raise BadInput(f"{options.dice} holds {len(blocks)} games, not {options.games}")
    return blocks[: options.games or MOST_GAMES]


def run_study(options: argparse.Namespace) -> None:
    check_folder(options.out)
    if options.answers:
        if options.write:
            from solver.study import answers_made

            write_file(answers.DATA, json.dumps(answers_made.calculate_facts(), indent=1) + "\n")
        stored = answers.read_stored_answers()
        if options.json:
            print_json(stored)
            return
        answered = answers.report_answers(stored, html.Words())
        if options.out:
            page = html.render_page("Questions and answers", answered)
            write_file(options.out / "answers.html", page)
        else:
            show_report(answered)
        return
    advisor = Advisor.open(YATZY)
    advisor.compile()
    with show_progress("Chapter 4", quiet=options.json) as progress:
        studied = calculate_study(advisor, seed=options.seed, progress=progress)
    facts = make_study_facts(studied)
    parts = [*report_chapter(facts, html.Words()), *report_appendix(studied)]
    path = None
    if options.out:
        path = options.out / "chapter4.html"
        write_file(path, html.render_page("The study's chapter 4, worked out again", parts))
    if options.write:
        write_file(DATA, format_file(facts))
    if options.json:
        print_json({"path": str(path) if path else None, **facts})
    elif path:
        say(f"written: {path}")
    else:
        show_report(parts)


def run_sources(options: argparse.Namespace) -> None:
    if options.json:
        print_json([asdict(work) for work in read_cited_works()])
    else:
        print(format_markdown())  # noqa: T201


def run_audit(options: argparse.Namespace) -> None:
    advisor = Advisor.open(YATZY)
    judged = list(audit_study(advisor))
    if options.json:
        rows = [asdict(decision) | {"cost": decision.cost} for decision in judged]
        print_json([{key: row[key] for key in row if key != "costs"} for row in rows])
        return
    show_table(
        "Printed decisions whose card is known, judged by perfect play",
        ["table", "round", "program", "dice", "it chose", "best", "cost"],
        [
            [
                decision.table,
                f"{decision.game}.{decision.round}",
                decision.player.replace("_", "-"),
                " ".join(map(str, decision.dice)),
                decision.choice,
                " or ".join(decision.best),
                _format_span(*decision.cost, 3),
            ]
            for decision in judged
        ],
        left=6,
    )
    show_table(
        "What the study says of its printed turns",
        ["table", "round", "but"],
        [
            [
                *_format_place(turn),
                text % {name: _format_span(*cost, 2) for name, cost in costs.items()},
            ]
            for turn, (text, costs) in zip(list_printed_turns(), REMARKS, strict=True)
        ],
        left=3,
    )
    show_table(
        "Which of a die's prepared numbers fit the printed turns",
        ["a thrown die shows", "turns that no dice give"],
        [
            [rule, ", ".join(" ".join(_format_place(list_printed_turns()[n])) for n in unexplained)]
            for rule, unexplained in NUMBER_RULES
        ],
        left=2,
    )


def _format_place(turn: Any) -> list[str]:
    return [turn["table"], f"{turn['game']}.{turn['round']}"]


def _format_span(low: float, high: float, digits: int) -> str:
    ends = dict.fromkeys((f"{low:.{digits}f}", f"{high:.{digits}f}"))
    return " to ".join(ends)
