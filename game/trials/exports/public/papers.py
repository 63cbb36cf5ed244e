"""The README, LICENSE and CITATION.cff of the public files."""

import json
from collections.abc import Iterable

from django.template.loader import render_to_string

from game.trials.exports.description import Facts, explain_data
from game.trials.models import Publication, Trial

LICENCES = {
    Publication.Licence.CC0: (
        "https://creativecommons.org/publicdomain/zero/1.0/",
        "To the extent possible under law, {who} has waived all copyright and related or"
        " neighboring rights to {what}. This work is published without any rights reserved.",
    ),
    Publication.Licence.CC_BY: (
        "https://creativecommons.org/licenses/by/4.0/",
        "{what} by {who} is licensed under the Creative Commons Attribution 4.0 International"
        " License: share and adapt it for any purpose, and name the creators in CITATION.cff.",
    ),
}
NOBODY = "its creators"  # the creator if the researcher enters no name


def find_publication(trial: Trial) -> Publication:
    return Publication.objects.filter(trial=trial).first() or Publication(trial=trial)


def build_creator_facts(publication: Publication) -> Facts:
    address, _notice = LICENCES[Publication.Licence(publication.licence)]
    people = [
        {"@type": "Person", "name": _format_full_name(author)} for author in publication.authors
    ]
    return {"creator": people, "license": address, "isAccessibleForFree": True}


def format_licence(publication: Publication) -> str:
    address, notice = LICENCES[Publication.Licence(publication.licence)]
    who = "; ".join(map(_format_full_name, publication.authors)) or NOBODY
    notice_text = notice.format(who=who, what=f"“{publication.trial.title}”")
    return f"{publication.licence}\n\n{notice_text}\n\nThe full licence: {address}legalcode\n"


def format_citation(publication: Publication) -> str:
    """Return the text of CITATION.cff 1.2.0. Its values are JSON strings, which are valid YAML."""
    lines = [
        "cff-version: 1.2.0",
        "message: If you use these data, please cite them as below.",
        "type: dataset",
        f"title: {_quote(publication.trial.title)}",
        f"license: {publication.licence}",
        "authors:",
        *(_format_author(author) for author in publication.authors or [NOBODY]),
    ]
    return "\n".join(lines) + "\n"


def render_readme(publication: Publication, tables: Iterable[object]) -> str:
    context = {
        "trial": publication.trial,
        "about": explain_data(publication.trial),
        "tables": tables,
        "of": publication,
    }
    return render_to_string("trials/public_readme.txt", context)


def _format_author(name: str) -> str:
    family, comma, given = (part.strip() for part in name.partition(","))
    if not comma:
        return f"  - name: {_quote(name)}"
    return f"  - family-names: {_quote(family)}\n    given-names: {_quote(given)}"


def _format_full_name(name: str) -> str:
    family, _comma, given = (part.strip() for part in name.partition(","))
    return f"{given} {family}".strip()


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
