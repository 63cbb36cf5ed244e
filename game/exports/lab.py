"""The lab's results as files."""

import csv
import io
import json

from solver.lab.results import Exact


def distribution_csv(exact: Exact) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["score", "probability"])
    writer.writerows(enumerate(exact.distribution.probabilities.tolist()))
    return text.getvalue()


def distribution_json(exact: Exact) -> str:
    return json.dumps(exact.facts()) + "\n"
