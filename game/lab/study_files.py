"""The published study's data beside exact results, as files."""

import csv
import io
import json
from collections.abc import Mapping

from solver.exact.distribution import Distribution
from solver.study.facts import published_study, tens_facts
from solver.study.histograms import HUMANS, KEYS, published_of

PEOPLE = "people"
COLUMNS = ("from", "to", "count", "percent", "cumulated_percent", "exact_share")


def tens_csv(known: Mapping[str, Distribution]) -> str:
    """A row a ten of the appendices; the exact share beside people is that of perfect play."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["player", *COLUMNS])
    for name, player in [*((key, key) for key in KEYS), (HUMANS, "optimal")]:
        called = PEOPLE if name == HUMANS else name
        for row in tens_facts(published_of(name), known.get(player)):
            writer.writerow([called, *(row[column] for column in COLUMNS)])
    return text.getvalue()


def study_json(known: Mapping[str, Distribution]) -> str:
    return json.dumps(published_study(known)) + "\n"
