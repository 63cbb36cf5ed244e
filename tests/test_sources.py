"""Tests that every number called published has a row in `solver/study/data/sources.json`."""

import ast
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from solver.cli import main
from solver.cli.solve import GOLDEN
from solver.players import PLAYERS
from solver.rules import RULESETS
from solver.study.published import HUMANS, KEYS, check_real_dice, read_reported, require_published
from solver.study.sources import (
    FIGURES,
    NOTES,
    PLACES,
    RULES,
    WHO,
    format_markdown,
    read_cited_works,
)

ROOT = Path(__file__).resolve().parents[1]
PROSE = ("README.md", "docs/*.md", "templates/**/*.html", "game/**/*.html")
CODE = ("game/**/*.py", "solver/**/*.py", "tests/**/*.py")
# From the word to the end of the clause. A point between digits does not end a clause.
CLAUSE = re.compile(r"published(?:[^.,:;(|!?{}<>\"`\n]|[.,](?=\d))*", re.IGNORECASE)
NUMBER = re.compile(r"(?<![\w.,/-])\d[\d,]*(?:\.\d+)?(?![\w/])")
CALLED = re.compile("published", re.IGNORECASE)
ROWS = [one for work in read_cited_works() for one in work.numbers]


def sourced() -> set[float]:
    told = {one.value for one in ROWS} | {one.games for one in ROWS} | {one.trained for one in ROWS}
    return {float(one) for one in told | {work.year for work in read_cited_works()} if one}


def numbers(texts: Iterable[str]) -> set[float]:
    return {float(one.replace(",", "")) for text in texts for one in NUMBER.findall(text)}


def clauses(text: str) -> set[float]:
    return numbers(CLAUSE.findall(text))


def columns(text: str) -> Iterator[str]:
    called: list[int] = []
    for line in text.splitlines():
        cells = line.split("|") if line.startswith("|") else []
        if not cells:
            called = []
        elif any(map(CALLED.search, cells)) and not called:
            called = [at for at, cell in enumerate(cells) if CALLED.search(cell)]
        else:
            yield from (cells[at] for at in called)


def in_prose(text: str) -> set[float]:
    paragraphs = re.sub(r"(?<![\n|])\n(?![\n ])", " ", text)
    return clauses(paragraphs) | numbers(columns(text))


def in_code(text: str) -> set[float]:
    kinds = (tokenize.COMMENT, tokenize.STRING)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = {
        number
        for token in tokens
        if token.type in kinds
        for number in clauses(" ".join(token.string.split()))
    }
    for name, value in named(ast.parse(text)):
        if CALLED.search(name):
            found |= set(constants(value))
    return found


def constants(value: ast.AST) -> Iterator[float]:
    for node in ast.walk(value):
        match node:
            case ast.Constant(value=int() | float() as number):
                yield float(number)


def named(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[target], value=value):
                yield ast.unparse(target), value
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield ast.unparse(target), value
            case ast.keyword(arg=str(name), value=value):
                yield name, value
            case ast.Compare(left=left, comparators=[value]):
                yield ast.unparse(left), value
            case ast.Dict(keys=keys, values=values):
                yield from (
                    (ast.unparse(key), value)
                    for key, value in zip(keys, values, strict=True)
                    if key
                )


