"""The build commands of setuptools, changed so that they refuse to build a package.

Yatzy is installed only from its checkout: names such as ``game`` and ``solver`` are too general for
a package index, and the packages do not contain templates, static files and translations.
"""

from typing import NoReturn

from setuptools import Command
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.sdist import sdist

MESSAGE = "Yatzy runs in its checkout: clone it and run `make install` there (or pip install -e .)"


def _refuse(command: Command) -> NoReturn:
    raise SystemExit(MESSAGE)


class NoWheel(bdist_wheel):
    run = _refuse  # refuses ``pip install .``; an editable install does not run this


class NoSource(sdist):
    run = _refuse
