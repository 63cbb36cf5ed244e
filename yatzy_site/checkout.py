"""The build commands of setuptools, which refuse to build a package.

Yatzy is installed from its checkout only: names such as ``game`` and ``solver`` are too general for
a package index, and templates, static files and translations are outside the packages.
"""

from typing import NoReturn

from setuptools import Command
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.sdist import sdist

MESSAGE = "Yatzy runs in its checkout: clone it and run `make install` there (or pip install -e .)"


def _refuse(command: Command) -> NoReturn:
    raise SystemExit(MESSAGE)


class NoWheel(bdist_wheel):
    run = _refuse  # ``pip install .`` is refused here; an editable install does not run this line


class NoSource(sdist):
    run = _refuse
