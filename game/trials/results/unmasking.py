"""When a trial was unmasked, and why: told wherever its results are."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from game.exports.writers import moment
from game.models import Trial, TrialEvent
from game.trials.design.masking import MET
from game.words.times import LONG, day_text


@dataclass(frozen=True, slots=True)
class Unmasking:
    """``rule`` is how it then stood with the rule of stopping; ``reason`` is empty where the trial
    came to its end."""

    at: datetime
    rule: str
    reason: str

    @property
    def words(self) -> str:
        facts = {"day": day_text(self.at, LONG), "reason": self.reason}
        if self.reason:
            text = (
                "Unmasked on %(day)s by an owner, before it was closed at its end: whoever saw"
                " these figures could decide by them when to stop. The reason: %(reason)s"
            )
        elif self.rule == MET:
            text = "Unmasked on %(day)s, when it was closed as its preregistration says."
        else:
            text = "Unmasked on %(day)s, when it was closed. No rule of stopping had been locked."
        return text % facts

    def facts(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return {"at": moment(self.at), "stopping_rule": self.rule, "reason": self.reason}


def unmasking_of(trial: Trial, until: datetime) -> Unmasking | None:
    """None where it was not masked."""
    found = trial.events.filter(kind=TrialEvent.Kind.UNMASKED, at__lte=until).first()
    if found is None:
        return None
    return Unmasking(found.at, found.detail["stopping_rule"], found.detail.get("reason", ""))
