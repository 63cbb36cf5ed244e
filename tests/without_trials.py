"""Settings of a site without trials and lab. Under pytest, tests that need these are left out:
`python -m pytest --ds=tests.without_trials tests/game`."""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from yatzy_site.settings import *  # noqa: F403
from yatzy_site.settings import INSTALLED_APPS as ALL

AWAY = ("game.trials", "game.lab")
INSTALLED_APPS = [app for app in ALL if app not in AWAY]


class Missing:
    """Replaces any name of the missing apps. A test that calls it is left out."""

    def __getattr__(self, name: str) -> "Missing":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: object, **kwargs: object) -> Any:
        sys.modules["pytest"].skip("its app is not installed", allow_module_level=True)

    __iter__ = __getitem__ = __add__ = __call__

    def __or__(self, other: object) -> "Missing":
        return self

    __ror__ = __or__


class MissingModule(ModuleType):
    def __getattr__(self, name: str) -> Missing:
        return getattr(Missing(), name)  # type: ignore[no-any-return]


class MissingPackage(MetaPathFinder, Loader):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        ours = name.startswith(AWAY)
        return ModuleSpec(name, self, is_package=True) if ours else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return MissingModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


if "pytest" in sys.modules:
    sys.meta_path.insert(0, MissingPackage())
