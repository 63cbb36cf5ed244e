"""The file of a preregistration: what was locked, when, and how to see that it is still that."""

from datetime import datetime
from typing import Any

from game.exports.writers import moment
from game.models import Agreement, Preregistration, Trial

PREREGISTRATION = "preregistration.json"
HOW_TO_CHECK = (
    "sha256 is that of the document as UTF-8 JSON with its keys in order, no blanks, no escapes:"
    " python -c \"import hashlib, json, sys; document = json.load(sys.stdin)['document'];"
    " print(hashlib.sha256(json.dumps(document, ensure_ascii=False, sort_keys=True,"
    " separators=(',', ':')).encode()).hexdigest())\" < preregistration.json"
)


def preregistration_file(trial: Trial, until: datetime) -> dict[str, Any] | None:
    """None where nothing was locked by then."""
    locked = locked_document(trial, until)
    if locked is None:
        return None
    first = Agreement.objects.filter(participant__trial=trial).order_by("at").first()
    return locked | {"first_consent_at": moment(first.at) if first else None}


def locked_document(trial: Trial, until: datetime) -> dict[str, Any] | None:
    """What it says of people is nothing: not even when the first of them came."""
    found = Preregistration.objects.filter(trial=trial, locked_at__lte=until).first()
    if found is None:
        return None
    return {
        "locked_at": moment(found.locked_at),
        "sha256": found.digest,
        "how_to_check": HOW_TO_CHECK,
        "document": found.locked,
    }
