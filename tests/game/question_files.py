"""Files of questions that several tests read."""

from game.trials.questions.parsing import parse_questionnaire
from game.trials.questions.questionnaire import TrialQuestion

PAGE = "before:\n  - questions:\n"
ASKED = """
language: en
before:
  - questions:
      - {key: age, kind: number, ask: How old are you?, from: 18, to: 99}
between:
  - every: 2
    questions:
      - {key: sure, kind: likert, ask: How sure?, labels: [not at all, very]}
  - games: [1, 3]
    questions:
      - {key: tired, kind: slider, ask: How tired?, labels: [not at all, very]}
after:
  - questions:
      - {key: note, kind: text, ask: Anything else?}
"""


def one(fields: str) -> str:
    return f"{PAGE}      - {{key: q, ask: Why?, {fields}}}\n"


def question(fields: str) -> TrialQuestion:
    return parse_questionnaire(one(fields)).pages[0].questions[0]
