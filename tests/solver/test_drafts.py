"""The drafts on policy gradients, where what they print disagrees."""

import json

from solver.study.drafts import WORDS, draft_slips, printed
from solver.study.facts import disagreement_facts
from solver.study.tables import draft_disagreements


def test_each_disagreement_is_worked_out_and_in_words() -> None:
    told = {slip.kind: (slip.where, slip.says, slip.but) for slip in draft_slips()}
    assert set(told) == set(WORDS)
    assert len(list(draft_slips())) == len(WORDS) == 9
    for kind, place, says, but in (
        ("inputs", "Section 7.0.1", "30 + 3 + 30 + 13 = 52", "30 + 3 + 30 + 13 is 76."),
        ("width", "Section 7.0.1", "needs 49 neurons at least, 3 more", "takes 46 inputs"),
        ("width", "Section 7.0.1", "3 more than inputs", "76 in truth, the same rule gives 79."),
        ("neurons", "Section 7.0.1", "so 84,000,000 are", "7 × 10^15 positions is 83,666,002; "),
        ("neurons", "Section 7.0.1", "as the logarithm", "the logarithm is 52.6."),
        (
            "bonus",
            "Section 3.1.2",
            "0 for 63 points or more, and otherwise 35",
            "35 for 63 or more",
        ),
        ("turns", "Section 3.1.2", "from 1 to 13", "and in the last 12 are."),
        ("throws", "Section 3.1.2", "when 2 throws were made", "A turn has 3 throws"),
        ("sets", "Section 3.1.2", "up to box 12, box 9 twice", "There are 13 boxes."),
        ("potential", "Section 4.1.3", "where u is 1", "open boxes get nothing"),
        ("optimum", "Sections 2.3, 3.1.2", "averages 254.59; ", "100 points for each further"),
        ("optimum", "Sections 2.3, 3.1.2", "a bonus of 35.", "Without them it is 245.87."),
    ):
        where, said, though = told[kind]
        assert where == place
        assert says in said
        assert but in though
    assert "%(" not in str(told)


def test_their_own_arithmetic_is_what_they_say_where_it_is_not_disputed() -> None:
    """49 is their 46 and 3, and 8.4 times ten to the seventh the root, to two digits."""
    width, neurons = printed()["width"], printed()["neurons"]
    fewer = sum(count for name, count in printed()["inputs"].items() if name != width["without"])
    assert fewer + width["added"] == width["stated"]
    root = (neurons["times"] * 10 ** neurons["power"]) ** 0.5
    assert round(root, -6) == neurons["stated"]


def test_they_are_a_table_and_facts() -> None:
    table = draft_disagreements()
    assert "drafts" in table.caption
    assert [cell for row in table.rows for cell in row] == [
        cell
        for fact in json.loads(json.dumps(disagreement_facts(draft_slips())))
        for cell in (fact["where"], fact["says"], fact["but"])
    ]
