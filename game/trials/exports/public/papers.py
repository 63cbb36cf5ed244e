"""The papers of the public files: README, LICENSE, CITATION.cff."""

import json
from collections.abc import Iterable

from django.template.loader import render_to_string

from game.models import Publication, Trial
from game.trials.exports.description import Facts, about_data

LICENCES = {
    Publication.Licence.CC0: (
        "https://creativecommons.org/publicdomain/zero/1.0/",
        "To the extent possible under law, {who} has waived all copyright and related or"
        " neighboring rights to {what}. This work is published without any rights reserved.",
    ),
    Publication.Licence.CC_BY: (
        "https://creativecommons.org/licenses/by/4.0/",
        "{what} by {who} is licensed under the Creative Commons Attribution 4.0 International"
        " License: share and adapt it for any purpose, and name those whom CITATION.cff names.",
    ),
}
NOBODY = "its creators"  # where the form was not filled in


def publication_of(trial: Trial) -> Publication:
    return Publication.objects.filter(trial=trial).first() or Publication(trial=trial)


def creator_facts(of: Publication) -> Facts:
    """Return the keys of schema.org that say by whom it is and what may be done with it."""
    address, _notice = LICENCES[Publication.Licence(of.licence)]
    people = [{"@type": "Person", "name": _full_name(one)} for one in of.authors]
    return {"creator": people, "license": address, "isAccessibleForFree": True}


def licence_text(of: Publication) -> str:
    address, notice = LICENCES[Publication.Licence(of.licence)]
    who = "; ".join(map(_full_name, of.authors)) or NOBODY
    told = notice.format(who=who, what=f"“{of.trial.title}”")
    return f"{of.licence}\n\n{told}\n\nThe whole text: {address}legalcode\n"


def citation(of: Publication) -> str:
    """CITATION.cff 1.2.0; a string of JSON is one of YAML."""
    lines = [
        "cff-version: 1.2.0",
        "message: If you use these data, please cite them as below.",
        "type: dataset",
        f"title: {_quoted(of.trial.title)}",
        f"license: {of.licence}",
        "authors:",
        *(_author(one) for one in of.authors or [NOBODY]),
    ]
    return "\n".join(lines) + "\n"


def readme(of: Publication, tables: Iterable[object]) -> str:
    context = {"trial": of.trial, "about": about_data(of.trial), "tables": tables, "of": of}
    return render_to_string("trials/public_readme.txt", context)


def _author(name: str) -> str:
    family, comma, given = (part.strip() for part in name.partition(","))
    if not comma:
        return f"  - name: {_quoted(name)}"
    return f"  - family-names: {_quoted(family)}\n    given-names: {_quoted(given)}"


def _full_name(name: str) -> str:
    family, _comma, given = (part.strip() for part in name.partition(","))
    return f"{given} {family}".strip()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