def found_in(patterns: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
        text = path.read_text(encoding="utf-8")
        if CALLED.search(text) and path != Path(__file__).resolve():
            yield str(path.relative_to(ROOT)), text


def test_every_number_that_is_called_published_has_its_row() -> None:
    unsourced = {
        name: lacking
        for read, patterns in ((in_prose, PROSE), (in_code, CODE))
        for name, text in found_in(patterns)
        if (lacking := read(text) - sourced())
    }
    assert not unsourced, "a row in solver/study/data/sources.json"


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (in_prose, "Its published mean was 999.5, or so."),
        (in_prose, "As others have published it\nin 2012 it is 999.5; 8 was not."),
        (
            in_prose,
            "| player | Published* | ours |\n| --- | --- | --- |\n| one | of 1,000: 999.5 | 8 |",
        ),
        (in_code, "PUBLISHED_MEAN = 999.5"),
        (in_code, "PUBLISHED: dict[str, float] = {'one': 999.5}"),
        (in_code, "assert facts['published_mean'] == 999.5"),
        (in_code, "tell(published=999.5, other=8)"),
        (in_code, "facts = {'published_mean': 999.5, 'other': 8}"),
        (in_code, "# the published mean is 999.5; ours is 8"),
        (in_code, 'def told():\n    """What was published\n    is 999.5."""'),
    ],
)
def test_a_number_without_a_source_is_noticed_wherever_it_stands(
    read: Callable[[str], set[float]], text: str
) -> None:
    assert read(text) - sourced() == {999.5}


def test_what_is_not_called_so_needs_no_source() -> None:
    assert not in_prose("Ours is 999.5. The published study\n\nhad 999.5 | 888.5") - {999.5}
    assert not in_prose("| ours | published |\n| --- | --- |\n| 999.5 | |\n\n| ours |\n| 888.5 |")
    assert not in_code("mean = 999.5  # ours\nother = {'mean': 888.5}\nassert mean == 7.5")


def test_the_file_for_people_is_made_from_the_rows(capsys: pytest.CaptureFixture[str]) -> None:
    written = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    assert written == format_markdown() + "\n", "./yatzy solver sources > docs/sources.md"
    main(["sources"])
    assert capsys.readouterr().out == written
    main(["sources", "--json"])
    told = {work["id"]: work for work in json.loads(capsys.readouterr().out)}
    assert told["haefner"]["licence"] == "MIT"
    assert told["haefner"]["numbers"][0]["value"] == "236.2"
    for line in (
        "| 241.78 | Mean | A2C | Yahtzee; joker rule not stated | 100,000 | 1,000,000 |"
        " Section 5. The source's table calls this number the mean; its abstract calls it the"
        " median. |",
        "Author not stated, year not stated.",
        "Licence of its code: not stated.",
        "We use no number from this source.",
        "Nick Pape, year not stated.\nUniversity of Texas.",
    ):
        assert line in written


def test_every_row_is_in_words_that_there_are_and_every_word_is_used() -> None:
    assert {one.figure for one in ROWS} == set(FIGURES)
    assert {one.place.partition(" ")[0] for one in ROWS} == set(PLACES)
    assert {one.note for one in ROWS} - {""} == set(NOTES)
    assert set(RULES) <= {one.rules for one in ROWS} <= {"", *RULES, *RULESETS}
    assert set(WHO) <= {one.of for one in ROWS}
    assert len({work.id for work in read_cited_works()}) == len(read_cited_works())


def test_tables_are_held_to_what_is_published_of_their_rules() -> None:
    published = next(work for work in read_cited_works() if work.id == "yatzy-solver").numbers
    assert len(published) == 4
    for one in published:
        assert float(one.value) == GOLDEN[one.rules][0]


def test_the_study_s_rows_are_what_its_data_says() -> None:
    study = {(one.figure, one.of): one for one in read_cited_works()[0].numbers}
    names = {"optimal": "optimal program", HUMANS: "six people"}
    for player in (*KEYS, HUMANS):
        theirs, name = require_published(player), names.get(player, player)
        mean, median = study["mean", name], study["median", name]
        assert (float(mean.value), float(median.value)) == (theirs.mean, theirs.median)
        assert mean.games == median.games == theirs.stated
        if player in KEYS:
            assert study["mean of tens", name].value == f"{theirs.mean_of_counts:.1f}"
            assert name == "optimal program" or PLAYERS[name].title == mean.who
    assert study["games counted", "six people"].value == str(require_published(HUMANS).games)
    dice = [one.value for one in read_cited_works()[0].numbers if one.figure == "dice"]
    assert dice == [
        str(read_reported()["real_dice_test"]["reported_total"]),
        str(check_real_dice().dice),
    ]
